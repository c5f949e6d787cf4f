/** A call over a real Asterisk, from its dial to its end. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import * as Calls from "./Calls.ts"
import * as Pbx from "./Pbx.ts"
import * as SipPhone from "./SipPhone.ts"

/** What each number does, by its last digit. */
const behaviours: ReadonlyArray<SipPhone.Behaviour> = [
  {},
  { answersAfter: 100, hangsUpAfter: 300 },
  { answersAfter: 100 },
  { hasEarlyMedia: true, says: new Uint8Array(8_000).fill(0x10), answersAfter: 500, hangsUpAfter: 500 },
  { answersAfter: 0, hangsUpAfter: 0 },
  { isDead: true }
]

const phone = (behaviour: number, index = 0) => `+1555123${String(index).padStart(3, "0")}${behaviour}`

const started = Effect.gen(function*() {
  const phones = yield* SipPhone.make
  phones.behave((number) => behaviours[Number(number.slice(-1))] ?? {})
  const pbx = yield* Pbx.make({ phones: phones.port })
  return { phones, pbx, node: yield* Calls.node(pbx) }
})

const soon = <A>(find: () => A | undefined) => Calls.eventually(Effect.sync(find))

describe("A call over Asterisk", () => {
  it.live(
    "rings once, is answered, is hung up by either side, and leaves nothing behind",
    () =>
      Effect.gen(function*() {
        const { node, pbx, phones } = yield* started
        const first = yield* Calls.dialUntilTaken(node, phone(1))
        const end = yield* Calls.endOf(node, first.callId)
        assert.deepStrictEqual(
          Calls.eventsOf(node, first.callId).map(({ _tag }) => _tag),
          ["Ringing", "Answered", "Ended"]
        )
        const [, answered] = Calls.eventsOf(node, first.callId)
        assert.deepStrictEqual(answered?._tag === "Answered" ? answered.at : undefined, end.answeredAt)
        assert.isAtMost(Duration.toMillis(DateTime.distance(end.answeredAt ?? end.at, end.at)), 20_000)

        const second = yield* Calls.dialUntilTaken(node, phone(2))
        const held = yield* soon(() => node.held.find(({ callId }) => callId === second.callId))
        yield* held.line.hangUp
        assert.strictEqual((yield* Calls.endOf(node, second.callId)).result, "hung_up")

        const third = yield* Calls.dialUntilTaken(node, phone(0))
        yield* soon(() => Calls.eventsOf(node, third.callId).find(({ _tag }) => _tag === "Ringing"))
        yield* node.telephony.hangUp(third)
        assert.strictEqual((yield* node.telephony.lookUp(third))._tag, "Ended")
        assert.strictEqual((yield* Calls.endOf(node, third.callId)).result, "no_answer")

        // Hung up before the trunk could reply, which does not mean that the trunk is down.
        const fourth = yield* Calls.dialUntilTaken(node, phone(5))
        yield* node.telephony.hangUp(fourth)
        const early = yield* Calls.endOf(node, fourth.callId)
        assert.deepStrictEqual([early.result, early.carrierReason], ["no_answer", undefined])
        assert.deepStrictEqual(yield* node.telephony.lookUp(fourth), { _tag: "Ended", event: early })
        assert.deepStrictEqual(
          phones.calls.map(({ callId }) => callId),
          [first, second, third, fourth].map(({ callId }) => callId)
        )
        const rung = phones.calls.slice(0, -1)
        assert.deepStrictEqual(rung.map(({ from, state, updates }) => [from, state, updates]), [
          ["+15550009999", "over", 0],
          ["+15550009999", "over", 0],
          ["+15550009999", "over", 0]
        ])
        yield* soon(() => node.held.every(({ isOver }) => isOver) ? true : undefined)
        yield* Calls.untilClean(pbx)
      }),
    90_000
  )
})
