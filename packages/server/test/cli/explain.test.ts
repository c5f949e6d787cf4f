import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import * as CommandLine from "./CommandLine.ts"

const timeout = 60_000

describe("outdial preview", () => {
  it.live("tells what the rules make of a number that nobody has queued", () =>
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
      const open = yield* json("preview", "+14155550101", "--agent", agent.id, "--time-zone", "Asia/Kathmandu")
      assert.deepInclude(open, { decision: "dial", time_zones: ["Asia/Kathmandu"] })
      assert.match((yield* run("preview", "+14155550101")).stdout, /decision +dial now\n$/)
      yield* run("do-not-call", "add", "+14155550101")
      assert.match((yield* run("preview", "+14155550101")).stdout, /decision +refuse: number_do_not_call/)

      const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
        [["five\u001b[31m"], /"five\\u001b\[31m" is no telephone number/],
        [["+1"], /is no telephone number/],
        [["+14155550101", "--time-zone", "Mars/Base"], /"Mars\/Base" is not a time zone/],
        [["+14155550101", "--agent", "7b0c4f52-6f0e-4d5f-9a43-0c9f2f1f9d11"], /There is no agent 7b0c4f52/],
        [["+14155550101", "--agent", "Bea"], /must be a UUID/]
      ]
      for (const [args, message] of wrong) {
        const result = yield* run("preview", ...args)
        assert.deepStrictEqual([result.code, message.test(result.stderr)], [1, true], result.stderr)
      }
    }), timeout)
})
