/** Calls that are hung up by us, by their phones, or by both at once, at every moment of a dial and of a conversation. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Calls from "../Calls.ts"
import * as Pbx from "../Pbx.ts"
import * as SipPhone from "../SipPhone.ts"

const calls = 48

/** The phone of a call replies, answers and hangs up at different times. */
const behaviourOf = (index: number): SipPhone.Behaviour => ({
  repliesAfter: (index % 4) * 40,
  answersAfter: (index % 5) * 30,
  hangsUpAfter: (index % 3) * 40
})

describe("A call over Asterisk that is hung up", () => {
  it.live(
    "at any moment, by either side, rings at most once, ends once, and leaves nothing behind",
    () =>
      Effect.gen(function*() {
        const phones = yield* SipPhone.make
        phones.behave((number) => behaviourOf(Number(number.slice(-2))))
        const pbx = yield* Pbx.make({ phones: phones.port })
        const node = yield* Calls.node(pbx)
        const placed = yield* Effect.forEach(
          Array.from({ length: calls }, (_, index) => index),
          Effect.fnUntraced(function*(index) {
            const call = yield* Calls.newCall(`+155512300${String(index).padStart(2, "0")}`)
            const dialing = Calls.dialCall(node, call)
            const hangingUp = (after: number) => Effect.delay(node.telephony.hangUp(call), after)
            // During the dial, or after it.
            const [{ verdict }] = index % 2 === 0
              ? yield* Effect.all([dialing, hangingUp(index)], { concurrency: "unbounded" })
              : [yield* dialing, yield* hangingUp((index * 7) % 200)]
            return { ...call, verdict }
          }),
          { concurrency: 6 }
        )
        for (const { callId, verdict } of placed) {
          const rings = phones.calls.filter((call) => call.callId === callId).length
          if (verdict === "unavailable") {
            assert.strictEqual(rings, 0)
            assert.deepStrictEqual(Calls.eventsOf(node, callId), [])
            continue
          }
          assert.strictEqual(verdict, "taken")
          const { answeredAt, result } = yield* Calls.endOf(node, callId)
          assert.strictEqual(result, answeredAt === undefined ? "no_answer" : "hung_up")
          assert.strictEqual(rings, 1)
        }
        yield* Calls.untilClean(pbx)
        for (const { callId, verdict } of placed) {
          const ends = Calls.eventsOf(node, callId).filter(({ _tag }) => _tag === "Ended")
          assert.lengthOf(ends, verdict === "taken" ? 1 : 0)
        }
        assert.isTrue(phones.calls.every(({ state }) => state === "over"))
        assert.isTrue(node.held.every(({ isOver }) => isOver))
      }),
    60_000
  )
})
