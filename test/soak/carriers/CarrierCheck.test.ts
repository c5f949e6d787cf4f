import { assert, describe, it } from "@effect/vitest"
import * as CarrierCheck from "./CarrierCheck.ts"

const atCarrier: CarrierCheck.CarrierCall = {
  id: "CA1",
  callId: "call_1",
  status: "completed",
  rangAt: 1000,
  endedAt: 5000,
  talked: true
}
const kept: CarrierCheck.KeptCall = {
  id: "call_1",
  status: "completed",
  outcomeState: "stored",
  endedAt: 5000,
  events: ["call.completed"]
}
const twin = { ...atCarrier, id: "CA2", talked: false }
const none = new Set<string>()

const promises = (evidence: Partial<CarrierCheck.Evidence>) =>
  CarrierCheck.check({ doubled: none, atCarrier: [atCarrier], calls: [kept], ...evidence }).map(({ promise }) =>
    promise
  )

describe("the check of a run over a fake carrier", () => {
  it("finds nothing where all is well, also when something has asked the carrier twice", () => {
    assert.deepStrictEqual(promises({}), [])
    assert.deepStrictEqual(promises({ doubled: new Set(["call_1"]), atCarrier: [atCarrier, twin] }), [])
    const lost = { ...kept, status: "failed", outcomeState: "none", events: ["call.not_connected"] }
    assert.deepStrictEqual(promises({ atCarrier: [], calls: [lost] }), [])
  })

  for (
    const [promise, evidence] of [
      ["no phone rings twice for one call", { atCarrier: [atCarrier, twin] }],
      ["no contact is talked to twice for one call", {
        doubled: new Set(["call_1"]),
        atCarrier: [atCarrier, { ...twin, talked: true }]
      }],
      ["no phone rings after the end of its call", { atCarrier: [{ ...atCarrier, rangAt: 6001 }] }],
      ["only accepted calls ring", { atCarrier: [atCarrier, { ...twin, callId: "call_2" }] }],
      ["every accepted call ends", { calls: [{ ...kept, outcomeState: "pending" }] }],
      ["every call ends in exactly one event", { calls: [{ ...kept, events: ["call.completed", "call.completed"] }] }],
      ["every call ends in exactly one event", { calls: [{ ...kept, events: [] }] }],
      ["no line stays open at the carrier", {
        atCarrier: [{
          id: "CA1",
          callId: "call_1",
          status: "in-progress",
          rangAt: 1000,
          talked: true
        }]
      }],
      ["what did not talk is not completed", { atCarrier: [{ ...atCarrier, talked: false }] }],
      ["what did not ring did not connect", {
        atCarrier: [],
        calls: [{ ...kept, status: "busy", outcomeState: "none", events: ["call.not_connected"] }]
      }]
    ] as ReadonlyArray<readonly [string, Partial<CarrierCheck.Evidence>]>
  ) {
    it(`finds a breach of: ${promise}`, () => {
      assert.deepStrictEqual(promises(evidence), [promise])
    })
  }
})
