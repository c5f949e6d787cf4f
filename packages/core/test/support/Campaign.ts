/**
 * Runs the campaign of `CampaignPlan` through an engine, from one instant at which something happens to the next, and keeps
 * for the oracle what an owner and a callee would see: what was asked for and answered, and which phones rang.
 */
import {
  Accounts,
  Agents,
  Batches,
  Call,
  Calls,
  DoNotCallList,
  Engine,
  type Errors,
  type Ids,
  OutcomeSource,
  PhoneNumber,
  SimulatedCallee,
  type SimulatedTelephony
} from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { DateTime, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Diary from "./CampaignDiary.ts"
import * as CampaignOracle from "./CampaignOracle.ts"
import * as Plan from "./CampaignPlan.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** A call that was accepted. */
export interface Accepted extends CampaignOracle.Wish {
  readonly callId: Ids.CallId
  readonly callee: Plan.Callee
  readonly expiresAt: number
}

/** What a waiting call was said to wait for at some instant. */
export interface Shown {
  readonly call: Accepted
  readonly at: number
  readonly scheduledFor: number
}

export interface Campaign {
  readonly oracle: CampaignOracle.CampaignOracle
  readonly accepted: Map<string, Accepted>
  readonly rings: Array<{ readonly at: number; readonly callId: string; readonly number: string }>
  readonly shown: Array<Shown>
  readonly refused: Map<string, number>
  /** How many calls were looked at to see whether what they show is true. */
  looks: number
  /** Every difference from the expectation. */
  readonly wrong: Array<string>
  readonly options: TestEngine.TestEngineOptions
  readonly run: Effect.Effect<void, unknown, Engine.Services | TestEngine.Tenant>
}

const iso = (at: number | undefined): string => at === undefined ? "never" : new Date(at).toISOString()

export const make = (): Campaign => {
  const oracle = CampaignOracle.make(Plan.accountZone)
  const diary = Diary.make()
  const accepted = new Map<string, Accepted>()
  /** Accepted, and never on a line since. */
  const waiting = new Map<string, Accepted>()
  const rings: Campaign["rings"] = []
  const shown: Array<Shown> = []
  const refused = new Map<string, number>()
  const wrong: Array<string> = []
  const attempts = new Map<string, number>()
  let now = Plan.start
  let lastAsk = ""
  let tenant: typeof TestEngine.Tenant.Service | undefined

  const accountId = (): Ids.AccountId => {
    if (tenant === undefined) throw new Error("The campaign has not begun")
    return tenant.accountId
  }
  const campaign: Pick<Campaign, "looks"> = { looks: 0 }
  const complain = (what: string) => void wrong.push(`${iso(now)} ${what}`)
  const count = (what: string) => void refused.set(what, (refused.get(what) ?? 0) + 1)

  const wishOf = (callee: Plan.Callee): CampaignOracle.Wish => ({
    number: callee.number,
    zones: callee.zones,
    agentId: Plan.agents[callee.agent],
    createdAt: now,
    notBefore: callee.notBefore ?? 0
  })

  const note = (callId: Ids.CallId, callee: Plan.Callee): Accepted => {
    const wish = wishOf(callee)
    const expiresAt = Math.max(now, wish.notBefore) + 7 * day
    const call = { ...wish, callId, callee, expiresAt }
    accepted.set(callId, call)
    waiting.set(callId, call)
    return call
  }

  /** What is shown of a waiting call has to be what the oracle finds. */
  const look = (accepted: Accepted, call: Call.Call) => {
    campaign.looks += 1
    const scheduledFor = call.scheduledFor?.epochMilliseconds
    const found = oracle.isPaused(now) ? { at: undefined, code: "account_paused" } : oracle.due(accepted, now)
    // What could only be dialed after its end is not promised.
    const due = found.at !== undefined && found.at >= accepted.expiresAt
      ? { at: undefined, code: "expires_before_allowed" }
      : found
    const at = due.at === now ? undefined : due.at
    const held = ["number_busy", "calls_per_second", "lines_busy", undefined]
    const isSame = due.at === now ? held.includes(call.statusCode) : call.statusCode === due.code
    if (scheduledFor !== at || !isSame) {
      complain(
        `${call.phoneNumber} shows ${call.statusCode} ${iso(scheduledFor)}, the oracle says ${due.code} ${iso(at)}`
      )
    }
    if (at !== undefined) shown.push({ call: accepted, at: now, scheduledFor: at })
  }

  const ask = (callee: Plan.Callee): Effect.Effect<void, unknown, Engine.Services> =>
    Effect.gen(function*() {
      const calls = yield* Calls.Calls
      const started = yield* Effect.result(calls.start(accountId(), {
        agentId: Plan.agents[callee.agent],
        phoneNumber: PhoneNumber.PhoneNumber.make(callee.number),
        contact: { name: callee.habit, ...(callee.timeZone !== undefined && { timeZone: callee.timeZone }) },
        ...(callee.notBefore !== undefined && callee.notBefore > now && {
          notBefore: DateTime.makeUnsafe(callee.notBefore)
        })
      }))
      if (started._tag === "Failure") return yield* wasRefused(callee, started.failure)
      if (oracle.isForbidden(callee.number, now)) complain(`${callee.number} was accepted and is not to be called`)
      if (oracle.limitsAllow(callee.number, now) > now) complain(`${callee.number} was accepted beyond its limits`)
      look(note(started.success.id, callee), started.success)
    })

  const wasRefused = (callee: Plan.Callee, error: Errors.CallRefused | Errors.Unavailable) =>
    Effect.gen(function*() {
      const { number } = callee
      if (error._tag === "Unavailable") return complain(error.message)
      const { reason } = error
      count(reason.code)
      switch (reason._tag) {
        case "NumberDoNotCall":
          if (!oracle.isForbidden(number, now)) complain(`${number} was refused and may be called`)
          return
        case "NumberLimitReached": {
          const retryAt = reason.retryAt.epochMilliseconds
          const expected = oracle.limitsAllow(number, now)
          if (retryAt !== expected) complain(`${number} is free at ${iso(retryAt)}, the oracle says ${iso(expected)}`)
          if (retryAt < Plan.end) diary.add(retryAt, ask(callee))
          return
        }
        case "CallAlreadyQueued": {
          const calls = yield* Calls.Calls
          const other = yield* calls.get(accountId(), reason.callId)
          if (other.status !== "queued" || other.phoneNumber !== number) complain(`${number} does not wait`)
          const turnedAway = (attempts.get(`${number} queued`) ?? 0) + 1
          attempts.set(`${number} queued`, turnedAway)
          if (turnedAway <= 3) diary.add(now + day, ask(callee))
          return
        }
        default:
          complain(`${number} was refused: ${error.message}`)
      }
    })

  /** Requests another call once the previous one has ended. */
  const askAfter = (callee: Plan.Callee, callId: Ids.CallId, delay: number): Effect.Effect<
    void,
    unknown,
    Engine.Services
  > =>
    Effect.gen(function*() {
      const calls = yield* Calls.Calls
      const { status } = yield* calls.get(accountId(), callId)
      if (Call.isFinal(status)) diary.add(now + delay, ask(callee))
      else diary.add(now + minute, askAfter(callee, callId, delay))
    })

  const again = ({ callId, callee }: Accepted) => {
    const attempt = (attempts.get(callee.number) ?? 0) + 1
    attempts.set(callee.number, attempt)
    const next = { ...callee, notBefore: 0 }
    const delay = Math.floor(Plan.chance(callee.index, attempt) * 20 * hour)
    switch (callee.habit) {
      case "once":
        return
      case "later":
      case "opts_out":
      case "listed":
        if (attempt < 2) diary.add(now + minute, askAfter(next, callId, delay))
        return
      case "meanwhile":
        if (attempt > 2) return
        diary.add(now + second, ask(next))
        diary.add(now + 2 * second, ask(next))
        return
      case "insistent":
        if (attempt < 20 && now < Plan.end - 2 * day) diary.add(now + minute, askAfter(next, callId, 0))
        return
      default:
        return callee.habit satisfies never
    }
  }

  /** The request to the carrier. */
  const asked = (callId: Ids.CallId, number: string) => {
    const call = accepted.get(callId)
    if (call === undefined) return complain(`${callId} was dialed and never accepted`)
    // The simulator chooses the callee of a phone that rings a second time.
    if (lastAsk === `${callId} ${now}`) return
    lastAsk = `${callId} ${now}`
    const against = oracle.against(call, now)
    if (against.length > 0) complain(`${number} was dialed against ${against.join(", ")} (${call.callee.agent})`)
    if (now < call.createdAt || now >= call.expiresAt) complain(`${number} was dialed out of its time`)
    const kind = SimulatedCallee.calleeOf(number)
    const tries = (attempts.get(callId) ?? 0) + 1
    attempts.set(callId, tries)
    if (kind === "unavailable_twice" && tries < 3) {
      // Back in the queue, and not tried again before two, then four seconds.
      const later = { ...call, notBefore: now + 2 ** tries * second, wasUnavailable: true }
      accepted.set(callId, later)
      return
    }
    waiting.delete(callId)
    oracle.place({ at: now, callId, number, counts: kind !== "refused" })
    // Nothing rings, and the owner tries again all the same.
    if (kind === "refused" || kind === "unknown_lost") again(call)
  }

  const rang = ({ at, callId, phoneNumber }: SimulatedTelephony.Ring) =>
    Effect.sync(() => {
      rings.push({ at: at.epochMilliseconds, callId, number: phoneNumber })
      const call = accepted.get(callId)
      if (call !== undefined) again(call)
    })

  const outcomes = Layer.succeed(OutcomeSource.OutcomeSource, {
    make: (conversation) =>
      Effect.sync(() => {
        const outcome = OutcomeSource.sample(conversation)
        const number = accepted.get(conversation.callId)?.number
        if (conversation.contact.name !== "opts_out" || number === undefined) return outcome
        oracle.forbid(number, now)
        return { ...outcome, doNotCall: true }
      })
  })

  const startBatch = (rows: ReadonlyArray<Plan.Callee>) =>
    Effect.gen(function*() {
      const batches = yield* Batches.Batches
      const calls = yield* Calls.Calls
      const batch = yield* batches.start(accountId(), {
        calls: rows.map(({ agent, habit, number, timeZone }) => ({
          agentId: Plan.agents[agent],
          phoneNumber: number,
          contact: { name: habit, ...(timeZone !== undefined && { timeZone }) }
        }))
      })
      for (const { code, phoneNumber } of batch.rejected ?? []) {
        count(code)
        if (code !== "number_do_not_call" || !oracle.isForbidden(phoneNumber, now)) {
          complain(`${phoneNumber} was rejected with ${code}`)
        }
      }
      const byNumber = new Map(rows.map((row) => [row.number, row]))
      for (const [index, { id, phoneNumber }] of (batch.calls ?? []).entries()) {
        const callee = byNumber.get(phoneNumber)
        if (callee === undefined) {
          complain(`${phoneNumber} is in no row`)
          continue
        }
        const call = note(id, callee)
        if (index % 8 === 0) look(call, yield* calls.get(accountId(), id))
      }
    })

  const askAll = () => {
    const groups = Map.groupBy(Plan.callees, ({ firstAt }) => firstAt)
    for (const [at, group] of groups) {
      const [first] = group
      diary.add(at, group.length > 1 || first === undefined ? startBatch(group) : ask(first))
    }
  }

  /** Reads two hundred waiting calls, others at each instant. */
  const sample = Effect.gen(function*() {
    const calls = yield* Calls.Calls
    const all = [...waiting.keys()]
    const chosen = all.filter((_, index) => Plan.chance(index, now / minute) < 200 / all.length)
    for (const callId of chosen) {
      const call = accepted.get(callId)
      if (call === undefined) continue
      const found = yield* calls.get(accountId(), call.callId)
      if (found.status === "queued") look(call, found)
      else waiting.delete(callId)
    }
  })

  const listed = Plan.callees.filter(({ habit }) => habit === "listed").map(({ number }) => number)

  const plan = () => {
    for (const { from, policy } of Plan.policies) {
      diary.add(
        from,
        Effect.gen(function*() {
          const accounts = yield* Accounts.Accounts
          yield* accounts.set(accountId(), { policy })
          oracle.policyFrom(from, policy)
        })
      )
    }
    askAll()
    for (const { from, of, until } of Plan.pauses) {
      const pause = (paused: boolean) =>
        Effect.gen(function*() {
          const accounts = yield* Accounts.Accounts
          yield* of === "account" ? accounts.set(accountId(), { paused }) : accounts.pauseAll(paused)
        })
      diary.add(from, Effect.andThen(pause(true), Effect.sync(() => oracle.paused(from, until))))
      diary.add(until, pause(false))
    }
    diary.add(
      Plan.listedAt,
      Effect.gen(function*() {
        const list = yield* DoNotCallList.DoNotCallList
        yield* list.add(accountId(), listed)
        for (const number of listed) oracle.forbid(number, now)
      })
    )
    diary.add(
      Plan.unlistedAt,
      Effect.gen(function*() {
        const list = yield* DoNotCallList.DoNotCallList
        for (const callee of Plan.callees.filter(({ habit }) => habit === "listed").slice(0, 20)) {
          yield* list.remove(accountId(), callee.number)
          oracle.allow(callee.number, now)
          yield* ask({ ...callee, notBefore: 0 })
        }
      })
    )
    for (let at = Plan.start + 13 * minute; at < Plan.end; at += 15.7 * hour) diary.add(Math.round(at), sample)
    for (const { from, until } of Plan.pauses) diary.add((from + until) / 2, sample)
    for (const { from } of Plan.policies.slice(1)) diary.add(from + second, sample)
  }

  const run = Effect.gen(function*() {
    const engine = yield* Engine.Engine
    const all = yield* Agents.Agents
    tenant = yield* TestEngine.Tenant
    yield* TestClock.setTime(now)
    for (const id of Object.values(Plan.agents)) {
      yield* all.put(tenant.accountId, { ...Factories.agentDefinition({ id }), script: "Hello {{contact.name}}." })
    }
    plan()
    for (;;) {
      const due = Option.map(yield* engine.nextDueAt, ({ epochMilliseconds }) => Math.max(epochMilliseconds, now + 1))
      const next = Math.min(diary.first(), Option.getOrElse(due, () => Infinity))
      // By then every call has ended; what is due later is the pruning of old events, which are looked at here.
      if (next > Plan.end + 15 * 24 * hour) return
      now = next
      yield* TestClock.setTime(now)
      for (const what of diary.take(now)) yield* what
      yield* engine.drain
    }
  })

  return Object.assign(
    campaign,
    {
      oracle,
      accepted,
      rings,
      shown,
      refused,
      wrong,
      run,
      options: {
        lines: Plan.lines,
        policy: {},
        outcomes,
        onRing: rang,
        speed: 6,
        contact: () => [{ _tag: "HangsUp", text: "Yes, that is fine." }],
        callee: ({ callId, phoneNumber }) => {
          asked(callId, phoneNumber)
          return undefined
        }
      }
    } satisfies Omit<Campaign, "looks">
  )
}
