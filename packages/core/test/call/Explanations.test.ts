import { assert, it } from "@effect/vitest"
import { Agents, Calls, DoNotCallList, Explanations, OutcomeSource, PhoneNumber, Policy } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import {
  explain,
  get,
  listed,
  london,
  monday,
  newYork,
  on,
  open,
  pauseAll,
  refusal,
  rings,
  set,
  shown,
  start,
  tollFree,
  usual,
  waits
} from "../support/RuleSetting.ts"

describe("calling hours", () => {
  it.effect("hold a call made at night until 09:00 in the callee's zone", () =>
    Effect.gen(function*() {
      const call = yield* start(london)
      assert.deepStrictEqual(shown(call), ["queued", "outside_calling_hours", "2026-03-03T09:00:00.000Z"])
      yield* TestEngine.advance("1 day")
      assert.deepStrictEqual(yield* rings, ["2026-03-03T09:00:00.000Z"])
    }).pipe(on(usual)))

  it.effect("let a call ring at once where it is day", () =>
    Effect.gen(function*() {
      yield* start(newYork)
      yield* TestEngine.drain
      assert.deepStrictEqual(yield* rings, [monday])
    }).pipe(on(usual)))

  it.effect("are those of the clock on the wall, also on the day on which it changes", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-03-28T21:00:00Z"))
      assert.deepStrictEqual(shown(yield* start(london)), [
        "queued",
        "outside_calling_hours",
        "2026-03-29T08:00:00.000Z"
      ])
    }).pipe(on(usual)))

  it.effect("hold a call until it is day in all zones that the number may lie in", () =>
    Effect.gen(function*() {
      // Portuguese mobile numbers: the mainland opens last at 09:00, and the Azores close last at 20:00.
      const call = yield* start("+351912000000")
      assert.deepStrictEqual(shown(call), ["queued", "outside_calling_hours", "2026-03-03T10:00:00.000Z"])
    }).pipe(on(usual)))

  it.effect("are those of the zone that the contact has, whatever the number says", () =>
    Effect.gen(function*() {
      const call = yield* start(newYork, { contact: { timeZone: "Asia/Tokyo" } })
      assert.deepStrictEqual(shown(call), ["queued", "outside_calling_hours", "2026-03-03T00:00:00.000Z"])
    }).pipe(on(usual)))

  it.effect("hold a call to a number without a known zone, until a policy has one for it", () =>
    Effect.gen(function*() {
      const call = yield* start(tollFree)
      assert.deepStrictEqual(shown(call), ["queued", "unknown_time_zone", undefined])
      yield* TestEngine.advance("1 day")
      assert.deepStrictEqual(yield* rings, [])
      yield* set({ policy: { fallbackTimeZone: "America/New_York" } })
      yield* TestEngine.drain
      assert.deepStrictEqual(yield* rings, ["2026-03-03T20:00:00.000Z"])
    }).pipe(on({})))

  it.effect("leave out excluded dates, in the callee's zone", () =>
    Effect.gen(function*() {
      const call = yield* start(london)
      assert.deepStrictEqual(shown(call), ["queued", "outside_calling_hours", "2026-03-05T09:00:00.000Z"])
    }).pipe(on({ excludedDates: ["2026-03-03", "2026-03-04"] })))

  it.effect("that leave no instant refuse the call, with the reason", () =>
    Effect.gen(function*() {
      const reason = yield* refusal(london)
      assert.strictEqual(reason._tag, "NumberNotAllowed")
      assert.include(reason.message, "outside_calling_hours")
    }).pipe(on({ callingHours: {} })))

  it.effect("of an agent replace the account's", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const agents = yield* Agents.Agents
      const night = yield* agents.put(accountId, Factories.agentDefinition())
      const policy = { callingHours: { mon: [{ start: "20:30", end: "21:00" }] } }
      yield* set({ policy: { agents: { [night.id]: policy } } })
      const call = yield* start(london, { agentId: night.id })
      assert.deepStrictEqual(shown(call), ["queued", "outside_calling_hours", "2026-03-02T20:30:00.000Z"])
      assert.deepStrictEqual(shown(yield* start("+442079460001")), [
        "queued",
        "outside_calling_hours",
        "2026-03-03T09:00:00.000Z"
      ])
    }).pipe(on({})))
})

describe("the recall gap", () => {
  it.effect("holds a call until the number may be dialed again, whatever the result of the last one", () =>
    Effect.gen(function*() {
      yield* start("+12125550105")
      yield* TestEngine.advance("1 minute")
      const again = yield* start("+12125550105")
      assert.deepStrictEqual(shown(again), ["queued", "recall_gap", "2026-03-03T00:00:00.000Z"])
    }).pipe(on({ numberLimits: [] })))
})

describe("a number limit", () => {
  const policy = { ...open, numberLimits: [{ max: 1, windowSeconds: 3600 }] }

  it.effect("refuses a further call, with when to retry", () =>
    Effect.gen(function*() {
      yield* start(newYork)
      yield* TestEngine.advance("10 minutes")
      const reason = yield* refusal(newYork)
      if (reason._tag !== "NumberLimitReached") return assert.fail(reason.message)
      assert.strictEqual(DateTime.formatIso(reason.retryAt), "2026-03-02T21:00:00.000Z")
      yield* TestEngine.advance("50 minutes")
      yield* start(newYork)
    }).pipe(on(policy)))

  it.effect("holds a call that was accepted before the limit was reached", () =>
    Effect.gen(function*() {
      yield* start(newYork)
      yield* TestEngine.advance("10 minutes")
      const again = yield* start(newYork, { notBefore: "2026-03-02T20:20:00Z" })
      yield* set({ policy })
      assert.deepStrictEqual(yield* waits(again), ["queued", "number_limit", "2026-03-02T21:00:00.000Z"])
      yield* TestEngine.advance("1 hour")
      assert.deepStrictEqual(yield* rings, [monday, "2026-03-02T21:00:00.000Z"])
    }).pipe(on(open)))
})

describe("the daily limit", () => {
  it.effect("holds what waits until the next day's first allowed instant", () =>
    Effect.gen(function*() {
      yield* start(newYork)
      yield* TestEngine.drain
      const call = yield* start("+12125550101")
      // The account's next day begins when it is six in the evening in New York, and night in London.
      assert.deepStrictEqual(shown(call), ["queued", "daily_limit", "2026-03-02T23:00:00.000Z"])
      assert.deepStrictEqual(shown(yield* start(london)), [
        "queued",
        "outside_calling_hours",
        "2026-03-03T09:00:00.000Z"
      ])
      yield* TestEngine.advance("1 day")
      assert.deepStrictEqual(yield* rings, [monday, "2026-03-02T23:00:00.000Z"])
    }).pipe(on({ dailyLimit: 1, timeZone: "Europe/Berlin" })))
})

describe("the do-not-call list", () => {
  it.effect("refuses a call", () =>
    Effect.gen(function*() {
      yield* listed("+1 (212) 555-0100")
      assert.strictEqual((yield* refusal(newYork))._tag, "NumberDoNotCall")
    }).pipe(on(open)))

  it.effect("cancels the call that waits", () =>
    Effect.gen(function*() {
      const call = yield* start(london)
      assert.deepStrictEqual(yield* listed(london), { added: 1, canceled: 1 })
      assert.deepStrictEqual(yield* waits(call), ["canceled", "do_not_call", undefined])
    }).pipe(on(usual)))

  it.effect("grows when a callee asks not to be called", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const list = yield* DoNotCallList.DoNotCallList
      const call = yield* start(newYork)
      yield* TestEngine.advance("3 minutes")
      assert.deepInclude(yield* list.get(accountId, newYork), { source: "call", callId: call.id })
      assert.strictEqual((yield* refusal(newYork))._tag, "NumberDoNotCall")
    }).pipe(on(open, { outcomes: optingOut })))
})

const optingOut = Layer.succeed(OutcomeSource.OutcomeSource, {
  make: (conversation) => Effect.succeed({ ...OutcomeSource.sample(conversation), doNotCall: true })
})

describe("a pause", () => {
  it.effect("of the account holds its calls until it ends", () =>
    Effect.gen(function*() {
      yield* set({ paused: true })
      const call = yield* start(newYork)
      assert.deepStrictEqual(shown(call), ["queued", "account_paused", undefined])
      yield* TestEngine.advance("1 hour")
      assert.deepStrictEqual(yield* rings, [])
      yield* set({ paused: false })
      yield* TestEngine.drain
      assert.deepStrictEqual(yield* rings, ["2026-03-02T21:00:00.000Z"])
    }).pipe(on(usual)))

  it.effect("of the deployment holds the calls of all accounts until it ends", () =>
    Effect.gen(function*() {
      yield* pauseAll(true)
      assert.deepStrictEqual(shown(yield* start(newYork)), ["queued", "account_paused", undefined])
      yield* TestEngine.advance("1 hour")
      assert.deepStrictEqual(yield* rings, [])
      yield* pauseAll(false)
      yield* TestEngine.drain
      assert.deepStrictEqual(yield* rings, ["2026-03-02T21:00:00.000Z"])
    }).pipe(on(usual)))
})

describe("a new policy", () => {
  it.effect("moves at once what waiting calls show, and when they ring", () =>
    Effect.gen(function*() {
      const call = yield* start(london)
      yield* TestEngine.drain
      yield* set({ policy: { callingHours: { tue: [{ start: "11:15", end: "12:00" }] } } })
      assert.deepStrictEqual(yield* waits(call), ["queued", "outside_calling_hours", "2026-03-03T11:15:00.000Z"])
      yield* TestEngine.drain
      yield* set({ policy: { callingHours: { mon: [{ start: "20:00", end: "21:00" }] } } })
      assert.deepStrictEqual(yield* waits(call), ["queued", undefined, undefined])
      yield* TestEngine.drain
      assert.deepStrictEqual(yield* rings, [monday])
    }).pipe(on(usual)))
})

describe("another call to the number", () => {
  it.effect("holds a call, which is dialed when that one has ended", () =>
    Effect.gen(function*() {
      const first = yield* start("+12125550105")
      yield* TestEngine.drain
      const again = yield* start("+12125550105")
      assert.deepStrictEqual(shown(again), ["queued", "number_busy", undefined])
      yield* TestEngine.advance("10 seconds")
      const { endedAt, status } = yield* get(first)
      assert.strictEqual(status, "busy")
      assert.deepStrictEqual((yield* rings).slice(1), [endedAt && DateTime.formatIso(endedAt)])
    }).pipe(on(open)))
})

describe("what an account has", () => {
  it.effect("of calls per second spaces its calls", () =>
    Effect.gen(function*() {
      const calls = yield* Effect.forEach([0, 1, 2], (n) => start(`+1212555010${n}`))
      yield* TestEngine.drain
      assert.deepStrictEqual(yield* Effect.forEach(calls.slice(1), waits), [
        ["queued", "calls_per_second", undefined],
        ["queued", "calls_per_second", undefined]
      ])
      yield* TestEngine.advance("3 seconds")
      assert.deepStrictEqual(yield* rings, [monday, "2026-03-02T20:00:01.000Z", "2026-03-02T20:00:02.000Z"])
    }).pipe(on({ ...open, callsPerSecond: 1 })))

  it.effect("of lines bounds the calls at once", () =>
    Effect.gen(function*() {
      const calls = yield* Effect.forEach([0, 1, 2], (n) => start(`+1212555010${n}`))
      yield* TestEngine.advance("2 seconds")
      assert.deepStrictEqual((yield* Effect.forEach(calls, waits)).at(-1), ["queued", "lines_busy", undefined])
      assert.lengthOf(yield* rings, 2)
    }).pipe(on(open, { lines: 2 })))
})

describe("a number is not allowed", () => {
  const wrong: ReadonlyArray<readonly [string, Policy.PolicyDocument, string]> = [
    ["in a country that the policy does not name", { allowedCountries: ["US", "CA"] }, "(US, CA)"],
    ["in no range that is known, where the policy wants valid ones", { requireValidNumbers: true }, "number range"]
  ]
  for (const [name, policy, message] of wrong) {
    it.effect(name, () =>
      Effect.gen(function*() {
        const reason = yield* refusal(name.includes("country") ? london : "+15555550100")
        assert.strictEqual(reason._tag, "NumberNotAllowed")
        assert.include(reason.message, message)
      }).pipe(on(policy)))
  }
})

describe("Explanations", () => {
  it.effect("explain what each of them makes of a call, and from what", () =>
    Effect.gen(function*() {
      const { code, decision, rules, scheduledFor, timeZones } = yield* explain(yield* start(london))
      assert.deepStrictEqual({ code, decision, timeZones }, {
        code: "outside_calling_hours",
        decision: "wait",
        timeZones: ["Europe/London"]
      })
      assert.deepStrictEqual(rules.filter(({ allows }) => !allows), [{
        rule: "outside_calling_hours",
        allows: false,
        ...(scheduledFor !== undefined && { nextAllowedAt: scheduledFor }),
        data: {
          time_zones: ["Europe/London"],
          fallback_time_zone: "UTC",
          calling_hours: Policy.defaults.callingHours,
          excluded_dates: [],
          agent_policy: false
        }
      }])
      assert.strictEqual(scheduledFor && DateTime.formatIso(scheduledFor), "2026-03-03T09:00:00.000Z")
    }).pipe(on(usual)))

  it.effect("explain a call that has ended by how it ended, and by what they decided at its dial", () =>
    Effect.gen(function*() {
      const call = yield* start("+12125550107")
      yield* TestEngine.advance("1 minute")
      // A policy of later, by which it would not have been dialed.
      yield* set({ paused: true, policy: { ...usual, allowedCountries: ["GB"] } })
      const { callStatus, code, decidedAt, decision, rules } = yield* explain(call)
      assert.deepStrictEqual({ callStatus, code, decidedAt, decision }, {
        callStatus: "no_answer",
        code: "voicemail",
        decidedAt: call.createdAt,
        decision: "none"
      })
      assert.deepStrictEqual(rules.filter(({ allows }) => !allows), [])
      const dataOf = (code: string) => rules.find(({ rule }) => rule === code)?.data
      assert.deepStrictEqual(dataOf("lines_busy"), { lines: 5, lines_in_use: 0 })
      assert.deepStrictEqual(dataOf("recall_gap"), {})
    }).pipe(on(open)))

  it.effect("explain a call that has expired by all that held it then, and one that was canceled by what canceled it", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      yield* set({ paused: true })
      const [expiring, unwanted] = [yield* start(london), yield* start("+12125550107")]
      const canceled = yield* start("+12125550108")
      const calls = yield* Calls.Calls
      yield* calls.cancel(accountId, canceled.id)
      yield* listed("+12125550107")
      yield* TestEngine.advance("7 days")
      yield* TestEngine.advance("1 minute")
      yield* set({ paused: false })
      const held = (call: typeof expiring) =>
        Effect.map(explain(call), ({ decidedAt, rules }) => [
          decidedAt && DateTime.formatIso(decidedAt),
          rules.flatMap(({ allows, rule }) => allows ? [] : [rule])
        ])
      const last = "2026-03-09T19:59:59.999Z"
      assert.deepStrictEqual(yield* held(expiring), [last, ["queue_expired", "account_paused"]])
      assert.deepStrictEqual(yield* held(unwanted), [monday, ["do_not_call"]])
      assert.deepStrictEqual(yield* held(canceled), [undefined, []])
    }).pipe(on(usual)))

  it.effect("preview a call that is not queued, and queue nothing", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const rules = yield* Explanations.Explanations
      const preview = (number: string) =>
        rules.preview(accountId, { phoneNumber: PhoneNumber.PhoneNumber.make(number) })
      assert.deepInclude(yield* preview(london), {
        decision: "wait",
        code: "outside_calling_hours",
        scheduledFor: DateTime.makeUnsafe("2026-03-03T09:00:00Z")
      })
      assert.deepInclude(yield* preview(newYork), { decision: "dial" })
      yield* listed(newYork)
      assert.deepInclude(yield* preview(newYork), { decision: "refuse", code: "number_do_not_call" })
      yield* TestEngine.advance("1 day")
      assert.deepStrictEqual(yield* rings, [])
    }).pipe(on(usual)))
})
