import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { describe } from "vitest"
import * as InProcess from "../../packages/server/test/cli/CommandLine.ts"
import * as CommandLine from "../support/CommandLine.ts"
import * as DevProcess from "../support/DevProcess.ts"

const timeout = 300_000

/** The speed leaves the commands time to see every state. */
const started = Effect.gen(function*() {
  const data = yield* DevProcess.folderWithDatabase
  const dev = yield* DevProcess.start(data, "--speed", "10")
  const call = (...args: ReadonlyArray<string>) =>
    CommandLine.run(["call", "--data", data, "--variable", "appointment=Tuesday", ...args])
  return { call, data, dev }
})

const decodeCall = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({
  status: Schema.String,
  outcome: Schema.Struct({ disposition: Schema.String })
})))

describe("outdial call", { concurrent: true }, () => {
  it.live("places a call on the server of npm start, and shows it to its outcome", () =>
    Effect.gen(function*() {
      const { call } = yield* started
      const { code, stderr, stdout } = yield* call("+14155550101", "--agent", "ada", "--contact", "Grace")
      assert.deepStrictEqual([code, stderr], [0, ""])
      const lines = stdout.trim().split("\n")
      const conversation = [
        "  Ada: Hello Grace, this is Ada from the Riverside Clinic. I am calling about your appointment on Tuesday.",
        "  Grace: Yes, this is a good time.",
        "  Ada: Will you be able to come?",
        "  Grace: Yes, that suits me.",
        "  Ada: Have your symptoms changed since your last visit?",
        "  Grace: I think so.",
        "  Ada: Thank you for your time. Goodbye."
      ]
      assert.deepStrictEqual(lines.filter((line) => /^ {2}(?:Ada|Grace): /u.test(line)), conversation)
      assert.match(lines.at(-4) ?? "", /^Ended: completed after \d+ s$/u)
      assert.deepStrictEqual(lines.slice(-3), [
        "  confirmed: The contact answered all 2 questions.",
        "  Will you be able to come? Yes, that suits me.",
        "  Have your symptoms changed since your last visit? I think so."
      ])
    }), timeout)

  it.live(
    "prints the call as the interface does with --json, and says what to do when it fails",
    () =>
      Effect.gen(function*() {
        const { call, data, dev } = yield* started
        const { code, stdout } = yield* call("+14155550102", "--agent", "Ada", "--json")
        assert.strictEqual(code, 0)
        assert.deepStrictEqual(decodeCall(stdout), { status: "completed", outcome: { disposition: "confirmed" } })
        const busy = yield* call("+14155550105", "--agent", "ada")
        assert.deepStrictEqual([busy.code, busy.stderr], [1, "outdial: The call was not completed: it is busy\n"])
        const refusals: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
          [["12345", "--agent", "ada"], /phone_number must be a telephone number in E\.164 form/u],
          [["+14155550100", "--agent", "bob"], /There is no agent "bob"\. There are: Ada/u],
          [["+14155550100", "--agent", "ada", "--url", dev.ready.url], /Set OUTDIAL_API_KEY to a key for http/u]
        ]
        const inProcess = yield* InProcess.withoutDatabase
        const place = ["call", "--data", data, "--variable", "appointment=Tuesday"]
        for (const [args, message] of refusals) {
          const { code, stderr } = yield* inProcess.run(...place, ...args)
          assert.strictEqual(code, 1)
          assert.match(stderr, message)
        }
        const nowhere = yield* inProcess.run("call", "+14155550100", "--agent", "ada", "--data", "nowhere")
        assert.match(nowhere.stderr, /There is no server in nowhere\. Run npm start/u)
        const without = yield* inProcess.run("call", "+14155550100", "--agent", "ada", "--data", data)
        assert.match(without.stderr, /needs values: give --variable 'appointment=…'/u)
        const stranger = yield* InProcess.inEnvironment({ OUTDIAL_API_KEY: "wrong" })
        const wrong = yield* stranger.run("call", "+14155550100", "--agent", "ada", "--url", dev.ready.url)
        assert.match(wrong.stderr, /The API key is not valid/u)
      }),
    timeout
  )

  it.live("goes on watching when the server is started again", () =>
    Effect.gen(function*() {
      const data = yield* DevProcess.folderWithDatabase
      const first = yield* DevProcess.startWith({}, data, "--speed", "10")
      const { port } = new URL(first.ready.url)
      const watching = yield* Effect.forkChild(
        CommandLine.run(["call", "--data", data, "+14155550101", "--agent", "ada", "--variable", "appointment=Tuesday"])
      )
      yield* DevProcess.eventually(Effect.suspend(() =>
        first.output().stderr.includes("Will you be able to come?")
          ? Effect.void
          : Effect.fail(new DevProcess.NotYet({ seen: first.output().stderr }))
      ))
      yield* DevProcess.end(first, "SIGKILL")
      yield* DevProcess.start(data, "--speed", "10", "--port", port)
      const { code, stdout } = yield* Fiber.join(watching)
      assert.strictEqual(code, 0)
      assert.lengthOf(stdout.match(/Ada: Will you be able to come\?/gu) ?? [], 1)
      assert.include(stdout, "Ended: completed")
    }), timeout)
})
