import { assert, it } from "@effect/vitest"
import { type Call, type CallLife, Ids, OutcomeSettlement } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { describe } from "vitest"

const now = Factories.at(60)
const token = Factories.token()
const retry: CallLife.OutcomeResult = { _tag: "RetryAt", at: Factories.at(90) }
const stored = (doNotCall: boolean): CallLife.OutcomeResult => ({
  _tag: "Stored",
  outcome: { ...Factories.outcome, doNotCall }
})

const held = (): Call.CallRecord =>
  Factories.queuedCall(Factories.startFacts(), {
    status: "completed",
    endedAt: Factories.at(50),
    outcomeState: "pending",
    outcomeDueAt: Factories.at(50),
    outcomeToken: token,
    outcomeLeaseUntil: Factories.at(99)
  })

const settle = (calls: ReadonlyArray<Call.CallRecord>, results: ReadonlyArray<[Ids.CallId, CallLife.OutcomeResult]>) =>
  OutcomeSettlement.settle(
    new Map(calls.map((call) => [call.id, call])),
    results.map(([callId, result]) => ({ callId, result })),
    { now, token }
  )

describe("OutcomeSettlement", () => {
  it("lists the callees whose outcome forbids further calls", () => {
    const calls = [held(), held(), held()] as const
    const [first, second, third] = calls
    const { changes, doNotCall } = settle(calls, [
      [first.id, stored(false)],
      [second.id, stored(true)],
      [third.id, { _tag: "GivenUp" }]
    ])
    assert.deepStrictEqual(changes.map(({ after }) => after.outcomeState), ["stored", "stored", "given_up"])
    assert.deepStrictEqual(doNotCall, [
      { phoneNumber: second.phoneNumber, source: "call", callId: second.id, createdAt: now }
    ])
  })

  it("changes nothing by a result that its token does not hold any more", () => {
    const other = { ...held(), outcomeToken: Factories.token() }
    const results = [[other.id, stored(true)], [Ids.CallId.make("call_none"), stored(true)]] as const
    assert.deepStrictEqual(settle([other], results.map(([id, result]) => [id, result])), { changes: [], doNotCall: [] })
  })

  it("applies only the first of two results of one call: with it the token's hold ends", () => {
    const call = held()
    const { changes, doNotCall } = settle([call], [[call.id, retry], [call.id, stored(true)]])
    assert.deepStrictEqual(changes.map(({ after }) => [after.outcomeState, after.outcomeDueAt]), [
      ["pending", Factories.at(90)]
    ])
    assert.deepStrictEqual(doNotCall, [])
  })
})
