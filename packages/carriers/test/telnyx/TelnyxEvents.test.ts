import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { endIn, endOf, pastEventOf } from "../../src/telnyx/TelnyxEvents.ts"

const at = DateTime.makeUnsafe("2026-03-01T10:00:00Z")
const answeredAt = DateTime.makeUnsafe("2026-03-01T09:58:00Z")

const event = (name: string, timestamp: string, payload: object = {}) =>
  pastEventOf({
    name,
    event_timestamp: timestamp,
    call_leg_id: "leg",
    metadata: { event: JSON.stringify({ data: { payload: { call_control_id: "v3:1", ...payload } } }) }
  })

const answered = event("call.answered", "2026-03-01T09:58:00Z")
const detected = (result: string) => event("call.machine.premium.detection.ended", "2026-03-01T09:58:03Z", { result })

describe("the end of a call at Telnyx", () => {
  it("is told by its cause and by the status of SIP", () => {
    const results = [
      ["user_busy", "486", "busy"],
      ["call_rejected", "603", "busy"],
      ["call_rejected", "486", "busy"],
      ["call_rejected", undefined, "busy"],
      // The account may not have so many calls at once.
      ["call_rejected", "403", "failed"],
      ["timeout", undefined, "no_answer"],
      ["no_answer", "487", "no_answer"],
      ["originator_cancel", "487", "no_answer"],
      ["unspecified", "480", "no_answer"],
      ["not_found", "404", "failed"],
      ["unspecified", "503", "failed"],
      ["a new one", undefined, "failed"],
      ["normal_clearing", "200", "hung_up"],
      ["time_limit", "200", "hung_up"]
    ] as const
    for (const [cause, status, result] of results) {
      const payload = { hangup_cause: cause, ...(status !== undefined && { sip_hangup_cause: status }) }
      assert.strictEqual(endOf({ at, payload }, []).result, result, `${cause} ${status}`)
    }
  })

  it("keeps the carrier's own words of a call that did not connect", () => {
    assert.deepStrictEqual(endOf({ at, payload: { hangup_cause: "not_found", sip_hangup_cause: "404" } }, []), {
      _tag: "Ended",
      at,
      recorded: false,
      result: "failed",
      code: "carrier_refused",
      carrierReason: { code: "404", message: "not_found" }
    })
  })

  it("has the answer and who it was from the webhooks before it", () => {
    const payload = { hangup_cause: "normal_clearing" }
    const end = { _tag: "Ended", at, recorded: false, result: "hung_up", answeredAt } as const
    assert.deepStrictEqual(endOf({ at, payload }, [answered]), end)
    assert.deepStrictEqual(endOf({ at, payload }, [answered, detected("human_business")]), {
      ...end,
      answeredBy: "human"
    })
    for (
      const machine of [detected("machine"), detected("fax_detected"), event("call.machine.premium.greeting.ended", "")]
    ) {
      assert.deepStrictEqual(endOf({ at, payload }, [answered, machine]), { ...end, answeredBy: "voicemail" })
    }
    for (const unsure of ["silence", "not_sure"]) {
      assert.deepStrictEqual(endOf({ at, payload }, [answered, detected(unsure)]), end)
    }
  })

  it("is in its past once it has a hang-up, whatever Telnyx's list shows of the webhooks", () => {
    assert.isUndefined(endIn([answered], at))
    const unreadable = pastEventOf({
      name: "call.hangup",
      event_timestamp: "2026-03-01T10:00:00Z",
      call_leg_id: "leg",
      metadata: {}
    })
    assert.deepStrictEqual(endIn([answered, unreadable], at), {
      _tag: "Ended",
      at,
      recorded: false,
      result: "hung_up",
      answeredAt
    })
  })
})
