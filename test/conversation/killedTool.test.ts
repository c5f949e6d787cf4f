/** Tools of a process that is killed while one of them runs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as DevProcess from "../support/DevProcess.ts"

const script = "test/conversation/tools.process.ts"

const decodeCall = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  outcome: Schema.Struct({
    transcript: Schema.Array(Schema.Struct({ speaker: Schema.String, text: Schema.String }))
  })
})))

describe("a process that is killed while a tool runs", () => {
  it.live(
    "leaves its intent: the next one runs no tool again, and answers from the record",
    () =>
      Effect.gen(function*() {
        const folder = yield* DevProcess.folderWithDatabase
        const runs = Effect.map(
          DevProcess.lines(folder, "runs.jsonl"),
          (lines) => lines.map(({ day, key }) => [day, key])
        )
        const first = yield* DevProcess.spawnScript(script, [folder, "begin"])
        // The tool begins when its intent is stored, and never ends.
        yield* DevProcess.eventually(
          Effect.filterOrFail(
            runs,
            (ran) => ran.some(([day]) => day === "Tuesday"),
            () => new DevProcess.NotYet({ seen: JSON.stringify(first.output()) })
          )
        )
        yield* DevProcess.end(first, "SIGKILL")
        assert.strictEqual(first.output().stdout, "")

        const second = yield* DevProcess.spawnScript(script, [folder, "continue"])
        const call = yield* DevProcess.eventually(Effect.try({
          try: () => decodeCall(second.output().stdout),
          catch: () => new DevProcess.NotYet({ seen: JSON.stringify(second.output()) })
        }))
        assert.deepStrictEqual(yield* runs, [["Monday", `${call.id}/1`], ["Tuesday", `${call.id}/2`]])
        assert.strictEqual(call.status, "completed")
        assert.deepStrictEqual(call.outcome.transcript.slice(-2).map(({ text }) => text), [
          "Monday: {\"booked\":\"Monday\"}.",
          "Tuesday: unknown."
        ])
      }),
    120_000
  )
})
