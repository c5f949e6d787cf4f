/** The rows of the table of causes that end by a time-out: nobody picks up, or the trunk is dead. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Calls from "../Calls.ts"
import * as Pbx from "../Pbx.ts"
import * as SipPhone from "../SipPhone.ts"

/** By the last digit of the number, from 1. */
const rows: ReadonlyArray<readonly [behaviour: SipPhone.Behaviour, end: Readonly<Record<string, unknown>>]> = [
  [{}, { result: "no_answer" }],
  [{ hasEarlyMedia: true }, { result: "no_answer" }],
  // Asterisk gives up after 32 seconds.
  [
    { isDead: true },
    { result: "failed", code: "carrier_refused", carrierReason: { message: "The trunk has not replied" } }
  ],
  // A trunk that is slow, but not dead.
  [{ repliesAfter: 10_000, answersAfter: 0, hangsUpAfter: 500 }, { result: "hung_up" }]
]

describe("A call over Asterisk that is not answered in time", () => {
  it.live(
    "ends as the table of causes says, in its report and in a look-up",
    () =>
      Effect.gen(function*() {
        const phones = yield* SipPhone.make
        phones.behave((number) => rows[Number(number.slice(-1)) - 1]?.[0] ?? {})
        const pbx = yield* Pbx.make({ phones: phones.port })
        const node = yield* Calls.node(pbx)
        yield* Effect.forEach(rows, ([, expected], index) =>
          Effect.gen(function*() {
            const call = yield* Calls.dialUntilTaken(node, `+1555123000${index + 1}`)
            const end = yield* Calls.endOf(node, call.callId)
            const { answeredAt, at: _, ...rest } = end
            assert.deepStrictEqual(rest as unknown, { _tag: "Ended", recorded: false, ...expected }, String(index))
            assert.strictEqual(answeredAt !== undefined, expected["result"] === "hung_up")
            assert.deepStrictEqual(yield* node.telephony.lookUp(call), { _tag: "Ended", event: end })
            assert.lengthOf(Calls.eventsOf(node, call.callId).filter(({ _tag }) => _tag === "Ended"), 1)
          }), { concurrency: "unbounded", discard: true })
        assert.lengthOf(phones.calls, rows.length)
        yield* Calls.untilClean(pbx)
      }),
    120_000
  )
})
