/** Shared by tests of races between writes and dials: the steps of a call at any time, and what forbids a dial. */
import {
  type CallLife,
  type CarrierEvent,
  EventBodies,
  type Ids,
  Limits,
  type PhoneNumber,
  type Policy,
  type Storage
} from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Account from "./Account.ts"
import { openTransaction } from "./Concurrency.ts"

/** Open on Monday afternoon only; `Factories.start` is in the morning. */
export const closedPolicy: Policy.PolicyDocument = {
  ...Factories.openPolicy,
  callingHours: { mon: [{ start: "14:00", end: "15:00" }] }
}

/** How long an unanswered dial took, in seconds. */
const rings = 1

export type Racing = Effect.Success<ReturnType<typeof make>>

/** An account with the steps of its calls, each at so many seconds after `Factories.start`. */
export const make = Effect.fnUntraced(function*(policy: Policy.PolicyDocument = Factories.openPolicy, lines = 5) {
  const account = yield* Account.make(lines)
  const { id: accountId, storage } = account
  yield* storage.accounts.update(accountId, { policy })

  const claim = (seconds = 0, limit = 100) => {
    const token = Factories.token()
    const now = Factories.at(seconds)
    const events = EventBodies.eventWriter(now)
    return Effect.map(
      storage.dispatch.claimDue({
        carrier: Factories.carrier,
        accountId,
        now,
        limit,
        token,
        rules: Factories.rules,
        events
      }),
      ({ claimed, moved }) => ({
        token,
        moved,
        calls: claimed.map(({ call }) => call),
        ids: claimed.map(({ call }) => call.id)
      })
    )
  }

  /** Replans what was planned by another policy. */
  const replan = (seconds = 0) => {
    const now = Factories.at(seconds)
    const events = EventBodies.eventWriter(now)
    return storage.dispatch.replanCalls({
      accountId,
      now,
      limit: Limits.replannedCalls,
      rules: Factories.rules,
      events
    })
  }

  const submit = ({ ids, token }: Claimed, seconds = 0) =>
    Effect.map(
      storage.dispatch.submit({ accountId, callIds: ids, token, now: Factories.at(seconds) }),
      (submitted) => [...submitted]
    )

  const giveBack = (
    { ids, token }: Claimed,
    seconds = 0,
    reason: Storage.ReturnOptions["reason"] = "not_submitted"
  ) => {
    const now = Factories.at(seconds)
    return storage.dispatch.returnToQueue({
      accountId,
      callIds: ids,
      token,
      now,
      reason,
      events: EventBodies.eventWriter(now)
    })
  }

  const report = (callIds: ReadonlyArray<Ids.CallId>, event: CarrierEvent.CarrierEvent, seconds = 0) =>
    storage.dispatch.report({
      accountId,
      reports: callIds.map((callId) => ({ callId, event })),
      now: Factories.at(seconds),
      events: EventBodies.eventWriter(Factories.at(seconds))
    })

  const end = (callIds: ReadonlyArray<Ids.CallId>, seconds = 0, more: Partial<CarrierEvent.Ended> = {}) =>
    report(callIds, {
      _tag: "Ended",
      at: Factories.at(seconds),
      result: "no_answer",
      transcript: [],
      recorded: false,
      ...more
    }, seconds)

  const doNotCall = (numbers: ReadonlyArray<PhoneNumber.PhoneNumber>, seconds = 0) =>
    storage.doNotCall.add({
      accountId,
      entries: numbers.map((phoneNumber) => ({ phoneNumber, source: "api", createdAt: Factories.at(seconds) })),
      now: Factories.at(seconds),
      events: EventBodies.eventWriter(Factories.at(seconds))
    })

  /** A call to the number is completed; returns the storing of an outcome that adds it to the list. */
  const asksNotToBeCalled = Effect.fnUntraced(function*(phoneNumber: PhoneNumber.PhoneNumber) {
    yield* account.start({ phoneNumber })
    const claimed = yield* claim()
    yield* submit(claimed)
    const { transcript } = Factories.outcome
    yield* end(claimed.ids, rings, { result: "hung_up", answeredAt: Factories.start, answeredBy: "human", transcript })
    const token = Factories.token()
    const work = { accountId, token, now: Factories.at(rings) }
    const [completed] = yield* storage.outcomes.claim({ ...work, limit: 1 })
    if (completed === undefined) return yield* Effect.die(new Error("There is no outcome to be stored"))
    const result: CallLife.OutcomeResult = { _tag: "Stored", outcome: { ...Factories.outcome, doNotCall: true } }
    const { events } = account
    return storage.outcomes.settle({ ...work, results: [{ callId: completed.call.id, result }], events })
  })

  return {
    ...account,
    claim,
    replan,
    submit,
    giveBack,
    report,
    end,
    doNotCall,
    asksNotToBeCalled,
    setPolicy: (policy: Policy.PolicyDocument) => storage.accounts.update(accountId, { policy }),
    setPaused: (paused: boolean) => storage.accounts.update(accountId, { paused }),
    get: (callId: Ids.CallId) => Effect.map(storage.calls.get(accountId, callId), Option.getOrThrow),
    isDue: (seconds = 0) =>
      Effect.map(
        storage.work.accountsDue({ kind: "dial", now: Factories.at(seconds), limit: 10_000 }),
        (ids) => ids.includes(accountId)
      )
  }
})

/** Calls of one claim, with its token. */
export interface Claimed {
  readonly token: Ids.ClaimToken
  readonly ids: ReadonlyArray<Ids.CallId>
}

/** Makes every statement on the table wait until the returned effect is run. */
export const holdTable = Effect.fnUntraced(function*(table: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* openTransaction(sql`lock table ${sql(table)} in access exclusive mode`)
})

/** Waits until so many statements of this database wait for a lock. */
export const untilBlockedAre = Effect.fnUntraced(function*(count: number) {
  const sql = yield* SqlClient.SqlClient
  const blocked = sql`
    select 1
    from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  yield* Effect.repeat(blocked, { until: (rows) => rows.length >= count, times: 2_000 })
})

/** Starts the work and waits until it is done, or blocked like `others`. */
export const begin = Effect.fnUntraced(function*<A, E, R>(work: Effect.Effect<A, E, R>, others = 0) {
  const fiber = yield* Effect.forkChild(work)
  yield* Effect.raceFirst(untilBlockedAre(others + 1), Fiber.await(fiber))
  return Fiber.join(fiber)
})
