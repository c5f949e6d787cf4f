/** How a call has ended, by what the dialplan has written of it. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option } from "effect"
import * as EndRecord from "../../src/asterisk/EndRecord.ts"

const now = DateTime.makeUnsafe(1_795_415_800_000)
const endedAt = 1_795_415_724.472
const at = DateTime.makeUnsafe(1_795_415_724_472)

const record = (rest: Partial<EndRecord.EndRecord> = {}): EndRecord.EndRecord => ({
  id: "call_1",
  account: "acct_1",
  createdAt: 1_795_415_700_000,
  state: "Down",
  sip: "",
  answeredAt: 0,
  endedAt,
  ...rest
})

const refused = (code: string, message: string) => ({
  result: "failed",
  code: "carrier_refused",
  carrierReason: { code, message }
})

const silent = (message: string) => ({ result: "failed", code: "carrier_refused", carrierReason: { message } })

/** Where the request went. */
const to = "203.0.113.5:5060"

describe("The record of a call", () => {
  it("tells how it ended, by the answer, the trunk's last reply and the state, in this order", () => {
    const rows: ReadonlyArray<readonly [Partial<EndRecord.EndRecord>, Readonly<Record<string, unknown>>]> = [
      [
        { state: "Up", sip: "SIP 200 OK", answeredAt: 1_795_415_722.4678 },
        { result: "hung_up", answeredAt: DateTime.makeUnsafe(1_795_415_722_468) }
      ],
      // Without CDR.
      [{ state: "Up", sip: "SIP 200 OK" }, { result: "hung_up", answeredAt: at }],
      // By another clock than that of the end.
      [{ state: "Up", sip: "SIP 200 OK", answeredAt: endedAt + 5 }, { result: "hung_up", answeredAt: at }],
      [{ sip: "SIP 486 Busy Here" }, { result: "busy", carrierReason: { code: "486", message: "Busy Here" } }],
      [{ sip: "SIP 600 Busy" }, { result: "busy", carrierReason: { code: "600", message: "Busy" } }],
      [{ sip: "SIP 603 Decline" }, { result: "busy", carrierReason: { code: "603", message: "Decline" } }],
      [{ sip: "SIP 603" }, { result: "busy", carrierReason: { code: "603" } }],
      [{ sip: "SIP 607 Unwanted" }, refused("607", "Unwanted")],
      [{ sip: "SIP 608 Rejected" }, refused("608", "Rejected")],
      [{ state: "Ringing", sip: "SIP 180 Ringing" }, { result: "no_answer" }],
      [{ sip: "SIP 183 Session Progress" }, { result: "no_answer" }],
      [{ sip: "SIP 100 Trying" }, { result: "no_answer" }],
      // It was canceled as it was answered.
      [{ state: "Ringing", sip: "SIP 200 OK" }, { result: "no_answer" }],
      [{ sip: "SIP 480 Temporarily Unavailable" }, { result: "no_answer" }],
      [{ sip: "SIP 408 Request Timeout" }, { result: "no_answer" }],
      [{ sip: "SIP 487 Request Terminated" }, { result: "no_answer" }],
      [{ sip: "SIP 404 Not Found" }, refused("404", "Not Found")],
      [{ sip: "SIP 403 Forbidden" }, refused("403", "Forbidden")],
      [{ sip: "SIP 503 Service Unavailable" }, refused("503", "Service Unavailable")],
      [{ sip: "SIP 302 Moved Temporarily" }, refused("302", "Moved Temporarily")],
      [{ to, cause: "18" }, silent("The trunk has not replied")],
      [{ to, cause: "19" }, silent("The trunk has not replied")],
      // Without the cause, as in the dialplan of an earlier version.
      [{}, silent("The trunk has not replied")],
      // It was hung up before the trunk could reply.
      [{ to, cause: "16" }, { result: "no_answer" }],
      [{ to: "", cause: "16" }, silent("Asterisk has sent nothing to the trunk")]
    ]
    for (const [rest, expected] of rows) {
      assert.deepStrictEqual(
        EndRecord.endOf(record(rest), now) as unknown,
        { _tag: "Ended", at, recorded: false, ...expected },
        JSON.stringify(rest)
      )
    }
  })

  it("without its end is of a call that was answered, and died with Asterisk", () => {
    const { endedAt: _, sip: __, state: ___, ...noted } = record({ answeredAt: endedAt })
    assert.isFalse(EndRecord.isComplete(noted))
    assert.deepStrictEqual(EndRecord.endOf(noted, now), {
      _tag: "Ended",
      at: now,
      recorded: false,
      result: "failed",
      code: "carrier_lost",
      answeredAt: at
    })
  })

  it("is read as it is written, and not otherwise", () => {
    const text =
      "{\"id\":\"call_1\",\"account\":\"acct_1\",\"createdAt\":1795415700000,\"state\":\"Up\",\"cause\":\"16\"," +
      "\"to\":\"203.0.113.5:5060\",\"sip\":\"SIP 200 OK\",\"answeredAt\":1795415722.467863,\"endedAt\":1795415724.472}"
    assert.deepStrictEqual(
      EndRecord.decode(text),
      Option.some(record({ state: "Up", cause: "16", to, sip: "SIP 200 OK", answeredAt: 1_795_415_722.467863 }))
    )
    for (const broken of ["", "{", text.slice(0, -1), "[]", "{\"id\":\"call_1\"}"]) {
      assert.isTrue(Option.isNone(EndRecord.decode(broken)), broken)
    }
  })

  it("tells a phone that may have rung from a channel that was never dialed", () => {
    const rows: ReadonlyArray<
      readonly [Partial<EndRecord.EndRecord>, { readonly hasReached: boolean; readonly isUnsent: boolean }]
    > = [
      [{}, { hasReached: false, isUnsent: false }],
      [{ to: "" }, { hasReached: false, isUnsent: true }],
      [{ to }, { hasReached: true, isUnsent: false }],
      [{ to: "", sip: "SIP 100 Trying" }, { hasReached: true, isUnsent: false }],
      [{ to: "", state: "Ringing" }, { hasReached: true, isUnsent: false }],
      [{ to: "", answeredAt: endedAt }, { hasReached: true, isUnsent: false }]
    ]
    for (const [rest, expected] of rows) {
      const { hasReached, isUnsent } = EndRecord
      assert.deepStrictEqual({ hasReached: hasReached(record(rest)), isUnsent: isUnsent(record(rest)) }, expected)
    }
  })

  it("has the name of its call", () => {
    assert.strictEqual(EndRecord.callIdOf(EndRecord.nameOf("call_01J")), "call_01J")
    for (const name of ["audio-call_01J", "call-", "call-other", "call-call_01J/../x"]) {
      assert.isUndefined(EndRecord.callIdOf(name), name)
    }
  })

  it("that is missing leaves Asterisk's cause", () => {
    const rows = [
      [undefined, undefined, { result: "failed", code: "carrier_lost" }],
      [undefined, at, { result: "failed", code: "carrier_lost", answeredAt: at }],
      [16, at, { result: "hung_up", answeredAt: at }],
      [16, undefined, { result: "no_answer" }],
      [19, undefined, { result: "no_answer" }],
      [17, undefined, { result: "busy" }],
      [21, undefined, { result: "failed", code: "carrier_refused" }]
    ] as const
    for (const [cause, answeredAt, expected] of rows) {
      assert.deepStrictEqual(
        EndRecord.endWithout(cause, answeredAt, now) as unknown,
        { _tag: "Ended", at: now, recorded: false, ...expected }
      )
    }
  })
})
