import { assert, it } from "@effect/vitest"
import { type Call, ClaimRound, type DialDecision, DialFacts, type HoldPeriods, Ids, Lane } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { describe } from "vitest"

const now = Factories.at(0)
const { account } = Factories.startFacts()
const facts: DialFacts.AccountFacts = {
  now,
  account: { ...account, lines: 9 },
  deploymentPaused: false,
  carrierPaused: false,
  pausedCarriers: new Set(),
  runningCarriers: new Set(),
  linesInUse: 1,
  placedToday: 4,
  placedLastSecond: [],
  placedNow: 0
}

const noPeriods: HoldPeriods.SharedPeriods = { account: [], deployment: [], lanes: new Map() }

const calls = Array.from({ length: 4 }, () => Factories.queuedCall(Factories.startFacts()))
const dial: DialDecision.DialDecision = { _tag: "dial", by: Factories.at(10) }
const hold: DialDecision.DialDecision = { _tag: "hold", code: "number_busy", until: Factories.at(60) }
const wait: DialDecision.DialDecision = { _tag: "wait", code: "lines_busy", until: Factories.at(9) }

/** A round of these decisions, with the calls and the facts that the rules got. */
const decide = (
  decisions: ReadonlyArray<DialDecision.DialDecision>,
  { from = ClaimRound.start(facts, noPeriods), limit = 9 }: {
    readonly from?: ClaimRound.ClaimRound
    readonly limit?: number
  } = {}
) => {
  const asked: Array<{ readonly call: Call.CallRecord; readonly facts: DialFacts.DialFacts }> = []
  const rules = {
    decide: (call: Call.CallRecord, facts: DialFacts.DialFacts) => {
      asked.push({ call, facts })
      return decisions[asked.length - 1] ?? assert.fail("The round is over")
    }
  }
  const options = { now, limit, token: Factories.token(), carrier: Factories.carrier, rules }
  const round = ClaimRound.decide(from, calls, () => DialFacts.unknownNumber, options)
  return { asked, round, isOver: ClaimRound.isOver(round, options) }
}

describe("ClaimRound", () => {
  it("decides each call by the facts that the calls before it left", () => {
    const { asked, isOver, round } = decide([dial, hold, dial, dial])
    assert.deepStrictEqual(asked.map(({ facts }) => [facts.linesInUse, facts.placedToday, facts.placedNow]), [
      [1, 4, 0],
      [2, 5, 1],
      [2, 5, 1],
      [3, 6, 2]
    ])
    assert.deepStrictEqual(round.changes.map(({ after }) => after.status), ["dialing", "queued", "dialing", "dialing"])
    assert.deepStrictEqual([round.placed, round.facts.placedToday, isOver], [3, 7, false])
  })

  it("returns the calls that it claimed, under the claim's token and the account's epoch", () => {
    const { round } = decide([hold, dial, hold, hold])
    const [call, ...others] = ClaimRound.claimed(round)
    assert.deepStrictEqual([call?.id, call?.claim?.epoch, others], [calls[1]?.id, account.epoch, []])
  })

  it("asks about no further call when the limit is reached", () => {
    const { asked, isOver, round } = decide([dial, dial], { limit: 2 })
    assert.deepStrictEqual([asked.length, round.placed, isOver], [2, 2, true])
    assert.strictEqual(decide([], { limit: 0 }).asked.length, 0)
  })

  it("stops at what the account waits for, and reads no facts after it", () => {
    const { asked, isOver, round } = decide([dial, wait])
    assert.deepStrictEqual([asked.length, round.changes.length, isOver], [2, 1, true])
    assert.deepStrictEqual(round.waitsFor, wait)
  })

  it("continues with the state after the previous page", () => {
    const first = decide([hold, hold, hold, dial]).round
    const { asked, round } = decide([dial, hold, hold, hold], { from: first })
    assert.deepStrictEqual([asked[0]?.facts.linesInUse, round.placed, round.changes.length], [2, 2, 8])
  })

  it("leaves the calls of carriers that are paused or have no slot left, and counts only those that it decides", () => {
    const name = (text: string) => Ids.CarrierName.make(text)
    const [one, other, paused] = [name("one"), name("other"), name("paused")]
    const over = (...carriers: ReadonlyArray<Ids.CarrierName>) =>
      Factories.queuedCall(Factories.startFacts(), { lane: Lane.make({ planVersion: 1, timeZones: [], carriers }) })
    const calls = [over(one), over(one, other), over(paused), over(other), over(name("unknown")), over(other)]
    const options = {
      now,
      limit: 9,
      token: Factories.token(),
      carrier: one,
      slots: new Map([[one, 1], [other, 2], [paused, 9]]),
      rules: { decide: () => dial }
    }
    const start = ClaimRound.start({ ...facts, pausedCarriers: new Set([paused]) }, noPeriods)
    const round = ClaimRound.decide(start, calls, () => DialFacts.unknownNumber, options)
    assert.deepStrictEqual(
      ClaimRound.claimed(round).map(({ carrier, id }) => [id, carrier]),
      [[calls[0]?.id, one], [calls[3]?.id, other], [calls[5]?.id, other]]
    )
    assert.deepStrictEqual([round.examined, round.placed, ClaimRound.isOver(round, options)], [3, 3, false])
    assert.deepStrictEqual(calls.map(({ lane }) => ClaimRound.isLaneOpen(round, lane, options)), calls.map(() => false))
  })
})
