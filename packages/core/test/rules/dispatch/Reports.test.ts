import { assert, it } from "@effect/vitest"
import { type Call, CallLife, type CarrierEvent, Ids, Reports } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { describe } from "vitest"

const now = Factories.at(60)
const transcript = [{ speaker: "contact", text: "Hello" }] as const
const alive: CarrierEvent.CarrierEvent = { _tag: "Alive" }
const answered: CarrierEvent.CarrierEvent = { _tag: "Answered", at: Factories.at(20), by: "human" }
const ended: CarrierEvent.CarrierEvent = {
  _tag: "Ended",
  result: "hung_up",
  at: Factories.at(50),
  transcript,
  recorded: false
}

const queued = () => Factories.queuedCall(Factories.startFacts())

const dialing = (): Call.CallRecord => {
  const terms = { now: Factories.at(0), token: Factories.token(), carrier: Factories.carrier, epoch: 1 }
  const call = CallLife.decided(queued(), { _tag: "dial", by: Factories.at(10) }, terms)
  return call ?? assert.fail("A call that may be dialed is dialed")
}

const apply = (calls: ReadonlyArray<Call.CallRecord>, reports: ReadonlyArray<Reports.LineReport>) =>
  Reports.apply(new Map(calls.map((call) => [call.id, call])), reports, now)

describe("Reports", () => {
  it("applies each report to what the reports before it left", () => {
    const call = dialing()
    const reports = [answered, ended, ended].map((event) => ({ callId: call.id, event }))
    const { answers, changes, freed } = apply([call], reports)
    assert.deepStrictEqual(answers, ["changed", "changed", "ignored"])
    assert.deepStrictEqual(changes.map(({ after, before }) => [before.status, after.status]), [
      ["dialing", "in_progress"],
      ["in_progress", "completed"]
    ])
    assert.strictEqual(changes[1]?.before, changes[0]?.after)
    assert.deepStrictEqual(freed, [call.phoneNumber])
  })

  it("answers a report on a call that does not exist with unknown, and changes nothing", () => {
    const reports = [{ callId: Ids.CallId.make("call_none"), event: alive }]
    assert.deepStrictEqual(apply([], reports), { answers: ["unknown"], changes: [], freed: [] })
  })

  it("has a call hung up that should not be alive", () => {
    const waits = queued()
    const live = dialing()
    const asked = { ...live, ...(live.claim && { claim: { ...live.claim, hangUpAt: Factories.at(5) } }) }
    const reports = [{ callId: waits.id, event: alive }, { callId: asked.id, event: answered }]
    const { answers, changes } = apply([waits, asked], reports)
    assert.deepStrictEqual(answers, ["hang_up", "hang_up"])
    assert.deepStrictEqual(changes.map(({ after }) => after.status), ["in_progress"])
  })
})
