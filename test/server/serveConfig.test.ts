/** `outdial serve --config`: a module with the parts of the server that are code. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { describe } from "vitest"
import * as CommandLine from "../../packages/server/test/cli/CommandLine.ts"
import * as Process from "../support/CommandLine.ts"
import * as DevProcess from "../support/DevProcess.ts"
import * as ServeProcess from "../support/ServeProcess.ts"

const module = resolve(import.meta.dirname, "../support/clinic.config.ts")
const usersModule = resolve(import.meta.dirname, "../support/clinicUsers.config.ts")

/** What `serve` says of a configuration that it does not take, with its exit code. */
const refused = Effect.fnUntraced(function*(text: string | undefined, env: Record<string, string> = {}) {
  const folder = yield* DevProcess.folder
  const file = join(folder, "outdial.config.mjs")
  if (text !== undefined) writeFileSync(file, text)
  const { run } = yield* CommandLine.inEnvironment({
    OUTDIAL_DATA: join(folder, "data"),
    OUTDIAL_SECRET_KEY: ServeProcess.secretKey,
    PORT: String(ServeProcess.freePort()),
    ...env
  })
  const { code, stderr } = yield* run("serve", "--config", file)
  return { code, said: stderr }
})

describe("outdial serve --config", () => {
  it.live("dials by the module's carrier and uses its outcomes", () =>
    Effect.gen(function*() {
      const server = yield* ServeProcess.start({ OUTDIAL_CONFIG: module })
      const body = { agent_id: server.agentId, phone_number: "+14155550100", contact: { time_zone: "UTC" } }
      yield* setPolicy(server.databaseUrl)
      const started = yield* Effect.promise(() => server.request("POST", "/v1/calls", body))
      assert.strictEqual(started.status, 201)
      const call = yield* DevProcess.eventually(
        Effect.flatMap(
          Effect.promise(() => server.request("GET", `/v1/calls/${started.body.id}`)),
          ({ body }) => body.outcome === null ? Effect.fail(body) : Effect.succeed(body)
        )
      )
      assert.deepInclude(call, { status: "completed", answered_by: "human" })
      assert.deepInclude(call.outcome, { disposition: "done", summary: "They said: Yes, gladly", lead_rating: 9 })
      assert.notInclude(server.output().stderr, "phones are simulated")
    }), 300_000)

  it.live(
    "lets in the module's users alone, holds each to a limit, and keeps recordings in the module's store",
    () =>
      Effect.gen(function*() {
        const recordings = yield* DevProcess.folder
        const env = { OUTDIAL_CONFIG: usersModule, CLINIC_RECORDINGS: recordings }
        const server = yield* ServeProcess.start(env)
        const ask = (role: string | undefined, method: string, path: string, body?: unknown) =>
          Effect.promise(() =>
            server.request(
              method,
              path,
              body,
              role === undefined ? undefined : { "x-clinic-user": `${server.accountId} ${role}` }
            )
          )
        // API keys open nothing once the module says who may ask.
        assert.strictEqual((yield* ask(undefined, "GET", "/v1/agents")).status, 401)
        assert.strictEqual((yield* ask("nurse", "GET", "/v1/calls")).status, 200)
        const phoneNumber = "+14155550100"
        const body = { agent_id: server.agentId, phone_number: phoneNumber, test: true }
        assert.strictEqual((yield* ask("nurse", "POST", "/v1/calls", body)).status, 403)
        yield* setPolicy(server.databaseUrl)
        const started = yield* ask("doctor", "POST", "/v1/calls", {
          ...body,
          test: false,
          contact: { time_zone: "UTC" }
        })
        assert.strictEqual(started.status, 201, JSON.stringify(started.body))
        const call = yield* DevProcess.eventually(
          Effect.flatMap(
            ask("nurse", "GET", `/v1/calls/${started.body.id}`),
            ({ body }) => body.recording_url == null ? Effect.fail(body) : Effect.succeed(body)
          )
        )
        const file = join(recordings, `${call.id}.wav`)
        assert.strictEqual(readFileSync(file, "utf8"), "RIFF")
        const audio = yield* Effect.promise(() => fetch(call.recording_url.replace(/^https?:\/\/[^/]+/, server.url)))
        assert.deepStrictEqual([audio.status, yield* Effect.promise(() => audio.text())], [200, "RIFF"])

        const statuses = yield* Effect.forEach(Array.from({ length: 41 }), () =>
          Effect.map(ask("porter", "GET", "/v1/agents"), ({ status }) => status))
        assert.deepStrictEqual(statuses.slice(-2), [200, 429])
        assert.strictEqual((yield* ask("nurse", "GET", "/v1/agents")).status, 200)

        // A process, whose environment the module reads.
        const erased = yield* Process.run(["erase", phoneNumber], {
          env: { DATABASE_URL: server.databaseUrl, OUTDIAL_SECRET_KEY: ServeProcess.secretKey, ...env }
        })
        assert.strictEqual(erased.code, 0, erased.stderr)
        assert.isFalse(existsSync(file))
      }),
    300_000
  )

  it.live(
    "refuses a module beside a simulated carrier, and one without a carrier",
    () =>
      Effect.gen(function*() {
        const both = yield* refused(
          `import clinic from ${JSON.stringify(pathToFileURL(module).href)}\nexport default clinic`,
          {
            OUTDIAL_CARRIER: "simulated"
          }
        )
        assert.match(
          both.said,
          /OUTDIAL_CARRIER=simulated and telephony in the configuration module exclude each other/
        )
        const neither = yield* refused("export default {}")
        assert.match(neither.said, /There is no carrier/)
        assert.deepStrictEqual([both.code, neither.code], [1, 1])
      }),
    300_000
  )

  it.live(
    "refuses a module that is not there, fails, or gives what it does not know, and says what to do",
    () =>
      Effect.gen(function*() {
        for (
          const [text, message] of [
            [undefined, /There is no file .*outdial\.config\.mjs/],
            ["throw new Error('no token')", /cannot be loaded: .*no token/],
            ["export const config = {}", /no configuration as its default export/],
            ["export default { telefony: 1 }", /unknown key telefony, did you mean telephony\?/],
            ["export default { telephony: 1 }", /telephony must be a layer/],
            ["export default { requestsPerMinute: 10 }", /requestsPerMinute needs authenticate/]
          ] as const
        ) {
          const { code, said } = yield* refused(text)
          assert.strictEqual(code, 1, said)
          assert.match(said, message)
        }
      }),
    300_000
  )
})

/** A policy without calling hours: the call may be dialed at any time. */
const setPolicy = Effect.fnUntraced(function*(databaseUrl: string) {
  const file = join(yield* DevProcess.folder, "policy.json")
  writeFileSync(file, JSON.stringify({ calling_hours: null }))
  const { run } = yield* CommandLine.inEnvironment({ DATABASE_URL: databaseUrl })
  const { code, stderr } = yield* run("accounts", "set", "--policy", file)
  assert.strictEqual(code, 0, stderr)
})
