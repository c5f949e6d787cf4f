/**
 * How calls end, over a real Asterisk: each row of the table of causes, as it is reported and as it is looked up. Those that take a time-out are
 * in `nightly/timeouts.test.ts`.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Calls from "./Calls.ts"
import * as Pbx from "./Pbx.ts"
import * as SipPhone from "./SipPhone.ts"

const rows: ReadonlyArray<
  readonly [what: string, behaviour: SipPhone.Behaviour, end: Readonly<Record<string, unknown>>]
> = [
  ["the callee hangs up", { answersAfter: 100, hangsUpAfter: 200 }, { result: "hung_up" }],
  ["486", { refuses: "486 Busy Here" }, { result: "busy", carrierReason: { code: "486", message: "Busy Here" } }],
  ["600", { refuses: "600 Busy Everywhere" }, {
    result: "busy",
    carrierReason: { code: "600", message: "Busy Everywhere" }
  }],
  ["603", { refuses: "603 Decline" }, { result: "busy", carrierReason: { code: "603", message: "Decline" } }],
  ["607", { refuses: "607 Unwanted" }, {
    result: "failed",
    code: "carrier_refused",
    carrierReason: { code: "607", message: "Unwanted" }
  }],
  ["608", { refuses: "608 Rejected" }, {
    result: "failed",
    code: "carrier_refused",
    carrierReason: { code: "608", message: "Rejected" }
  }],
  ["480", { refuses: "480 Temporarily Unavailable" }, { result: "no_answer" }],
  ["408", { refuses: "408 Request Timeout" }, { result: "no_answer" }],
  ...([
    "302 Moved Temporarily",
    "401 Unauthorized",
    "404 Not Found",
    "410 Gone",
    "484 Address Incomplete",
    "403 Forbidden",
    "488 Not Acceptable Here",
    "500 Server Internal Error",
    "503 Service Unavailable"
  ] as const).map((status) =>
    [status, { refuses: status }, {
      result: "failed",
      code: "carrier_refused",
      carrierReason: { code: status.slice(0, 3), message: status.slice(4) }
    }] as const
  ),
  ["a hostile reason", { refuses: "486 a\"b${EPOCH}\\" }, {
    result: "busy",
    carrierReason: { code: "486", message: "abEPOCH" }
  }]
]

describe("A call over Asterisk", () => {
  it.live("ends as the table of causes says, in its report and in a look-up", () =>
    Effect.gen(function*() {
      const phones = yield* SipPhone.make
      const pbx = yield* Pbx.make({ phones: phones.port })
      const node = yield* Calls.node(pbx)
      phones.behave((number) => rows[Number(number.slice(-2))]?.[1] ?? {})
      yield* Effect.forEach(rows, ([what, , expected], index) =>
        Effect.gen(function*() {
          const call = yield* Calls.dialUntilTaken(node, `+155512300${String(index).padStart(2, "0")}`)
          const end = yield* Calls.endOf(node, call.callId)
          const { answeredAt, at: _, ...rest } = end
          assert.deepStrictEqual(rest as unknown, { _tag: "Ended", recorded: false, ...expected }, what)
          assert.strictEqual(answeredAt !== undefined, expected["result"] === "hung_up", what)
          const view = yield* node.telephony.lookUp(call)
          assert.deepStrictEqual(view as unknown, { _tag: "Ended", event: end }, what)
        }), { concurrency: 4, discard: true })
      assert.lengthOf(phones.calls, rows.length)
      assert.strictEqual(new Set(phones.calls.map(({ id }) => id)).size, rows.length)
    }), 90_000)

  it.live(
    "that cannot be sent, as no port for sound is free, is unavailable and rings no phone",
    () =>
      Effect.gen(function*() {
        const phones = yield* SipPhone.make
        // For one call.
        const pbx = yield* Pbx.make({ phones: phones.port, rtpPorts: 1 })
        const node = yield* Calls.node(pbx)
        const first = yield* Calls.dialUntilTaken(node, "+15551230001")
        const second = yield* Calls.dial(node, "+15551230002")
        assert.strictEqual(second.verdict, "unavailable")
        assert.deepStrictEqual(Calls.eventsOf(node, second.callId), [])
        assert.strictEqual((yield* node.telephony.lookUp(second))._tag, "NotFound")
        yield* node.telephony.hangUp(first)
        // The same call, once the port is free.
        yield* Calls.eventually(
          Effect.map(Calls.dialCall(node, second), ({ verdict }) => verdict === "taken" ? true : undefined)
        )
        yield* node.telephony.hangUp(second)
        yield* Calls.endOf(node, second.callId)
        assert.deepStrictEqual(phones.calls.map(({ callId }) => callId), [first.callId, second.callId])
      }),
    90_000
  )
})
