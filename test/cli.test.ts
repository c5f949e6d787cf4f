import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe } from "vitest"
import * as CommandLine from "./support/CommandLine.ts"
import * as DevProcess from "./support/DevProcess.ts"

const timeout = 60_000

/** A folder of the dev server with one call that waits for next year. */
const withWaitingCall = Effect.gen(function*() {
  const data = yield* DevProcess.folder
  const dev = yield* DevProcess.start(data)
  const notBefore = new Date(Date.now() + 40 * 86_400_000).toISOString()
  const { body } = yield* DevProcess.request(dev.ready, "POST", "/v1/calls", {
    agent_id: dev.ready.agent_id,
    phone_number: "+14155550101",
    not_before: notBefore,
    variables: { appointment: "Tuesday" }
  })
  yield* DevProcess.end(dev, "SIGTERM")
  return { ...CommandLine.over(data), callId: String(body["id"]), notBefore }
})

/** Hardly anybody else's: `serve` takes no port 0. */
const freePort = String(20_000 + process.pid % 40_000)

describe("the command line", () => {
  it.live("manages accounts, agents and keys of a folder", () =>
    Effect.gen(function*() {
      const { file, json, run } = CommandLine.over(yield* DevProcess.folder)

      const none = yield* run("agents", "list")
      assert.strictEqual(none.code, 1)
      assert.match(none.stderr, /outdial accounts create/)

      const account = yield* json("accounts", "create", "Clinic", "--lines", "3")
      assert.deepInclude(account, { name: "Clinic", lines: 3, paused: false })
      assert.deepInclude(yield* json("accounts", "set", "--paused", "true"), { lines: 3, paused: true })

      const agent = yield* file(
        "agent.json",
        JSON.stringify({
          name: "Bea",
          script: "Hi {{when}}",
          questions: [],
          dispositions: ["ok"],
          voicemail_message: "x"
        })
      )
      assert.deepInclude(yield* json("agents", "put", agent), { name: "Bea", version: 1 })
      yield* file("agent.json", JSON.stringify({ name: "Bea" }))
      const wrong = yield* run("agents", "put", agent)
      assert.strictEqual(wrong.code, 1)
      assert.match(wrong.stderr, /script/)

      const key = yield* json("keys", "create", "--scope", "calls:read", "--expires", "2099-01-01T00:00:00Z")
      assert.match(key.api_key, /^vak_call_/)
      assert.deepInclude(key, { scopes: ["calls:read"], expires_at: "2099-01-01T00:00:00.000Z" })
      yield* run("keys", "revoke", key.id)
      const [listed] = yield* json("keys", "list")
      assert.notProperty(listed, "api_key")
      assert.property(listed, "revoked_at")
    }), timeout)

  it.live("explains a waiting call, and cancels it when its number is not to be called", () =>
    Effect.gen(function*() {
      const { callId, fed, json, notBefore, run } = yield* withWaitingCall
      const waiting = yield* json("explain", callId)
      assert.deepInclude(waiting, { call_id: callId, decision: "wait", code: "not_before", scheduled_for: notBefore })
      const { stdout } = yield* run("explain", callId)
      assert.match(stdout, /rule +now +next allowed \(UTC\) +in the callee's zone/)
      assert.match(stdout, /\noutside_calling_hours +allows +time_zones \["America\/Los_Angeles"\]/)
      assert.match(
        stdout,
        new RegExp(`\nnot_before +holds +${notBefore} +\\w{3} [\\d-]+ [\\d:]+ America/Los_Angeles +not_before`)
      )
      assert.match(stdout, new RegExp(`decision +wait: not_before .*\nscheduled_for +${notBefore} = `))

      const imported = yield* fed("+1 (415) 555-0101\n", "do-not-call", "import", "-")
      assert.deepStrictEqual([imported.code, imported.stdout], [0, "1 number added, 1 waiting call canceled\n"])
      const canceled = yield* run("explain", callId)
      assert.match(canceled.stdout, new RegExp(`^${callId} is canceled\n`))
      assert.match(canceled.stdout, /decision +none, .*: do_not_call \(/)
      assert.match((yield* run("explain", "call_0")).stderr, /There is no call call_0/)
      assert.match((yield* run("explain", "\u001b[2J")).stderr, /must be an id that begins with "call_"/)
    }), timeout)

  it.live(
    "re-encrypts webhook secrets under a new key, and serves none under a key it does not know",
    () =>
      Effect.gen(function*() {
        const data = yield* DevProcess.folder
        const dev = yield* DevProcess.start(data)
        yield* DevProcess.end(dev, "SIGTERM")
        const kept: { readonly secretKey: string } = JSON.parse(
          yield* Effect.promise(() => readFile(join(data, "dev.json"), "utf8"))
        )
        const key = Buffer.alloc(32, 7).toString("base64")
        const reencrypt = (env: Record<string, string>) =>
          CommandLine.run(["secrets", "reencrypt", "--json"], { env: { OUTDIAL_DATA: data, ...env } })

        const unknown = yield* CommandLine.run(["serve"], {
          env: { OUTDIAL_DATA: data, OUTDIAL_SECRET_KEY: key, PORT: freePort }
        })
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
    120_000
  )

  it.live("says what is missing before it serves", () =>
    Effect.gen(function*() {
      const data = yield* DevProcess.folder
      const serve = (env: Record<string, string>) => CommandLine.run(["serve"], { env })
      const secretKey = Buffer.alloc(32).toString("base64")
      const nowhere = yield* serve({ OUTDIAL_SECRET_KEY: secretKey })
      assert.match(nowhere.stderr, /Set DATABASE_URL.*or OUTDIAL_DATA/)
      const noKey = yield* serve({ OUTDIAL_DATA: data })
      assert.match(noKey.stderr, /OUTDIAL_SECRET_KEY is not set; make one with/)
      const badKey = yield* serve({ OUTDIAL_DATA: data, OUTDIAL_SECRET_KEY: "x" })
      assert.match(badKey.stderr, /OUTDIAL_SECRET_KEY must be 32 bytes in base64/)
      const zones = yield* serve({ OUTDIAL_DATA: data, OUTDIAL_SECRET_KEY: secretKey, OUTDIAL_TIME_ZONES: "/nowhere" })
      assert.match(zones.stderr, /OUTDIAL_TIME_ZONES names \/nowhere, which cannot be used/)
      assert.deepStrictEqual([nowhere.code, noKey.code, badKey.code, zones.code], [1, 1, 1, 1])
    }), timeout)
})
