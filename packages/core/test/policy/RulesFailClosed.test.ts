import { assert, it } from "@effect/vitest"
import { CallingRules, type DialDecision } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import {
  explain,
  listed,
  london,
  newYork,
  on,
  open,
  rings,
  set,
  shown,
  start,
  usual,
  waits
} from "../support/RuleSetting.ts"

describe("a policy that has become choosy", () => {
  it.effect("holds what waits for a number that it does not want, until it changes again", () =>
    Effect.gen(function*() {
      yield* set({ paused: true })
      const call = yield* start(newYork)
      yield* set({ paused: false, policy: { ...open, allowedCountries: ["FR"] } })
      yield* TestEngine.advance("1 day")
      assert.deepStrictEqual(yield* waits(call), ["queued", "number_not_allowed", undefined])
      assert.deepStrictEqual(yield* rings, [])
      yield* set({ policy: open })
      yield* TestEngine.drain
      assert.strictEqual((yield* rings).length, 1)
    }).pipe(on(open)))
})

describe("a call that can only be dialed after its end", () => {
  it.effect("says so, and promises no instant", () =>
    Effect.gen(function*() {
      const call = yield* start(london, { expiresAt: "2026-03-02T23:00:00Z" })
      assert.deepStrictEqual(shown(call), ["queued", "expires_before_allowed", undefined])
    }).pipe(on(usual)))
})

describe("the spellings of a time zone", () => {
  it.effect("are one zone", () =>
    Effect.gen(function*() {
      const zoneOf = (timeZone: string, number: string) =>
        Effect.flatMap(
          start(number, { contact: { timeZone } }),
          (call) => Effect.map(explain(call), (e) => e.timeZones)
        )
      const [one, other] = [
        yield* zoneOf("america/NEW_york", "+12125550100"),
        yield* zoneOf("America/New_York", "+12125550101")
      ]
      assert.deepStrictEqual([one, other], [["America/New_York"], ["America/New_York"]])
    }).pipe(on(usual)))
})

describe("a rule that throws", () => {
  const throwing = (broken: Partial<DialDecision.DialRules>) =>
    Layer.effect(
      CallingRules.CallingRules,
      Effect.map(CallingRules.CallingRules, (rules) => ({
        ...rules,
        ...broken
      }))
    ).pipe(Layer.provide(CallingRules.CallingRules.layer))

  const bug = (): never => {
    throw new Error("a bug in the host's rules")
  }

  const each: ReadonlyArray<readonly [string, Partial<DialDecision.DialRules>]> = [
    ["when it decides", { decide: bug }],
    ["when it says what holds a call", { decide: bug, holdOf: bug }],
    ["when it opens a lane", { laneHold: bug }],
    ["when it finds a lane, whatever the fallback zone allows", { laneOf: bug }]
  ]
  for (const [when, broken] of each) {
    it.effect(`holds the call, and the call says so, ${when}`, () =>
      Effect.gen(function*() {
        const call = yield* start(newYork)
        yield* TestEngine.advance("5 minutes")
        assert.deepStrictEqual(yield* waits(call), ["queued", "rule_failed", undefined])
        assert.include(yield* explain(call), { decision: "wait", code: "rule_failed" })
        assert.deepStrictEqual(yield* rings, [])
      }).pipe(on({ fallbackTimeZone: "America/New_York" }, { rules: throwing(broken) })))
  }
})

describe("a test call", () => {
  it.effect("is held by no rule", () =>
    Effect.gen(function*() {
      yield* listed(london)
      yield* set({ paused: true })
      assert.strictEqual((yield* start(london, { test: true })).status, "completed")
      yield* TestEngine.advance("1 day")
      assert.deepStrictEqual(yield* rings, [])
    }).pipe(on({ callingHours: {}, dailyLimit: 0, numberLimits: [{ max: 0, windowSeconds: 60 }] })))
})
