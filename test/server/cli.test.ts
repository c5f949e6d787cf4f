import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe } from "vitest"
import * as CommandLine from "../../packages/server/test/cli/CommandLine.ts"
import * as DevProcess from "../support/DevProcess.ts"
import * as ServeProcess from "../support/ServeProcess.ts"

const timeout = 300_000

/** What the command does in this environment. */
const runIn = (env: Record<string, string>, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(CommandLine.inEnvironment(env), ({ run }) => run(...args))

describe("the command line", () => {
  it.live(
    "re-encrypts webhook secrets under a new key, and serves none under a key it does not know",
    () =>
      Effect.gen(function*() {
        const data = yield* DevProcess.folderWithDatabase
        const dev = yield* DevProcess.start(data)
        yield* DevProcess.end(dev, "SIGTERM")
        const kept: { readonly secretKey: string } = JSON.parse(
          yield* Effect.promise(() => readFile(join(data, "dev.json"), "utf8"))
        )
        const key = Buffer.alloc(32, 7).toString("base64")
        const reencrypt = (env: Record<string, string>) =>
          runIn({ OUTDIAL_DATA: data, ...env }, "secrets", "reencrypt", "--json")

        const PORT = String(ServeProcess.freePort())
        const env = { OUTDIAL_DATA: data, OUTDIAL_SECRET_KEY: key, OUTDIAL_CARRIER: "simulated", PORT }
        const unknown = yield* runIn(env, "serve")
        assert.match(unknown.stderr, /sealed under another key.*OUTDIAL_SECRET_KEY_PREVIOUS.*outdial secrets reencrypt/)
        const without = yield* reencrypt({ OUTDIAL_SECRET_KEY: key })
        assert.match(without.stderr, /add that key to OUTDIAL_SECRET_KEY_PREVIOUS/)
        const noKey = yield* reencrypt({})
        assert.match(noKey.stderr, /OUTDIAL_SECRET_KEY is not set/)
        const badKey = yield* reencrypt({ OUTDIAL_SECRET_KEY: key, OUTDIAL_SECRET_KEY_PREVIOUS: "x" })
        assert.match(badKey.stderr, /OUTDIAL_SECRET_KEY_PREVIOUS must be keys/)
        assert.deepStrictEqual([unknown.code, without.code, noKey.code, badKey.code], [1, 1, 1, 1])

        const both = { OUTDIAL_SECRET_KEY: key, OUTDIAL_SECRET_KEY_PREVIOUS: kept.secretKey }
        assert.deepStrictEqual(JSON.parse((yield* reencrypt(both)).stdout), { reencrypted: 1 })
        assert.deepStrictEqual(JSON.parse((yield* reencrypt(both)).stdout), { reencrypted: 0 })

        // The development server no longer has the key, and issues another secret.
        const again = yield* DevProcess.start(data)
        assert.notStrictEqual(again.ready.webhook_secret, dev.ready.webhook_secret)
      }),
    timeout
  )

  it.live("says what is missing before it serves", () =>
    Effect.gen(function*() {
      const data = yield* DevProcess.folderWithDatabase
      const serve = (env: Record<string, string>) => runIn(env, "serve")
      const secretKey = Buffer.alloc(32).toString("base64")
      const nowhere = yield* serve({ OUTDIAL_SECRET_KEY: secretKey })
      assert.match(nowhere.stderr, /Set DATABASE_URL.*or OUTDIAL_DATA/)
      const noKey = yield* serve({ OUTDIAL_DATA: data })
      assert.match(noKey.stderr, /OUTDIAL_SECRET_KEY is not set; make one with/)
      const badKey = yield* serve({ OUTDIAL_DATA: data, OUTDIAL_SECRET_KEY: "x" })
      assert.match(badKey.stderr, /OUTDIAL_SECRET_KEY must be 32 bytes in base64/)
      const noCarrier = yield* serve({ OUTDIAL_DATA: data, OUTDIAL_SECRET_KEY: secretKey })
      assert.match(
        noCarrier.stderr,
        /There is no carrier.*set OUTDIAL_CARRIER to twilio, telnyx or asterisk, or to simulated/
      )
      const OUTDIAL_CARRIER = "simulated"
      const wrongCarrier = yield* serve({ OUTDIAL_DATA: data, OUTDIAL_SECRET_KEY: secretKey, OUTDIAL_CARRIER: "phone" })
      assert.match(wrongCarrier.stderr, /OUTDIAL_CARRIER must be simulated, or one or more of asterisk/)
      const env = { OUTDIAL_DATA: data, OUTDIAL_SECRET_KEY: secretKey, OUTDIAL_CARRIER }
      const zones = yield* serve({ ...env, OUTDIAL_TIME_ZONES: "/nowhere" })
      assert.match(zones.stderr, /OUTDIAL_TIME_ZONES names \/nowhere, which cannot be used/)
      const PORT = String(ServeProcess.freePort())
      const metrics = yield* serve({ ...env, PORT, OUTDIAL_METRICS_PORT: PORT })
      assert.match(metrics.stderr, /Set OUTDIAL_METRICS_PORT to a free port/)
      assert.deepStrictEqual(
        [nowhere, noKey, badKey, noCarrier, wrongCarrier, zones, metrics].map(({ code }) => code),
        [1, 1, 1, 1, 1, 1, 1]
      )
    }), timeout)
})
