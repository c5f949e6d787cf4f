import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import * as DevProcess from "../../../../../test/support/DevProcess.ts"
import * as CommandLine from "../CommandLine.ts"

const timeout = 120_000

/** A folder of the dev server with one call that waits for next year. */
const withWaitingCall = Effect.gen(function*() {
  const data = yield* DevProcess.folderWithDatabase
  const dev = yield* DevProcess.start(data)
  const notBefore = new Date(Date.now() + 40 * 86_400_000).toISOString()
  const { body } = yield* DevProcess.request(dev.ready, "POST", "/v1/calls", {
    agent_id: dev.ready.agent_id,
    phone_number: "+14155550101",
    not_before: notBefore,
    variables: { appointment: "Tuesday" }
  })
  yield* DevProcess.end(dev, "SIGTERM")
  return { ...(yield* CommandLine.over(data)), callId: String(body["id"]), notBefore }
})

describe("outdial explain", () => {
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
})

describe("outdial preview", () => {
  it.live("shows the results of the rules for a number without a queued call", () =>
    Effect.gen(function*() {
      const { file, json, run } = yield* CommandLine.open
      yield* run("accounts", "create", "Clinic", "--policy", yield* file("p.json", "{\"calling_hours\": {}}"))
      const agent = yield* json(
        "agents",
        "put",
        yield* file("agent.json", JSON.stringify({ name: "Bea", script: "Hi", questions: [], dispositions: ["ok"] }))
      )
      const never = yield* json("preview", "+81 3 1234 5678")
      assert.deepInclude(never, { object: "explanation", phone_number: "+81312345678", time_zones: ["Asia/Tokyo"] })
      assert.deepInclude(never, { decision: "refuse", code: "number_not_allowed" })
      yield* run("accounts", "set", "--policy", yield* file("open.json", "{\"calling_hours\": null}"))
      const open = yield* json("preview", "+14155550101", "--agent", agent.id, "--time-zone", "Asia/Dubai")
      assert.deepInclude(open, { decision: "dial", time_zones: ["Asia/Dubai"] })
      assert.match((yield* run("preview", "+14155550101")).stdout, /decision +dial now\n$/)
      yield* run("do-not-call", "add", "+14155550101")
      assert.match((yield* run("preview", "+14155550101")).stdout, /decision +refuse: number_do_not_call/)

      const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
        [["five\u001b[31m"], /"five\\u001b\[31m" is no telephone number/],
        [["+1"], /is no telephone number/],
        [["+14155550101", "--time-zone", "Mars/Base"], /"Mars\/Base" is not a known time zone/],
        [["+14155550101", "--agent", "7b0c4f52-6f0e-4d5f-9a43-0c9f2f1f9d11"], /There is no agent 7b0c4f52/],
        [["+14155550101", "--agent", "Bea"], /must be a UUID/]
      ]
      for (const [args, message] of wrong) {
        const result = yield* run("preview", ...args)
        assert.deepStrictEqual([result.code, message.test(result.stderr)], [1, true], result.stderr)
      }
    }), timeout)
})
