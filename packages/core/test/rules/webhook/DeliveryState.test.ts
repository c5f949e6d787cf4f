import { assert, it } from "@effect/vitest"
import { DeliveryState, type Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { describe } from "vitest"

const now = Factories.at(60)
const at = Factories.at(90)
const pending: DeliveryState.State = { state: "pending", attempts: 2, cause: "schedule", dueAt: Factories.at(60.001) }
const sending: DeliveryState.State = { ...pending, state: "sending", cause: "recover", dueAt: Factories.at(120) }
const states = ["pending", "sending", "delivered", "exhausted", "dropped"] as const

const results: ReadonlyArray<readonly [Storage.DeliveryResult, DeliveryState.State]> = [
  [{ _tag: "Delivered" }, { ...sending, state: "delivered", attempts: 3, cause: "schedule" }],
  [{ _tag: "RetryAt", at }, { state: "pending", attempts: 3, cause: "schedule", dueAt: at }],
  [{ _tag: "Exhausted" }, { ...sending, state: "exhausted", attempts: 3, cause: "schedule" }],
  [{ _tag: "NotSent", at }, { state: "pending", attempts: 2, cause: "schedule", dueAt: at }],
  [{ _tag: "Gone" }, { state: "pending", attempts: 2, cause: "schedule", dueAt: now }],
  [{ _tag: "ProbeFailed" }, { state: "pending", attempts: 2, cause: "schedule", dueAt: now }],
  [{ _tag: "Returned", at }, { state: "pending", attempts: 2, cause: "recover", dueAt: at }]
]

describe("DeliveryState", () => {
  it.each(results)("is after %j as that result says", (result, expected) => {
    const after: DeliveryState.State = DeliveryState.after(sending, result, now)
    assert.deepStrictEqual(after, expected)
  })

  it.each(results)("starts over after %j when its owner has asked for it, unless it arrived", (result, expected) => {
    const over: DeliveryState.State = { state: "pending", attempts: 0, cause: "redeliver", dueAt: now }
    const after: DeliveryState.State = DeliveryState.after({ ...sending, redeliverRequested: true }, result, now)
    assert.deepStrictEqual(after, result._tag === "Delivered" ? expected : over)
  })

  it("uses up an attempt with a lease that ran out only where that counts", () => {
    const attemptsOf = (delivery: DeliveryState.State, countsLost: boolean) =>
      DeliveryState.claimed(delivery, { countsLost, probe: false }).attempts
    assert.deepStrictEqual([attemptsOf(sending, true), attemptsOf(sending, false), attemptsOf(pending, true)], [
      3,
      2,
      2
    ])
  })

  it("is sent for the reason that it waits, and as a probe only while the endpoint is probed", () => {
    const causeOf = (delivery: DeliveryState.State, probe = false) =>
      DeliveryState.claimed(delivery, { countsLost: false, probe }).cause
    assert.strictEqual(causeOf({ ...pending, cause: "recover" }), "recover")
    assert.strictEqual(causeOf({ ...pending, cause: "probe" }), "schedule")
    assert.strictEqual(causeOf({ ...pending, cause: "recover" }, true), "probe")
  })

  it("starts over when its lease ran out and its owner has asked for it", () => {
    const claimed: DeliveryState.State = DeliveryState.claimed({ ...sending, redeliverRequested: true }, {
      countsLost: true,
      probe: false
    })
    assert.deepStrictEqual(claimed, { ...sending, attempts: 0, cause: "redeliver" })
  })

  it("is only marked when its owner asks for it while it is sent, and else due at once", () => {
    assert.deepStrictEqual(DeliveryState.redelivered(sending, now), { ...sending, redeliverRequested: true })
    assert.deepStrictEqual(
      states.filter((state) => state !== "sending").map((state) =>
        DeliveryState.redelivered({ ...pending, state }, now)
      ),
      [2, 0, 0, 0].map((attempts) => ({ state: "pending", attempts, cause: "redeliver", dueAt: now }))
    )
  })

  it("is recovered when it was given up or put off, and not when it is due or arrived", () => {
    const recovered = (state: DeliveryState.State) => DeliveryState.recovered(state, now)
    const due = { state: "pending", cause: "recover", dueAt: now } as const
    assert.deepStrictEqual(recovered(pending), { ...due, attempts: 2 })
    assert.isUndefined(recovered({ ...pending, dueAt: now }))
    assert.deepStrictEqual(
      states.slice(1).map((state) => recovered({ ...pending, state })),
      [undefined, undefined, { ...due, attempts: 0 }, { ...due, attempts: 0 }]
    )
  })

  it("is pulled forward only while it waits for later", () => {
    assert.deepStrictEqual(DeliveryState.madeDue(pending, now), { ...pending, dueAt: now })
    for (const delivery of [{ ...pending, dueAt: Factories.at(9) }, sending]) {
      assert.strictEqual(DeliveryState.madeDue(delivery, now), delivery)
    }
  })

  it("is dropped with its endpoint only while it is on its way", () => {
    assert.deepStrictEqual(DeliveryState.dropped({ ...sending, redeliverRequested: true }), {
      ...sending,
      state: "dropped"
    })
    assert.deepStrictEqual(
      states.map((state) => DeliveryState.dropped({ ...pending, state }).state),
      ["dropped", "dropped", "delivered", "exhausted", "dropped"]
    )
  })
})
