/** `outdial dev --carrier fake-twilio` and `fake-telnyx`: the carriers over fakes in the same process. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FakeCarrier from "../../packages/server/src/dev/FakeCarrier.ts"
import * as CarrierEngine from "../telephony/fake/CarrierEngine.ts"
import * as DevProcess from "../support/DevProcess.ts"

describe.concurrent("a fake carrier in the process", () => {
  for (const name of FakeCarrier.names) {
    it.live(
      `${name} is called over its API and its relay, and numbers choose what becomes of a call`,
      () =>
        Effect.gen(function*() {
          const path = yield* Effect.context<NodeServices.NodeServices>()
          const host = yield* CarrierEngine.openWith((publicUrl) =>
            Effect.provideContext(FakeCarrier.telephony(name, { publicUrl, speed: 20 }), path)
          )
          const numbers = ["+14155550101", "+14155550105", "+14155550106", "+14155550109", "+14155550129"]
          const started = yield* Effect.forEach(numbers, (number) => CarrierEngine.start(host, number))
          const ended = yield* Effect.forEach(started, ({ id }) => CarrierEngine.ended(host, id))
          assert.deepStrictEqual(
            ended.map(({ status }) => status),
            ["completed", "busy", "no_answer", "failed", "completed"]
          )
          assert.deepStrictEqual(ended[0]?.outcome?.answers, { "Will you come on Tuesday?": "Yes, I will." })
        }).pipe(Effect.provide(NodeServices.layer)),
      300_000
    )
  }

  it.live("keeps nothing on disk, because it forgets its calls", () =>
    Effect.gen(function*() {
      const { child, output } = yield* DevProcess.spawnOutdial(["dev", "--carrier", "fake-twilio", "--data", "folder"])
      const code = yield* Effect.callback<number | null>((resume) => {
        child.on("exit", (code) => resume(Effect.succeed(code)))
      }).pipe(Effect.timeout("100 seconds"))
      assert.strictEqual(code, 1)
      assert.include(output().stderr, "--carrier fake-twilio needs --data :memory:")
    }), 300_000)
})
