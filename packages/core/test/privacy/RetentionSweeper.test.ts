import { assert, it } from "@effect/vitest"
import { Accounts, CalleeErasure, Recordings, type Usage, UsageReport } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import * as Steps from "../support/CallSteps.ts"

const start = Date.parse("2026-03-02T10:00:00Z")

const usage = Effect.fnUntraced(function*(from: string, to = from) {
  const { accountId } = yield* TestEngine.Tenant
  const report = yield* UsageReport.UsageReport
  return yield* report.perDay(accountId, { from, to })
})

const placed = (days: ReadonlyArray<Usage.DayUsage>) =>
  Object.fromEntries(days.map(({ callsPlaced, day }) => [day, callsPlaced]))

const setZone = Effect.fnUntraced(function*(timeZone: string) {
  const { accountId } = yield* TestEngine.Tenant
  const accounts = yield* Accounts.Accounts
  yield* accounts.set(accountId, { policy: { ...Factories.openPolicy, timeZone, retention: { callDays: 30 } } })
})

const recording = Effect.fnUntraced(function*(callId: Parameters<typeof Steps.get>[0]) {
  const { accountId } = yield* TestEngine.Tenant
  const recordings = yield* Recordings.Recordings
  return yield* recordings.get({ accountId, callId })
})

const withRetention = (retention: { readonly callDays?: number; readonly transcriptDays?: number }) =>
  Effect.provide(TestEngine.layer({ policy: { ...Factories.openPolicy, retention } }))

/** After the first removal of a call's file, a copy that was on its way is stored. */
const lateCopies = Layer.effect(
  Recordings.Recordings,
  Effect.gen(function*() {
    const recordings = yield* Recordings.Recordings
    const removed = new Set<string>()
    return Recordings.Recordings.of({
      ...recordings,
      remove: (key) =>
        Effect.andThen(
          recordings.remove(key),
          Effect.suspend(() => {
            if (removed.has(key.callId)) return Effect.void
            removed.add(key.callId)
            return recordings.put(key, { mediaType: "audio/wav", bytes: new Uint8Array(1) })
          })
        )
    })
  })
).pipe(Layer.provide(Recordings.Recordings.layerMemory))

describe("usage", () => {
  it.effect("is reported by the days of the account's zone, including days with clock changes", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-03-08T04:59:00Z"))
      yield* setZone("America/New_York")
      yield* Steps.start("+14155550105")
      yield* TestEngine.advance("2 minutes")
      yield* Steps.start("+14155550115")
      yield* TestEngine.advance("23 hours")
      yield* Steps.start("+14155550125")
      yield* TestEngine.advance("1 minute")
      assert.deepStrictEqual(placed(yield* usage("2026-03-07", "2026-03-10")), {
        "2026-03-07": 1,
        "2026-03-08": 1,
        "2026-03-09": 1,
        "2026-03-10": 0
      })
      yield* setZone("UTC")
      assert.deepStrictEqual(placed(yield* usage("2026-03-08", "2026-03-09")), { "2026-03-08": 2, "2026-03-09": 1 })
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("of tests is none, and a range must be one", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      yield* Steps.start("+14155550100", { test: true })
      yield* TestEngine.drain
      assert.deepStrictEqual(yield* usage("2026-03-02"), [{
        day: "2026-03-02",
        callsPlaced: 0,
        secondsTalked: 0,
        costs: []
      }])
      assert.strictEqual((yield* Effect.flip(usage("2026-03-02", "2026-03-01"))).code, "invalid_request")
      assert.strictEqual((yield* Effect.flip(usage("2026-03-02", "2028-03-01"))).code, "invalid_request")
    }).pipe(Effect.provide(TestEngine.layer())))
})

describe("old calls", () => {
  it.effect("are deleted with their recordings after the account's retention, and their usage stays", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const { id } = yield* Steps.start("+14155550100")
      yield* TestEngine.advance("5 minutes")
      const before = yield* usage("2026-03-02")
      assert.isAbove(before[0]?.secondsTalked ?? 0, 0)
      assert.isTrue(Option.isSome(yield* recording(id)))
      yield* TestEngine.advance("30 days")
      assert.strictEqual((yield* Steps.get(id)).status, "completed")
      yield* TestEngine.advance("1 day")
      assert.strictEqual((yield* Effect.flip(Steps.get(id))).code, "not_found")
      assert.isTrue(Option.isNone(yield* recording(id)))
      assert.deepStrictEqual(yield* usage("2026-03-02"), before)
    }).pipe(withRetention({ callDays: 30 })))

  it.effect("lose only transcript, recording and evidence after the account's retention of transcripts", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const { id } = yield* Steps.start("+14155550100")
      yield* TestEngine.advance("5 minutes")
      const { outcome } = yield* Steps.get(id)
      yield* TestEngine.advance("30 days")
      const after = yield* Steps.get(id)
      assert.isDefined(outcome?.evidence)
      const { evidence: _, ...others } = outcome ?? assert.fail("There is no outcome")
      assert.deepStrictEqual(after.outcome, { ...others, transcript: [] })
      assert.isUndefined(after.recordingUrl)
      assert.isTrue(Option.isNone(yield* recording(id)))
    }).pipe(withRetention({ transcriptDays: 30 })))

  it.effect("leave no recording whose copy comes while they are erased, or lose their transcripts", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const { accountId } = yield* TestEngine.Tenant
      const callees = yield* CalleeErasure.CalleeErasure
      const [old, erased] = [yield* Steps.start("+14155550100"), yield* Steps.start("+14155550110")]
      yield* TestEngine.advance("5 minutes")
      for (const { id } of [old, erased]) assert.isTrue(Option.isSome(yield* recording(id)))
      yield* callees.erase(accountId, "+14155550110")
      assert.isTrue(Option.isNone(yield* recording(erased.id)))
      yield* TestEngine.advance("31 days")
      assert.isTrue(Option.isNone(yield* recording(old.id)))
    }).pipe(Effect.provide(TestEngine.layer({
      policy: { ...Factories.openPolicy, retention: { transcriptDays: 30 } },
      recordings: lateCopies
    }))))

  it.effect("stay for as long as a number limit of the account asks about them", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const { accountId } = yield* TestEngine.Tenant
      const accounts = yield* Accounts.Accounts
      const numberLimits = [{ max: 3, windowSeconds: 60 * 86_400 }]
      yield* accounts.set(accountId, { policy: { ...Factories.openPolicy, numberLimits, retention: { callDays: 30 } } })
      const { id } = yield* Steps.start("+14155550100")
      yield* TestEngine.advance("59 days")
      assert.strictEqual((yield* Steps.get(id)).status, "completed")
      yield* TestEngine.advance("3 days")
      assert.strictEqual((yield* Effect.flip(Steps.get(id))).code, "not_found")
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("are kept for ever otherwise; their idempotency keys for 30 days", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const first = yield* Steps.start("+14155550105", {}, "a key")
      yield* TestEngine.advance("29 days")
      assert.strictEqual((yield* Steps.start("+14155550105", {}, "a key")).id, first.id)
      yield* TestEngine.advance("1 day")
      assert.notStrictEqual((yield* Steps.start("+14155550105", {}, "a key")).id, first.id)
      yield* TestEngine.advance("900 days")
      assert.strictEqual((yield* Steps.get(first.id)).status, "busy")
    }).pipe(Effect.provide(TestEngine.layer())))
})
