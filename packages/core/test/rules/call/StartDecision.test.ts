import { assert, it } from "@effect/vitest"
import { DialFacts, Ids, StartDecision } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Result } from "effect"
import { describe } from "vitest"

const { account, agent } = Factories.startFacts()
const call = Factories.queuedCall({ account, agent })
const key = { resourceId: call.id, fingerprint: "one" }
const batchKey = { resourceId: Ids.BatchId.make("batch_1"), fingerprint: "one" }

const facts: DialFacts.DialFacts = {
  now: Factories.at(0),
  account,
  deploymentPaused: false,
  carrierPaused: false,
  pausedCarriers: new Set(),
  runningCarriers: new Set(),
  linesInUse: 0,
  placedToday: 0,
  placedLastSecond: [],
  placedNow: 0,
  number: DialFacts.unknownNumber
}

describe("StartDecision", () => {
  it("replays what the key made to the request that made it", () => {
    assert.deepStrictEqual(StartDecision.ofCallKey(key, "one", call), { _tag: "Replayed", call })
    assert.deepStrictEqual(StartDecision.ofBatchKey(batchKey, "one", 7), { _tag: "Replayed", stored: 7 })
  })

  it("shows another request only which call or batch the key made", () => {
    assert.deepStrictEqual(StartDecision.ofCallKey(key, "two", call), { _tag: "KeyReused", callId: call.id })
    assert.deepStrictEqual(StartDecision.ofBatchKey(batchKey, "two", 7), {
      _tag: "KeyReused",
      batchId: batchKey.resourceId
    })
  })

  it("does the same when what the key made is gone, and for a request that was erased", () => {
    assert.deepStrictEqual(StartDecision.ofCallKey(key, "one", undefined), { _tag: "KeyReused", callId: call.id })
    assert.strictEqual(StartDecision.ofBatchKey(batchKey, "one", undefined)._tag, "KeyReused")
    assert.strictEqual(StartDecision.ofCallKey({ ...key, fingerprint: "" }, "one", call)._tag, "KeyReused")
  })

  it("starts the call that the plan makes, with the facts that it was planned on", () => {
    const asked: Array<StartDecision.StartFacts> = []
    const started = StartDecision.ofPlan(
      (known) => {
        asked.push(known)
        return Result.succeed(call)
      },
      facts,
      agent
    )
    assert.deepStrictEqual(started, { _tag: "Started", call, facts })
    assert.deepStrictEqual(asked, [{ ...facts, agent }])
  })

  it("returns the plan's refusal", () => {
    assert.deepStrictEqual(StartDecision.ofPlan(() => Result.fail("full"), facts, agent), {
      _tag: "Refused",
      reason: "full"
    })
  })
})
