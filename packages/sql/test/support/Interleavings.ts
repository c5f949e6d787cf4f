/**
 * Two paths against each other, each at its own node: the first is stopped at one of its points, the second runs until it is done or
 * waits, then the first continues. The invariants hold, every call ends, and the result is that of one path after the other, except
 * for a claim, which does not wait for locks.
 */
import { type Ids, Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { anotherNode } from "./Concurrency.ts"
import * as Crossing from "./Deadlocks.ts"
import * as Stopping from "./Cancellation.ts"

/** Polls until a statement waits for a lock: longer than that takes, and shorter than a request waits for its key. */
const polls = 100

/** Starts the work and waits until it is done or waits for the other. */
const begin = Effect.fnUntraced(function*<A, E, R>(work: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const fiber = yield* Effect.forkChild(work)
  const blocked = sql`
    select 1
    from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  yield* Effect.raceFirst(
    Effect.repeat(blocked, { until: (rows) => rows.length > 0, times: polls }),
    Fiber.await(fiber)
  )
  return Fiber.join(fiber)
})

/** The invariants: each row describes a violation. */
const broken = Effect.fnUntraced(function*(accountId: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly what: string }>`
    select 'more lines than there are' as what
    from outdial_accounts as a
    where a.id = ${accountId}
      and a.lines < (
        select count(*)
        from outdial_calls as c
        where c.account_id = a.id and c.status in ('dialing', 'in_progress')
      )
    union all
    select 'a day counted wrong'
    from outdial_accounts as a
    where a.id = ${accountId}
      and a.day_started_at is not null
      and a.placed_today <> (
        select count(*)
        from outdial_calls as c
        where c.account_id = a.id and c.dialed_at >= a.day_started_at
      )
    union all
    select 'an end that is told ' || count(e.id) || ' times: ' || c.id || ' ' || c.status
    from outdial_calls as c
    left join outdial_events as e
      on e.account_id = c.account_id and e.call_id = c.id and e.type in ('call.completed', 'call.not_connected')
    where c.account_id = ${accountId}
    group by c.account_id, c.id, c.status, c.ended_at, c.outcome_due_at
    having count(e.id) <> (c.ended_at is not null and c.outcome_due_at is null)::int
    union all
    select 'an event that is not delivered to both: ' || e.id
    from outdial_events as e
    where e.account_id = ${accountId}
      and 2 <> (select count(*) from outdial_deliveries as d where d.account_id = e.account_id and d.event_id = e.id)
    union all
    select 'a key of nothing: ' || i.key
    from outdial_idempotency_keys as i
    where i.account_id = ${accountId}
      and not exists (select 1 from outdial_calls as c where c.account_id = i.account_id and c.id = i.resource_id)
      and not exists (select 1 from outdial_batches as b where b.account_id = i.account_id and b.id = i.resource_id)
    union all
    select 'a batch whose completion nobody will see: ' || b.id
    from outdial_batches as b
    where b.account_id = ${accountId}
      and not exists (
        select 1
        from outdial_call_requests as r
        join outdial_calls as c on c.account_id = r.account_id and c.id = r.id
        where r.account_id = b.account_id and r.batch_id = b.id and (c.ended_at is null or c.outcome_due_at is not null)
      )
      and not exists (select 1 from outdial_events as e where e.account_id = b.account_id and e.batch_id = b.id)
      and not exists (select 1 from outdial_batch_ends as n where n.account_id = b.account_id and n.batch_id = b.id)`
  return rows.map(({ what }) => what)
})

/** Ended calls without a terminal event. */
const open = Effect.fnUntraced(function*(accountId: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`
    select c.id
    from outdial_calls as c
    where c.account_id = ${accountId} and (c.ended_at is null or c.outcome_due_at is not null)`
  return rows.map(({ id }) => `a call that does not end: ${id}`)
})

export const make = Effect.gen(function*() {
  const storage = yield* Storage.Storage
  const other = yield* anotherNode
  const template = yield* Crossing.make
  const copy = yield* Stopping.copying
  const contents = yield* Stopping.contents

  const fresh = Effect.gen(function*() {
    const accountId = Factories.accountId()
    yield* copy(template, accountId)
    return accountId
  })

  const run = (accountId: Ids.AccountId, name: string, node = storage) =>
    Crossing.paths[name]?.(node, accountId) ?? Effect.void

  /** The result of paths one after another. */
  const oneByOne = Effect.fnUntraced(function*(...names: ReadonlyArray<string>) {
    const accountId = yield* fresh
    for (const name of names) yield* run(accountId, name)
    return JSON.stringify(yield* contents(accountId))
  })

  /** Stops the first at the point; returns the result, or nothing if it has no such point. */
  const crossed = Effect.fnUntraced(function*(first: string, second: string, point: Point) {
    const accountId = yield* fresh
    const { goOn, isStopped } = point === "commit"
      ? yield* Stopping.beforeCommit(run(accountId, first))
      : yield* Stopping.before(run(accountId, first), point)
    if (!isStopped) return undefined
    const finish = yield* begin(run(accountId, second, other))
    yield* goOn
    yield* finish
    const state = JSON.stringify(yield* contents(accountId))
    const faults = yield* broken(accountId)
    yield* Crossing.finish(storage, accountId)
    return { state, faults: [...faults, ...yield* broken(accountId), ...yield* open(accountId)] }
  })

  /** Every state that the two may result in. */
  const expected = (first: string, second: string) =>
    Effect.all([
      oneByOne(first, second),
      oneByOne(second, first),
      // A claim that finds the account locked has nothing to do.
      ...(second === "claim" ? [oneByOne(first)] : [])
    ])

  return { crossed, expected }
})

/** Where a path is stopped: before the statement of this number, or after all and before the commit. */
export type Point = number | "commit"

/** More than any path has statements. */
const mostStatements = 20

export const points: ReadonlyArray<Point> = [...Array.from({ length: mostStatements }, (_, index) => index), "commit"]

/**
 * What comes of a claim and these is in no order, and right all the same. A claim counts lines first and looks at numbers
 * later, and passes over rows that are held; so it takes less than it might, and the rest is due for the next one. A claim of
 * outcomes does so, too, and so does the settling of ends; who finds the endpoint held leaves deliveries to be claimed. A call that expires
 * during a claim says that no line was free, if the claim has taken the last. The janitor and the seals are several units of work, between
 * which others come. Stopped before its commit a path is in a host's transaction, where nothing is handed over.
 */
export const isInOrder = (first: string, second: string, point: Point): boolean =>
  ![first, second].includes("janitor") && ![first, second].includes("settling of ends") &&
  !([first, second].includes("claim") &&
    ["expiry", "report of ends", "report of talks", "return", "replanning"].some((one) =>
      one === first || one === second
    )) &&
  !(first === "seals of conversations" && ["words of conversations", "claim of outcomes"].includes(second)) &&
  !([first, second].includes("claim of outcomes") &&
    ["outcome", "outcome with an opt-out"].some((one) => one === first || one === second)) &&
  ![first, second].every((one) => ofEndpoint.has(one)) &&
  !(point === "commit" && ofEndpoint.has(first))

/** Paths that read or change what may be sent to the endpoint. */
const ofEndpoint: ReadonlySet<string> = new Set([
  "report of an answer",
  "report of ends",
  "outcome",
  "outcome with an opt-out",
  "claim of deliveries",
  "failure of a delivery",
  "another address"
])
