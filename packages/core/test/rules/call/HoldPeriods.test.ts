import { assert, it } from "@effect/vitest"
import { HoldPeriods, Limits } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { describe } from "vitest"

const period = (code: HoldPeriods.HoldPeriod["code"], since: number, until?: number): HoldPeriods.HoldPeriod => ({
  code,
  since: Factories.at(since),
  ...(until !== undefined && { until: Factories.at(until) })
})

const busy = { code: "lines_busy" } as const

describe("HoldPeriods", () => {
  it("returns the same periods when nothing is new, and continues one that returns within a minute", () => {
    const open = [period("lines_busy", 0)]
    assert.strictEqual(HoldPeriods.after(open, busy, Factories.at(60)), open)
    const ended = HoldPeriods.after(open, undefined, Factories.at(60))
    assert.deepStrictEqual(ended, [period("lines_busy", 0, 60)])
    assert.strictEqual(HoldPeriods.after(ended, undefined, Factories.at(90)), ended)
    assert.deepStrictEqual(HoldPeriods.after(ended, busy, Factories.at(119)), open)
    assert.deepStrictEqual(HoldPeriods.after(ended, busy, Factories.at(120)), [...ended, period("lines_busy", 120)])
  })

  it("drops a period of less than a second, and of too many the shortest of the older half", () => {
    assert.deepStrictEqual(HoldPeriods.after([period("lines_busy", 0)], undefined, Factories.at(0.9)), [])
    const all = Array.from(
      { length: Limits.holdPeriods },
      (_, n) => period("lines_busy", n * 1000, n * 1000 + (n === 3 ? 10 : n === 30 ? 2 : 500))
    )
    const after = HoldPeriods.after(all, busy, Factories.at(90_000))
    assert.deepStrictEqual(after, [...all.filter((_, n) => n !== 3), period("lines_busy", 90_000)])
  })

  it("cuts the other periods out of one", () => {
    const others = [period("account_paused", -5, 2), period("account_paused", 4, 6), period("account_paused", 9)]
    assert.deepStrictEqual(HoldPeriods.outside(period("lines_busy", 0), others), [
      period("lines_busy", 2, 4),
      period("lines_busy", 6, 9)
    ])
  })
})
