/**
 * Idempotency keys: who came first with a key, and what it made. A request whose twin is being worked on holds no connection
 * while it waits: it gives up its unit, and looks again.
 */
import type { Ids, Storage } from "@outdial/core"
import { Clock, DateTime, Effect } from "effect"
import type { Database } from "./Database.ts"

/** What stands behind a key. */
export type TakeResult<Id> =
  | { readonly _tag: "Taken" }
  | { readonly _tag: "Used"; readonly resourceId: Id; readonly fingerprint: string }

/** Another request with the key is being worked on. */
export interface TwinAtWork {
  readonly _tag: "TwinAtWork"
}

export interface TakeOptions {
  readonly accountId: Ids.AccountId
  readonly idempotency: Storage.Idempotency
  readonly now: DateTime.Utc
}

/** How long a request waits for its twin, in all 5 s: longer than a request takes, and not longer than a caller waits. */
const looks = 50
const lookEvery = "100 millis"

/** The keys of one route; the same key on another route is another key. */
export const make = <Id extends Ids.CallId | Ids.BatchId>({ sql }: Database, route: "calls" | "batches") => {
  const insert = ({ accountId, idempotency, now }: TakeOptions) =>
    // Index: primary key, which decides. The advisory lock, held until the transaction or savepoint ends, only tells a twin
    // that is at work without waiting for it; that two keys share one by chance costs a wait and nothing else.
    sql`
      insert into outdial_idempotency_keys (account_id, route, key, fingerprint, created_at)
      select ${accountId}, ${route}, ${idempotency.key}, ${idempotency.fingerprint}, ${DateTime.toDateUtc(now)}
      from pg_try_advisory_xact_lock(
        hashtextextended(${["outdial", accountId, route, idempotency.key].join(" ")}, 0)
      ) as turn (is_ours)
      where turn.is_ours
      on conflict do nothing
      returning key`

  const read = ({ accountId, idempotency }: TakeOptions) =>
    // Index: primary key. A plain read of what has committed.
    sql<{ readonly resource_id: Id; readonly fingerprint: string }>`
      select i.resource_id, i.fingerprint
      from outdial_idempotency_keys as i
      where i.account_id = ${accountId}
        and i.route = ${route}
        and i.key = ${idempotency.key}`

  return {
    /** Takes the key for the transaction that is open, or tells what it made before. */
    take: Effect.fnUntraced(function*(options: TakeOptions) {
      const inserted = yield* insert(options)
      if (inserted.length > 0) return taken
      const [row] = yield* read(options)
      if (row === undefined) return yield* Effect.fail<TwinAtWork>({ _tag: "TwinAtWork" })
      const used: TakeResult<Id> = { _tag: "Used", resourceId: row.resource_id, fingerprint: row.fingerprint }
      return used
    }),

    /** Keeps what the key made. */
    keep: (accountId: Ids.AccountId, { key }: Storage.Idempotency, resourceId: Id) =>
      // Index: primary key. The row is this transaction's own.
      sql`
        update outdial_idempotency_keys as i
        set resource_id = ${resourceId}
        where i.account_id = ${accountId}
          and i.route = ${route}
          and i.key = ${key}`
  }
}

const taken: TakeResult<never> = { _tag: "Taken" }

// In real time on every engine clock, because what is waited for happens in the database.
const untilNextLook = Effect.sleep(lookEvery).pipe(
  Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()),
  Effect.as(true)
)

/** Does the unit again until no twin is at work, or for as long as a caller waits. */
export const afterTwin = <A, E, R>(unit: Effect.Effect<A, E | TwinAtWork, R>): Effect.Effect<A, E | TwinAtWork, R> =>
  Effect.retry(unit, { times: looks, while: (error) => isTwinAtWork(error) ? untilNextLook : Effect.succeed(false) })

const isTwinAtWork = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "TwinAtWork"
