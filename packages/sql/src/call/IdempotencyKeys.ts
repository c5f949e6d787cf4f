/**
 * Idempotency keys: the first request with a key, and what it created. A request whose key is in flight holds no connection
 * while it waits: it rolls back and retries.
 */
import type { Ids, Storage } from "@outdial/core"
import { Clock, DateTime, Effect } from "effect"
import type { Database } from "../database/Database.ts"

/** The state of a key. */
export type KeyState<Id> =
  | { readonly _tag: "Free" }
  | { readonly _tag: "Used"; readonly resourceId: Id; readonly fingerprint: string }
  | KeyInFlight

/** Another request with the same key is being processed. */
export interface KeyInFlight {
  readonly _tag: "KeyInFlight"
}

/** A key, and what its request created. */
export interface UsedKey<Id> {
  readonly idempotency: Storage.Idempotency
  readonly resourceId: Id
  readonly at: DateTime.Utc
}

export const keyInFlight: KeyInFlight = { _tag: "KeyInFlight" }

/** How long a request waits for another with its key: 5 s, longer than a request and no longer than a caller waits. */
const retries = 50
const retryDelay = "100 millis"

/** The keys of one route; the same key on another route is another key. */
export const make = <Id extends Ids.CallId | Ids.BatchId>({ sql }: Database, route: "calls" | "batches") => ({
  /**
   * Reads the states of keys; a single free key is locked for this transaction. Several keys must be read after everything that
   * their plans see: a plan that sees a call, but not that the request's own key created it, would reject the request.
   */
  read: Effect.fnUntraced(function*(accountId: Ids.AccountId, keys: ReadonlyArray<string>) {
    const states = new Map(keys.map((key): [string, KeyState<Id>] => [key, { _tag: "Free" }]))
    const [first, ...others] = keys
    if (first === undefined) return states
    if (others.length === 0) {
      // No index: reads no table. The advisory lock, held until the transaction or savepoint ends, detects a key in flight
      // without waiting; two keys that share a lock by chance only cost a wait. Several keys are not locked: all transactions
      // together have room for a few thousand locks. Their conflicts are found in `save`, or at the phone number.
      const [turn] = yield* sql<{ readonly is_ours: boolean }>`
        select pg_try_advisory_xact_lock(
          hashtextextended(${["outdial", accountId, route, first].join(" ")}, 0)
        ) as is_ours`
      if (turn?.is_ours !== true) states.set(first, keyInFlight)
    }
    // Index: primary key. A plain read after the lock: sees what another request committed before it released the lock.
    const rows = yield* sql<KeyRow<Id>>`
      select i.key, i.resource_id, i.fingerprint
      from outdial_idempotency_keys as i
      where i.account_id = ${accountId}
        and i.route = ${route}
        and i.key = any(${keys}::text[])`
    for (const { fingerprint, key, resource_id } of rows) {
      states.set(key, { _tag: "Used", resourceId: resource_id, fingerprint })
    }
    return states
  }),

  /** Stores what the keys' requests created; fails if another request was first. */
  save: Effect.fnUntraced(function*(accountId: Ids.AccountId, made: ReadonlyArray<UsedKey<Id>>) {
    if (made.length === 0) return
    // Index: primary key, which decides.
    const saved = yield* sql`
      insert into outdial_idempotency_keys (account_id, route, key, fingerprint, resource_id, created_at)
      select ${accountId}, ${route}, r.key, r.fingerprint, r.resource_id, r.created_at
      from json_to_recordset(${JSON.stringify(made.map(toRow))}::json) as r (
        key text, fingerprint text, resource_id text, created_at timestamptz
      )
      on conflict do nothing
      returning key`
    if (saved.length < made.length) return yield* Effect.fail(keyInFlight)
  })
})

interface KeyRow<Id> {
  readonly key: string
  readonly resource_id: Id
  readonly fingerprint: string
}

const toRow = ({ at, idempotency, resourceId }: UsedKey<string>) => ({
  ...idempotency,
  resource_id: resourceId,
  created_at: DateTime.formatIso(at)
})

// In real time on every engine clock, because the request waits for the database.
const beforeRetry = Effect.sleep(retryDelay).pipe(
  Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()),
  Effect.as(true)
)

/** Repeats the transaction until the key is no longer in flight, or until the retries are used up. */
export const retryWhileKeyInFlight = <A, E, R>(
  unit: Effect.Effect<A, E | KeyInFlight, R>
): Effect.Effect<A, E | KeyInFlight, R> =>
  Effect.retry(unit, { times: retries, while: (error) => isKeyInFlight(error) ? beforeRetry : Effect.succeed(false) })

const isKeyInFlight = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "KeyInFlight"
