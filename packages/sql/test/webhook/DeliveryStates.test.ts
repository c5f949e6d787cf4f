/** The statements that step whole sets of deliveries, compared with the rules on random rows. */
import { assert, it } from "@effect/vitest"
import { CircuitBreaker, DeliveryState, Ids, Limits, type Storage, WebhookEndpoint } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Pglite from "../../../../test/support/pglite.ts"
import * as Database from "../../src/database/Database.ts"
import * as Breaker from "../../src/webhook/Breaker.ts"
import * as DeliveryStore from "../../src/webhook/DeliveryStore.ts"
import * as Account from "../support/Account.ts"
import { int, samples } from "../support/Samples.ts"

const now = Factories.at(100)
const token = Factories.token()
const otherToken = Factories.token()

const Result = Schema.Struct({
  _tag: Schema.Literals(["Delivered", "RetryAt", "Exhausted", "ProbeFailed", "NotSent", "Returned", "Gone"]),
  seconds: int(90, 110)
})

const Sample = Schema.Struct({
  state: Schema.Literals(["pending", "sending", "delivered", "exhausted", "dropped"]),
  attempts: int(0, 3),
  cause: Schema.Literals(["schedule", "probe", "redeliver", "recover"]),
  dueIn: int(-2, 2),
  isRequested: Schema.Boolean,
  isOurs: Schema.Boolean,
  result: Result
})

interface Row extends DeliveryState.State {
  readonly id: Ids.DeliveryId
  readonly eventId: Ids.EventId
  readonly redeliverRequested: boolean
  readonly isOurs: boolean
  readonly result: Storage.DeliveryResult
}

const toResult = ({ _tag, seconds }: typeof Result.Type): Storage.DeliveryResult =>
  _tag === "RetryAt" || _tag === "NotSent" || _tag === "Returned" ? { _tag, at: Factories.at(seconds) } : { _tag }

const toRow = ({ dueIn, isRequested, result, ...sample }: typeof Sample.Type): Row => {
  const eventId = Ids.terminalEventId(Factories.callId())
  return {
    ...sample,
    id: Ids.deliveryId(eventId),
    eventId,
    dueAt: Factories.at(100 + dueIn),
    redeliverRequested: isRequested && sample.state === "sending",
    result: toResult(result)
  }
}

const write = Effect.fnUntraced(function*(accountId: Ids.AccountId, rows: ReadonlyArray<Row>, subscriber: string) {
  const sql = yield* SqlClient.SqlClient
  const json = JSON.stringify(rows.map((row) => ({
    id: row.id,
    event_id: row.eventId,
    state: row.state,
    attempts: row.attempts,
    cause: row.cause,
    requested: row.redeliverRequested,
    due_at: DateTime.formatIso(row.dueAt),
    token: row.state === "sending" ? row.isOurs ? token : otherToken : null
  })))
  const created = DateTime.toDateUtc(Factories.start)
  yield* sql`
    insert into outdial_events (account_id, id, call_id, type, created_at, body)
    select ${accountId}, r.event_id, 'call_' || substr(r.event_id, 5), 'call.completed', ${created}, '{}'
    from json_to_recordset(${json}::json) as r (event_id text)`
  yield* sql`
    insert into outdial_deliveries
      (account_id, id, event_id, subscriber, state, attempts, cause, due_at, redeliver_requested, claim_token, created_at)
    select ${accountId}, r.id, r.event_id, ${subscriber}, r.state, r.attempts, r.cause, r.due_at, r.requested, r.token,
      ${created}
    from json_to_recordset(${json}::json) as r
      (id text, event_id text, state text, attempts int, cause text, due_at timestamptz, requested boolean, token text)`
})

interface StoredRow extends Pick<Row, "id" | "state" | "attempts" | "cause"> {
  readonly redeliver_requested: boolean
  readonly due_at: Date
}

const read = Effect.fnUntraced(function*(accountId: Ids.AccountId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<StoredRow>`
    select d.id, d.state, d.attempts, d.cause, d.redeliver_requested, d.due_at
    from outdial_deliveries as d
    where d.account_id = ${accountId}
    order by d.id`
  return rows.map(({ due_at, redeliver_requested, ...row }) => ({
    ...row,
    redeliverRequested: redeliver_requested,
    dueAt: DateTime.fromDateUnsafe(due_at)
  }))
})

/** A row as it is read back. */
const stored = (row: Row, after: DeliveryState.State = row) => ({
  id: row.id,
  state: after.state,
  attempts: after.attempts,
  cause: after.cause,
  redeliverRequested: after.redeliverRequested === true,
  dueAt: after.dueAt
})

/** An account with an endpoint and random deliveries, to it or to a subscriber. */
const make = Effect.fnUntraced(function*(subscriber = "", count = 200) {
  const account = yield* Account.make()
  yield* account.setWebhook
  const rows = (yield* samples(Sample, count)).map(toRow)
  yield* write(account.id, rows, subscriber)
  return { ...account, rows }
})

const database = Effect.map(SqlClient.SqlClient, Database.make)

/** Which rows are claimed. While the endpoint is probed: all pending ones, first those without a used attempt. */
const isTaken = (rows: ReadonlyArray<Row>, probe: boolean) => {
  const isDue = ({ dueAt, state }: Row) =>
    DateTime.isLessThanOrEqualTo(dueAt, now) ? DeliveryState.isOpen({ state }) : probe && state === "pending"
  const isFresh = (row: Row) => isDue(row) && row.attempts === 0
  return probe && rows.some(isFresh) ? isFresh : isDue
}

const breakerFields = {
  failures: Schema.Literals([0, 1, 4, 5, 18, 19, 20]),
  failingFor: int(0, 6),
  openings: int(0, 4),
  openIn: int(-40, 40),
  hasRecovered: Schema.Boolean
}

const Endpoint = Schema.Struct({
  url: Schema.Literals(["https://example.com/one", "https://example.com/two"]),
  enabled: Schema.Boolean,
  events: Schema.Literals(["call.completed", "call.not_connected"]).pipe(Schema.Array)
})

const Endpoints = Schema.Struct({ ...breakerFields, before: Endpoint, after: Endpoint, isDisabled: Schema.Boolean })

const Failing = Schema.Struct({
  ...breakerFields,
  /** Whether all of them arrive, which is the common case and has its own statement. */
  arrives: Schema.Boolean,
  results: Schema.Array(Result).check(Schema.isMinLength(1), Schema.isMaxLength(3))
})

const toBreaker = (
  { failingFor, failures, hasRecovered, openIn, openings }: Pick<typeof Failing.Type, keyof typeof breakerFields>
) => ({
  failures,
  ...(failures > 0 && { failingSince: DateTime.subtract(now, { days: failingFor }) }),
  openings: failures > 0 ? openings : 0,
  ...(failures > 0 && openings > 0 && { openUntil: Factories.at(100 + openIn) }),
  ...(hasRecovered && { recoveredAt: Factories.at(95) })
})

const layer = Layer.provideMerge(SqlStorage.layer, Pglite.layer)

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("Deliveries in SQL", (it) => {
  it.effect("are after their results as the rule says", () =>
    Effect.gen(function*() {
      const { id: accountId, rows, storage } = yield* make("crm")
      const results = rows.map(({ id, result }) => ({ deliveryId: id, result }))
      yield* storage.deliveries.settle({ accountId, subscriber: "crm", token, now, results })
      const expected = rows.map((row) =>
        stored(row, row.state === "sending" && row.isOurs ? DeliveryState.after(row, row.result, now) : row)
      )
      assert.deepStrictEqual(yield* read(accountId), expected)
    }))

  for (const [subscriber, probe] of [["", false], ["", true], ["crm", false]] as const) {
    const to = subscriber === "" ? probe ? "an endpoint that is probed" : "an endpoint" : "a subscriber"
    it.effect(`are claimed for ${to} as the rule says`, () =>
      Effect.gen(function*() {
        const { id: accountId, rows } = yield* make(subscriber)
        const { sql } = yield* database
        const limits = { limit: 1000, room: 1000, ahead: 0 }
        yield* DeliveryStore.claimDeliveries(sql, {
          ...limits,
          accountId,
          now,
          subscriber,
          probe,
          token,
          generation: 1
        })
        const isMeant = isTaken(rows, probe)
        const dueAt = DateTime.addDuration(now, Limits.deliveryLease)
        const expected = rows.map((row) => {
          const claimed = DeliveryState.claimed(row, { probe, countsLost: subscriber !== "" })
          return stored(row, isMeant(row) ? { ...claimed, dueAt } : row)
        })
        assert.deepStrictEqual(yield* read(accountId), expected)
      }))
  }

  it.effect("are after a request to redeliver as the rule says", () =>
    Effect.gen(function*() {
      const { id: accountId, rows, storage } = yield* make("", 60)
      for (const { eventId } of rows) yield* storage.deliveries.redeliver({ accountId, eventId, now })
      assert.deepStrictEqual(
        yield* read(accountId),
        rows.map((row) => stored(row, DeliveryState.redelivered(row, now)))
      )
    }))

  it.effect("are after a request to recover as the rule says", () =>
    Effect.gen(function*() {
      const { id: accountId, rows, storage } = yield* make()
      const window = { since: Factories.start, until: Factories.at(1), limit: 1000 }
      const { _tag } = yield* storage.deliveries.recover({ ...window, accountId, now })
      assert.strictEqual(_tag, "Recovering")
      const expected = rows.map((row) => stored(row, DeliveryState.recovered(row, now) ?? row))
      assert.deepStrictEqual(yield* read(accountId), expected)
    }))

  it.effect("are made due now and dropped as the rules say", () =>
    Effect.gen(function*() {
      const { id: accountId, rows, storage } = yield* make()
      yield* Breaker.make(yield* database).makeDueNow(accountId, now)
      const pulled = rows.map((row) => DeliveryState.madeDue(row, now))
      assert.deepStrictEqual(yield* read(accountId), pulled.map((row) => stored(row)))
      yield* storage.webhooks.delete(accountId)
      const expected = pulled.map((row) => stored(row, DeliveryState.dropped(row)))
      assert.deepStrictEqual(yield* read(accountId), expected)
    }))

  it.effect("have an endpoint that is, when it is set again, what the rules say", () =>
    Effect.gen(function*() {
      const breakers = Breaker.make(yield* database)
      for (const { after, before, isDisabled, ...sample } of yield* samples(Endpoints, 60)) {
        const { id: accountId, storage } = yield* Account.make()
        const secrets = (secret: string) => ({ secret: Factories.sealed(secret), previousSecrets: [] })
        const times = { createdAt: Factories.start, updatedAt: Factories.start }
        yield* storage.webhooks.set({ ...before, ...secrets("first"), ...times, accountId })
        yield* breakers.write(accountId, toBreaker(sample))
        if (isDisabled) yield* breakers.disable(accountId, "gone", Factories.at(50))
        const stored = Option.getOrThrow(yield* storage.webhooks.get(accountId))
        const given = { ...after, ...secrets("second"), createdAt: now, updatedAt: now, accountId }
        const set = yield* storage.webhooks.set(given)
        assert.deepStrictEqual(set, { endpoint: WebhookEndpoint.replaced(stored, given), created: false })
        const { breaker, renews } = CircuitBreaker.reset(toBreaker(sample), { now, before: stored, after: given })
        const [row] = yield* breakers.lock(accountId)
        assert.deepStrictEqual([row && Breaker.toBreaker(row), row?.generation], [breaker, renews ? 1 : 0])
      }
    }))

  it.effect("change the breaker and disable the endpoint as the fold of their results says", () =>
    Effect.gen(function*() {
      const breakers = Breaker.make(yield* database)
      for (const sample of yield* samples(Failing, 100)) {
        const { id: accountId, setWebhook, storage } = yield* Account.make()
        yield* setWebhook
        const before = toBreaker(sample)
        yield* breakers.write(accountId, before)
        const rows = sample.results.map((result) => {
          const sent = { state: "sending", attempts: 0, cause: "schedule", dueIn: 2 } as const
          const delivered = sample.arrives ? { ...result, _tag: "Delivered" } as const : result
          return toRow({ ...sent, isRequested: false, isOurs: true, result: delivered })
        })
        yield* write(accountId, rows, "")
        const results = rows.map(({ id, result }) => ({ deliveryId: id, result }))
        const disabled = yield* storage.deliveries.settle({ accountId, token, now, results })
        const { breaker, disables } = CircuitBreaker.fold(before, rows.map(({ result }) => result), now)
        const open = rows.filter(({ result }) => DeliveryState.change(result, now).state === "pending").length
        const isDisabled = disables !== undefined && open >= CircuitBreaker.openToDisable[disables]
        const [row] = yield* breakers.lock(accountId)
        assert.deepStrictEqual([row && Breaker.toBreaker(row), disabled], [
          breaker,
          isDisabled ? Option.some(disables) : Option.none()
        ])
      }
    }))
})
