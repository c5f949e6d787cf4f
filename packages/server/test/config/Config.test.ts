import { assert, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Option, Redacted } from "effect"
import { describe } from "vitest"
import { trunkPassword } from "../../src/config/AsteriskConfig.ts"
import * as Config from "../../src/config/Config.ts"
import * as CommandLine from "../cli/CommandLine.ts"

const key = Buffer.alloc(32).toString("base64")
const right = {
  OUTDIAL_CARRIER: "simulated",
  DATABASE_URL: "postgres://user:hunter2@127.0.0.1:1/outdial",
  OUTDIAL_SECRET_KEY: key
}

/** Wrong values by variable, each with what the message must say beside its name. */
const wrong: ReadonlyArray<readonly [variable: string, value: string, says: RegExp]> = [
  ["DATABASE_URL", "mysql://root:hunter2@db/outdial", /must be the address of a Postgres, such as postgres:/],
  ["DATABASE_URL", "localhost:5432 hunter2", /must be the address of a Postgres/],
  ["OUTDIAL_ROLE", "workers", /must be one of all, api, worker/],
  ["PORT", "http", /must be a whole number from 1 to 65535/],
  ["PORT", "0", /from 1 to 65535/],
  ["PORT", "65536", /from 1 to 65535/],
  ["PORT", "-1", /from 1 to 65535/],
  ["PORT", "4010.5", /from 1 to 65535/],
  ["PORT", "١٢٣", /from 1 to 65535/],
  ["OUTDIAL_PUBLIC_URL", "calls.example.com", /must be an address such as https:/],
  ["OUTDIAL_PUBLIC_URL", "https://calls.example.com?hunter2", /must be an address/],
  ["OUTDIAL_SECRET_KEY", "hunter2", /must be 32 bytes in base64; make one with: openssl/],
  ["OUTDIAL_SECRET_KEY_PREVIOUS", `${key},hunter2`, /must be keys, each 32 bytes in base64/],
  ["OUTDIAL_WEBHOOK_ALLOW", "10.0.0.1", /must be host:port, several of them separated by commas/],
  ["OUTDIAL_LOG_FORMAT", "xml", /must be one of json, pretty/],
  ["OUTDIAL_LOG_LEVEL", "loud", /must be one of debug, info, warn, error/],
  ["OUTDIAL_METRICS_PORT", "0", /from 1 to 65535/],
  ["OUTDIAL_METRICS_TOKEN", "hunter2", /must be at least 16 characters without spaces; make one with: openssl/],
  ["OUTDIAL_METRICS_TOKEN", "hunter2 hunter2 hunter2", /must be at least 16 characters/],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", /must be an address such as http:/],
  ["OTEL_EXPORTER_OTLP_HEADERS", "hunter2", /must be name=value/],
  ["OUTDIAL_DRAIN_DELAY_SECONDS", "301", /must be a whole number from 0 to 300/],
  ["OUTDIAL_DRAIN_SECONDS", "5 seconds", /must be a whole number from 0 to 3600/],
  ["OUTDIAL_DRAIN_SECONDS", "1e3", /must be a whole number/],
  ["OUTDIAL_DRAIN_SECONDS", "99999999999999999999", /must be a whole number/]
]

describe("wrong configuration", () => {
  for (const [variable, value, says] of wrong) {
    it.effect(`ends the start with a word on ${variable}=${value}`, () =>
      Effect.gen(function*() {
        const { run } = yield* CommandLine.inEnvironment({ ...right, [variable]: value })
        const { code, stderr, stdout } = yield* run("serve")
        assert.deepStrictEqual([code, stdout], [1, ""])
        assert.match(stderr, new RegExp(`^outdial: ${variable} `))
        assert.match(stderr, says)
        // One line, without a stack trace, and without what may be secret.
        assert.strictEqual(stderr.trim().split("\n").length, 1)
        assert.notInclude(stderr, "hunter2")
      }))
  }

  it.effect("ends the start where there is no key, no place, or no database", () =>
    Effect.gen(function*() {
      const serve = (variables: Record<string, string>) =>
        Effect.flatMap(CommandLine.inEnvironment(variables), ({ run }) => run("serve"))
      const noKey = yield* serve({ ...right, OUTDIAL_SECRET_KEY: "" })
      assert.match(noKey.stderr, /^outdial: OUTDIAL_SECRET_KEY is not set; make one with/)
      const noPlace = yield* serve({ OUTDIAL_SECRET_KEY: key })
      assert.match(noPlace.stderr, /^outdial: Set DATABASE_URL .* or OUTDIAL_DATA/)
      const noDatabase = yield* serve(right)
      assert.match(
        noDatabase.stderr,
        /^outdial: The database cannot be used \(.*ECONNREFUSED.*\)\. Is Postgres running/
      )
      assert.notInclude(noDatabase.stderr, "hunter2")
      assert.deepStrictEqual([noKey.code, noPlace.code, noDatabase.code], [1, 1, 1])
    }))
})

describe("right configuration", () => {
  it.effect("has headers for a collector as collectors print them, padded base64 included", () =>
    Effect.gen(function*() {
      const list = "Authorization=Basic%20MTIzOmFiYw==,x-scope=a"
      const { headers } = yield* Effect.provideService(
        Effect.gen(function*() {
          return yield* Config.traces
        }),
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown({ OTEL_EXPORTER_OTLP_HEADERS: list })
      )
      assert.deepStrictEqual(Option.map(headers, Redacted.value), Option.some(list))
    }))
})

describe("the reference of the configuration", () => {
  it.effect("has every variable that is read, and no other", () =>
    Effect.gen(function*() {
      const asked = new Set<string>()
      const empty = ConfigProvider.fromUnknown({})
      const recording = ConfigProvider.make((path) => {
        asked.add(path.join("_"))
        return empty.load(path)
      })
      for (const config of [Config.serve, Config.timeZones, Config.client, trunkPassword]) {
        yield* Effect.exit(Effect.provideService(
          Effect.gen(function*() {
            return yield* config
          }),
          ConfigProvider.ConfigProvider,
          recording
        ))
      }
      assert.deepStrictEqual([...asked].sort(), Object.keys(Config.reference).sort())
    }))

  it.effect("has the effective defaults", () =>
    Effect.gen(function*() {
      const config = yield* Effect.provideService(
        Effect.gen(function*() {
          return yield* Config.serve
        }),
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown({})
      )
      assert.deepStrictEqual(
        [
          Config.reference["PORT"]?.default,
          Config.reference["OUTDIAL_LOG_LEVEL"]?.default,
          Config.reference["OTEL_SERVICE_NAME"]?.default,
          Config.reference["OUTDIAL_DRAIN_DELAY_SECONDS"]?.default,
          Config.reference["OUTDIAL_DRAIN_SECONDS"]?.default
        ],
        [
          String(config.port),
          config.logs.level,
          config.traces.serviceName,
          String(Duration.toSeconds(config.draining.delay)),
          String(Duration.toSeconds(config.draining.bound))
        ]
      )
    }))
})
