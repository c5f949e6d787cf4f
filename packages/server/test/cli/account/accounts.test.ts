import { assert, it } from "@effect/vitest"
import { Agents, ApiKeys } from "@outdial/core"
import { Context, Effect, Redacted } from "effect"
import { describe } from "vitest"
import * as CommandLine from "../CommandLine.ts"

const timeout = 120_000

describe("accounts, agents and keys at the command line", () => {
  it.live("are made, changed and listed", () =>
    Effect.gen(function*() {
      const { fed, file, json, run, services } = yield* CommandLine.open

      const none = yield* run("agents", "list")
      assert.strictEqual(none.code, 1)
      assert.match(none.stderr, /outdial accounts create/)

      const account = yield* json("accounts", "create", "Clinic", "--lines", "3")
      assert.deepInclude(account, { name: "Clinic", lines: 3, paused: false })
      assert.deepInclude(yield* json("accounts", "set", "--paused", "true"), { lines: 3, paused: true })

      const bea = JSON.stringify({
        name: "Bea",
        script: "Hi {{when}}",
        questions: [],
        dispositions: ["ok"],
        voicemail_message: "x"
      })
      const agent = yield* file("agent.json", bea)
      assert.deepInclude(yield* json("agents", "put", agent), { name: "Bea", version: 1 })
      yield* file(
        "agent.json",
        JSON.stringify({
          name: "Bea",
          script: "Hi",
          questions: [],
          dispositions: ["ok"],
          max_duration_seconds: 5,
          silence_second: 5,
          voicemail: "leave_message"
        })
      )
      const wrong = yield* run("agents", "put", agent)
      assert.deepStrictEqual(wrong, {
        code: 1,
        stdout: "",
        stderr:
          `outdial: ${agent} is not an agent:\n  /silence_second is not a known field; did you mean silence_seconds?\n` +
          "  /max_duration_seconds must be 10 to 14400 seconds\n"
      })
      const withFields = {
        ...JSON.parse(bea),
        first_message: "Hello",
        max_duration_seconds: 60,
        end_phrases: ["stop"],
        model: "fast"
      }
      const put = yield* fed(JSON.stringify(withFields), "agents", "put", "-", "--json")
      const { id } = JSON.parse(put.stdout)
      const [stored] = yield* Effect.flatMap(Agents.Agents, ({ list }) => list(account.id)).pipe(
        Effect.provideContext(services)
      )
      assert.deepInclude(stored, {
        id,
        firstMessage: "Hello",
        maxDurationSeconds: 60,
        endPhrases: ["stop"],
        model: "fast"
      })

      const expired = yield* run("keys", "create", "--scope", "calls:read", "--expires", "2020-01-01T00:00:00Z")
      assert.deepStrictEqual([expired.code, expired.stderr], [1, "outdial: --expires must be in the future\n"])
      assert.deepStrictEqual(yield* json("keys", "list"), [])
      const key = yield* json("keys", "create", "--scope", "calls:read", "--expires", "2099-01-01T00:00:00Z")
      assert.match(key.api_key, /^vak_call_/)
      assert.deepInclude(key, { scopes: ["calls:read"], expires_at: "2099-01-01T00:00:00.000Z" })
      assert.notProperty(key, "last_used_at")
      yield* Context.get(services, ApiKeys.ApiKeys).authenticate(Redacted.make(key.api_key))
      yield* run("keys", "revoke", key.id)
      const [listed] = yield* json("keys", "list")
      assert.notProperty(listed, "api_key")
      assert.property(listed, "revoked_at")
      assert.match(listed.last_used_at, /:00\.000Z$/)
      assert.include((yield* run("keys", "list")).stdout, `used ${listed.last_used_at}`)
    }), timeout)
})
