/** Lists compared with a naive filter over all rows, page by page, while calls and deliveries change. */
import { assert, it } from "@effect/vitest"
import { Call, Ids, Page, type Storage } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Array, DateTime, Effect, Layer, Option, Random } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Pglite from "../../../../test/support/pglite.ts"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Account from "../support/Account.ts"

const rounds = 20

const states = ["pending", "sending", "delivered", "exhausted", "dropped"] as const
const kinds = ["call.completed", "call.dialing", "call.in_progress"] as const
const marks = { "call.completed": "", "call.dialing": "D1a", "call.in_progress": "P1a" }
const erased = "erased_1"
const instants = Array.makeBy(5, (n) => Factories.at(n))
const externalIds = ["crm-1", "crm-2"]
const numbers = Array.makeBy(4, () => Factories.phoneNumber())
const agents = Array.makeBy(3, () => Factories.agentId())
const batches = Array.makeBy(2, () => Ids.BatchId.make(Factories.callId().replace("call_", "batch_")))

const below = (end: number) => Effect.map(Random.next, (n) => Math.floor(n * end))
const pick = <A>(from: ReadonlyArray<A>) =>
  Effect.map(below(from.length), (n) => from[n] ?? assert.fail("There is nothing to pick from"))
const chance = (of: number) => Effect.map(Random.next, (n) => n < of)
const maybe = <A, E, R>(of: number, value: Effect.Effect<A, E, R>) =>
  Effect.flatMap(chance(of), (is) => is ? Effect.asSome(value) : Effect.succeedNone)
const some = <A>(from: ReadonlyArray<A>) => Effect.filter(from, () => chance(0.3))
const given = <K extends string, A>(key: K, value: Option.Option<A>) =>
  Option.match(value, { onNone: () => ({}), onSome: (value) => ({ [key]: value } as { readonly [_ in K]: A }) })

/** Writes a random call with its events, constrained only by the tables. */
const makeCall = ({ id: accountId }: Account) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const ulid = `01JNTEST${yield* below(1e9)}`.padEnd(26, "Z")
    const created = DateTime.toDateUtc(yield* pick(instants))
    const status = yield* pick(Call.CallStatus.literals)
    const isErased = yield* chance(0.15)
    const number = isErased ? erased : yield* pick(numbers)
    // Only one call may be queued for a number, so all others are test calls.
    const test = status === "queued" || (yield* chance(0.3))
    const live = Call.usesLine(status) ? created : null
    yield* sql`
      insert into outdial_calls (
        account_id, id, phone_number, test, priority, created_at, expires_at, lane, unavailable_count, due_at, dialed_at,
        dial_by, lease_until, claim_epoch, claim_token, ended_at, has_recording, transcript_deleted, status, outcome_state
      ) values (
        ${accountId}, ${`call_${ulid}`}, ${number}, ${test}, 0, ${created}, ${created}, 'lane', 0, ${created},
        ${live}, ${live}, ${live}, ${live && 1},
        ${live && "claim_1"}, ${Call.isFinal(status) ? created : null}, false, ${
      isErased || (yield* chance(0.3))
    }, ${status},
        ${status === "completed" ? "given_up" : "none"}
      )`
    const batchId = Option.getOrNull(yield* maybe(0.3, pick(batches)))
    yield* sql`
      insert into outdial_call_requests (
        account_id, id, agent_id, agent_version, batch_id, test, phone_number, contact, external_id, variables, metadata,
        created_at
      ) values (
        ${accountId}, ${`call_${ulid}`}, ${yield* pick(agents)}, 1, ${batchId}, ${test}, ${number}, '{}',
        ${Option.getOrNull(yield* maybe(0.6, pick(externalIds)))}, '{}', '{}', ${created}
      )`
    for (const kind of yield* some(kinds)) {
      const id = `${ulid}${marks[kind]}`
      yield* sql`
        insert into outdial_events (account_id, id, call_id, type, created_at, body, erased)
        values (${accountId}, ${`evt_${id}`}, ${`call_${ulid}`}, ${kind}, ${created}, '{}', ${isErased})`
      for (const [subscriber, mark] of [["", ""], ["crm", "S1"]] as const) {
        const state = yield* pick(states)
        yield* sql`
          insert into outdial_deliveries
            (account_id, id, event_id, subscriber, state, attempts, cause, due_at, claim_token, created_at)
          values (${accountId}, ${`dlv_${id}${mark}`}, ${`evt_${id}`}, ${subscriber}, ${state}, 0, 'schedule', ${created},
            ${state === "sending" ? "claim_1" : null}, ${created})`
      }
    }
  })

interface Row extends Page.Position {
  readonly [column: string]: unknown
}

/** A list with a filter, and the rows that a naive filter returns. */
interface Asked {
  readonly about: unknown
  readonly list: (page: Page.PageRequest) => Effect.Effect<Page.Page<Page.Position>, Storage.StorageError>
  readonly rows: Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError, SqlClient.SqlClient>
}

interface Account extends Effect.Success<ReturnType<typeof Account.make>> {}

const rowsOf = (from: string, { id }: Account) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ readonly id: string; readonly created_at: Date }>(`${from} where x.account_id = $1`, [id]),
      (rows) => rows.map((row): Row => ({ ...row, createdAt: DateTime.fromDateUnsafe(row.created_at) }))
    ))

const bounds = Effect.gen(function*() {
  return {
    ...given("createdAfter", yield* maybe(0.2, pick(instants))),
    ...given("createdBefore", yield* maybe(0.2, pick(instants)))
  }
})

const isWithin = ({ createdAfter, createdBefore }: Effect.Success<typeof bounds>) => ({ createdAt }: Row) =>
  (createdAfter === undefined || DateTime.isGreaterThan(createdAt, createdAfter)) &&
  (createdBefore === undefined || DateTime.isLessThan(createdAt, createdBefore))

/** Whether each column has the filter's value, if there is one. */
const has = (asked: Readonly<Record<string, unknown>>) => (row: Row) =>
  Object.entries(asked).every(([column, value]) => value === undefined || row[column] === value)

const calls = (account: Account) =>
  Effect.gen(function*() {
    const filter: Storage.CallFilter = {
      ...(yield* bounds),
      ...given("statuses", yield* maybe(0.5, some(Call.CallStatus.literals))),
      ...given("agentId", yield* maybe(0.4, pick(agents))),
      ...given("batchId", yield* maybe(0.2, pick(batches))),
      ...given("phoneNumber", yield* maybe(0.2, pick(numbers))),
      ...given("externalId", yield* maybe(0.2, pick(externalIds))),
      ...given("test", yield* maybe(0.4, chance(0.5)))
    }
    const { agentId, batchId, externalId, phoneNumber, statuses, test } = filter
    const isAsked = has({
      agent_id: agentId,
      batch_id: batchId,
      external_id: externalId,
      phone_number: phoneNumber,
      test
    })
    return {
      about: filter,
      list: (page) => account.storage.calls.list({ accountId: account.id, filter, page }),
      rows: Effect.map(
        rowsOf(
          "select * from outdial_calls as x join outdial_call_requests as q using (account_id, id, created_at, test, phone_number)",
          account
        ),
        Array.filter((row) =>
          row["phone_number"] !== erased && isAsked(row) && isWithin(filter)(row) &&
          (statuses === undefined || statuses.some((status) => status === row["status"]))
        )
      )
    } satisfies Asked
  })

const callIdOf = (account: Account) =>
  Effect.flatMap(
    rowsOf("select * from outdial_calls as x", account),
    (rows) => Effect.map(pick(rows), ({ id }) => Ids.CallId.make(id))
  )

const events = (account: Account) =>
  Effect.gen(function*() {
    const filter: Storage.EventFilter = {
      ...(yield* bounds),
      ...given("callId", yield* maybe(0.4, callIdOf(account))),
      ...given("type", yield* maybe(0.4, pick(kinds)))
    }
    return {
      about: filter,
      list: (page) => account.storage.events.list({ accountId: account.id, filter, page }),
      rows: Effect.map(
        rowsOf("select * from outdial_events as x", account),
        Array.filter((row) =>
          has({ erased: false, call_id: filter.callId, type: filter.type })(row) && isWithin(filter)(row)
        )
      )
    } satisfies Asked
  })

const deliveries = (account: Account) =>
  Effect.gen(function*() {
    const filter: Storage.DeliveryFilter = {
      ...(yield* bounds),
      ...given("callId", yield* maybe(0.3, callIdOf(account))),
      ...given("states", yield* maybe(0.6, some([...states, "held"] as const)))
    }
    const { callId, states: wanted = [] } = filter
    return {
      about: filter,
      list: (page) => account.storage.deliveries.list({ accountId: account.id, filter, page }),
      rows: Effect.map(
        rowsOf(
          `select x.*, e.call_id, case when x.state = 'pending' and not w.enabled then 'held' else x.state end as shown
           from outdial_deliveries as x
           join outdial_events as e on e.id = x.event_id and e.account_id = x.account_id
           join outdial_webhooks as w on w.account_id = x.account_id`,
          account
        ),
        Array.filter((row) =>
          has({ subscriber: "", call_id: callId })(row) && isWithin(filter)(row) &&
          (wanted.length === 0 || wanted.some((state) => state === row["shown"]))
        )
      )
    } satisfies Asked
  })

/** Changes a few calls and deliveries, and sometimes the endpoint. */
const change = ({ id }: Account) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const [n, m] = [yield* below(60), yield* below(60)]
    yield* sql`
      update outdial_calls
      set status = 'canceled', ended_at = created_at
      where account_id = ${id} and status = 'queued'
        and id = (select c.id from outdial_calls as c where c.account_id = ${id} order by c.id offset ${n} limit 1)`
    yield* sql`
      update outdial_calls
      set transcript_deleted = not transcript_deleted
      where account_id = ${id}
        and id = (select c.id from outdial_calls as c where c.account_id = ${id} order by c.id offset ${m} limit 1)`
    yield* sql`
      update outdial_deliveries
      set state = case state when 'pending' then 'delivered' when 'delivered' then 'exhausted' else 'pending' end
      where account_id = ${id} and state <> 'sending'
        and id = (select d.id from outdial_deliveries as d where d.account_id = ${id} order by d.id offset ${n} limit 1)`
    if (yield* chance(0.3)) yield* sql`update outdial_webhooks set enabled = not enabled where account_id = ${id}`
  })

const walk = Effect.fnUntraced(function*(account: Account, { about, list, rows }: Asked) {
  let after: Page.PageRequest["after"] = Option.none()
  for (let pages = 0; pages < 100; pages++) {
    const limit = 1 + (yield* below(8))
    const behind = Array.filter(
      (yield* rows).toSorted(Page.compare),
      (row) => Option.match(after, { onNone: () => true, onSome: (last) => Page.compare(last, row) < 0 })
    )
    const { hasMore, items } = yield* list({ limit, after })
    assert.deepStrictEqual(
      { ids: items.map(({ id }) => id), hasMore },
      { ids: behind.slice(0, limit).map(({ id }) => id), hasMore: behind.length > limit },
      JSON.stringify(about)
    )
    const last = items.at(-1)
    if (!hasMore || last === undefined) return
    after = Option.some({ createdAt: last.createdAt, id: last.id })
    yield* change(account)
  }
})

const sameAsNaive = Effect.gen(function*() {
  const accounts = [yield* Account.make(), yield* Account.make()]
  for (const account of accounts) {
    yield* account.setWebhook
    yield* Effect.replicateEffect(makeCall(account), 60, { discard: true })
  }
  for (let round = 0; round < rounds; round++) {
    for (const account of accounts) {
      yield* walk(account, yield* calls(account))
      yield* walk(account, yield* events(account))
      yield* walk(account, yield* deliveries(account))
    }
  }
})

for (const [name, database] of Object.entries({ PGlite: Pglite.layer, Postgres: Postgres.layer })) {
  it.layer(Layer.provideMerge(SqlStorage.layer, database), { excludeTestServices: true, timeout: "60 seconds" })(
    `Lists on ${name}`,
    (it) => {
      it.effect(
        "show what a naive reading of all rows would",
        () => Random.withSeed(sameAsNaive, "lists"),
        120_000
      )
    }
  )
}
