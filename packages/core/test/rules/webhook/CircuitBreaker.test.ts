import { assert, it } from "@effect/vitest"
import { CircuitBreaker, type Storage } from "@outdial/core"
import { DateTime, Duration, Schema } from "effect"
import { describe } from "vitest"

const start = DateTime.makeUnsafe("2026-03-02T10:00:00.000Z")
const at = (seconds: number) => DateTime.addDuration(start, Duration.seconds(seconds))
const day = 86_400

const failing = (breaker: CircuitBreaker.Breaker, times: number, seconds = 0) =>
  Array.from({ length: times }).reduce<CircuitBreaker.Breaker>(
    (before) => CircuitBreaker.after(before, "failed", at(seconds)).breaker,
    breaker
  )

const open = failing(CircuitBreaker.closed, 5)

describe("CircuitBreaker", () => {
  it("opens with the fifth failure in a row, for 30 s", () => {
    assert.deepStrictEqual(failing(CircuitBreaker.closed, 4), { failures: 4, failingSince: start, openings: 0 })
    assert.deepStrictEqual(open, { failures: 5, failingSince: start, openings: 1, openUntil: at(30) })
  })

  it("has room for nothing while it is open, and then for one", () => {
    assert.strictEqual(CircuitBreaker.room(open, at(29.999)), 0)
    assert.strictEqual(CircuitBreaker.room(open, at(30)), 1)
    assert.isTrue(CircuitBreaker.isProbing(open))
  })

  it("opens for twice as long with every probe that fails, to 15 minutes", () => {
    let breaker = open
    const pauses = Array.from({ length: 30 }, () => {
      breaker = CircuitBreaker.after(breaker, "probe_failed", start).breaker
      return breaker.openUntil === undefined ? 0 : Duration.toSeconds(DateTime.distance(start, breaker.openUntil))
    })
    assert.deepStrictEqual(pauses.slice(0, 6), [60, 120, 240, 480, 900, 900])
    assert.isTrue(pauses.slice(6).every((pause) => pause === 900))
  })

  it("stays open longer only after a failed probe", () => {
    assert.deepStrictEqual(failing(open, 3, 16), { ...open, failures: 8 })
  })

  it("closes with any success, and lets one, two and then four be in flight", () => {
    const { breaker, recovers } = CircuitBreaker.after(open, "delivered", at(31))
    assert.isTrue(recovers)
    assert.deepStrictEqual(breaker, { failures: 0, openings: 0, recoveredAt: at(31) })
    assert.deepStrictEqual(
      [31, 35.999, 36, 40.999, 41, 4000].map((seconds) => CircuitBreaker.room(breaker, at(seconds))),
      [1, 1, 2, 2, 4, 4]
    )
  })

  it("keeps the ramp on further successes, and resets failures without a ramp when it was not open", () => {
    const { breaker } = CircuitBreaker.after(open, "delivered", at(31))
    assert.deepStrictEqual(CircuitBreaker.after(breaker, "delivered", at(32)), { breaker, recovers: false })
    assert.deepStrictEqual(CircuitBreaker.after(failing(CircuitBreaker.closed, 4), "delivered", at(1)), {
      breaker: CircuitBreaker.closed,
      recovers: false
    })
  })

  it("gives up after five days and twenty failures without a success, not before", () => {
    const disables = (breaker: CircuitBreaker.Breaker, seconds: number) =>
      CircuitBreaker.after(breaker, "probe_failed", at(seconds)).disables
    assert.strictEqual(disables(failing(open, 14), 5 * day), "failing")
    assert.isUndefined(disables(failing(open, 14), 5 * day - 0.001))
    assert.isUndefined(disables(failing(open, 13), 30 * day))
  })

  it("disables a receiver at once when it reports that it is gone", () => {
    assert.strictEqual(CircuitBreaker.after(CircuitBreaker.closed, "gone", start).disables, "gone")
  })

  it("learns nothing from what was not sent, and waits as long again for the next probe", () => {
    const half = failing(CircuitBreaker.closed, 4)
    assert.deepStrictEqual(CircuitBreaker.after(half, "unknown", at(9)), { breaker: half, recovers: false })
    assert.deepStrictEqual(CircuitBreaker.after(open, "unknown", at(40)).breaker, { ...open, openUntil: at(70) })
  })

  it("folds results in order, and ignores those that were not tried", () => {
    const retry = { _tag: "RetryAt", at: at(60) } as const
    const returned = { _tag: "Returned", at: at(60) } as const
    const fold = (breaker: CircuitBreaker.Breaker, results: ReadonlyArray<Storage.DeliveryResult>, seconds = 0) =>
      CircuitBreaker.fold(breaker, results, at(seconds))
    assert.deepStrictEqual(fold(open, []), { breaker: open, recovers: false })
    assert.deepStrictEqual(fold(CircuitBreaker.closed, [retry, returned, retry, retry, retry, { _tag: "Exhausted" }]), {
      breaker: open,
      recovers: false
    })
    assert.deepStrictEqual(fold(open, [{ _tag: "Delivered" }, retry], 31), {
      breaker: { failures: 1, failingSince: at(31), openings: 0, recoveredAt: at(31) },
      recovers: true
    })
    assert.deepStrictEqual(fold(open, [{ _tag: "NotSent", at: at(60) }], 40).breaker, { ...open, openUntil: at(70) })
  })

  it("is gone rather than failing when results say both, in whichever order", () => {
    const retry = { _tag: "RetryAt", at: at(60) } as const
    const gone = { _tag: "Gone" } as const
    const disables = (results: ReadonlyArray<Storage.DeliveryResult>) =>
      CircuitBreaker.fold(failing(open, 14), results, at(5 * day)).disables
    assert.deepStrictEqual([[retry, retry], [retry, gone], [gone, retry]].map(disables), ["failing", "gone", "gone"])
  })

  it("is as it was when its owner sets it as it was", () => {
    const before = { url: "https://example.com/", enabled: true }
    for (const breaker of [open, failing(CircuitBreaker.closed, 4)]) {
      assert.deepStrictEqual(CircuitBreaker.reset(breaker, { now: at(9), before, after: before }), {
        breaker,
        renews: false,
        recovers: false
      })
    }
  })

  it("starts with a ramp when its owner enables it again", () => {
    const before = { url: "https://example.com/", enabled: false }
    const after = { ...before, enabled: true }
    assert.deepStrictEqual(CircuitBreaker.reset(open, { now: at(9), before, after }), {
      breaker: { failures: 0, openings: 0, recoveredAt: at(9) },
      renews: true,
      recovers: true
    })
  })

  it("probes another address at once, and holds nothing of the old one against it", () => {
    const before = { url: "https://example.com/old", enabled: true }
    const options = { now: at(9), before, after: { url: "https://example.com/new", enabled: true } }
    const { breaker } = CircuitBreaker.reset(open, options)
    assert.deepStrictEqual(breaker, { failures: 0, openings: 1, openUntil: at(9) })
    assert.strictEqual(CircuitBreaker.room(breaker, at(9)), 1)
    assert.deepStrictEqual(
      CircuitBreaker.reset(failing(CircuitBreaker.closed, 4), options).breaker,
      CircuitBreaker.closed
    )
  })

  it("puts a probe that failed behind all that wait, and not before the next probe", () => {
    const due = (lastDueAt: DateTime.Utc | undefined) => CircuitBreaker.probeDueAt(open, { now: at(1), lastDueAt })
    assert.deepStrictEqual([undefined, at(2), at(60)].map(due), [at(30), at(30), at(60.001)])
    assert.deepStrictEqual(CircuitBreaker.probeDueAt(CircuitBreaker.closed, { now: at(1), lastDueAt: at(60) }), at(1))
  })

  it.prop("is open only after failures, and never for longer than 15 minutes", [
    Schema.Array(Schema.Literals(["delivered", "failed", "probe_failed"]))
  ], ([signs]) => {
    const breaker = signs.reduce<CircuitBreaker.Breaker>(
      (before, sign) => CircuitBreaker.after(before, sign, start).breaker,
      CircuitBreaker.closed
    )
    assert.strictEqual(breaker.openings > 0, breaker.openUntil !== undefined)
    if (signs.at(-1) === "delivered") assert.isTrue(CircuitBreaker.isHealthy(breaker))
    const { openUntil = start } = breaker
    assert.isAtMost(Duration.toMinutes(DateTime.distance(start, openUntil)), 15)
  })
})
