/** `outdial serve --config`: a module with the parts of the server that are code. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe } from "vitest"
import * as DevProcess from "../support/DevProcess.ts"
import * as ServeProcess from "../support/ServeProcess.ts"

const module = resolve(import.meta.dirname, "../support/clinic.config.ts")

/** The exit code of a process, whether it is still running or not. */
const exitCode = (child: DevProcess.DevProcess["child"]) =>
  Effect.promise(() =>
    new Promise<number | null>((resolve) => {
      if (child.exitCode !== null) resolve(child.exitCode)
      else child.once("exit", resolve)
    })
  )

/** What `serve` says of a configuration that it does not take, with its exit code. */
const refused = Effect.fnUntraced(function*(text: string | undefined) {
  const folder = yield* DevProcess.folder
  const file = join(folder, "outdial.config.mjs")
  if (text !== undefined) writeFileSync(file, text)
  const { child, output } = yield* DevProcess.spawnOutdial(["serve", "--config", file], {
    OUTDIAL_DATA: join(folder, "data"),
    OUTDIAL_SECRET_KEY: ServeProcess.secretKey,
    PORT: String(ServeProcess.freePort())
  })
  const code = yield* exitCode(child)
  return { code, said: output().stderr }
})

describe("outdial serve --config", () => {
  it.live("dials by the module's carrier and takes its outcomes", () =>
    Effect.gen(function*() {
      const server = yield* ServeProcess.start({ OUTDIAL_CONFIG: module })
      const body = { agent_id: server.agentId, phone_number: "+14155550100", contact: { time_zone: "UTC" } }
      // Whatever the time is, the call may be dialed.
      const open = yield* DevProcess.spawnOutdial(
        ["accounts", "set", "--policy", policyFile(yield* DevProcess.folder)],
        {
          DATABASE_URL: server.databaseUrl
        }
      )
      assert.strictEqual(yield* exitCode(open.child), 0)
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
    }), 120_000)

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
    120_000
  )
})

const policyFile = (folder: string) => {
  const file = join(folder, "policy.json")
  writeFileSync(file, JSON.stringify({ calling_hours: null }))
  return file
}
