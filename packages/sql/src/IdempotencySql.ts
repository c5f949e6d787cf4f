/** Idempotency keys: who came first with a key, and which call it made. */
import type { Ids, Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Database } from "./Database.ts"

/** What stands behind a key. */
export type TakeResult =
  | { readonly _tag: "Taken" }
  | { readonly _tag: "Used"; readonly callId: Ids.CallId; readonly fingerprint: string }
  | { readonly _tag: "InUse" }

export interface TakeOptions {
  readonly accountId: Ids.AccountId
  readonly idempotency: Storage.Idempotency
  readonly now: DateTime.Utc
  /** Whether the transaction is a host's, whose settings come back when the key has been taken. */
  readonly hosted: boolean
}

/** How long a request waits for its twin: longer than a request takes, and not longer than a caller waits. */
const twinTimeout = "5s"

/** The route that takes keys; the same key on another route will be another key. */
const route = "calls"

export const make = ({ sql }: Database) => {
  const insert = ({ accountId, idempotency, now }: TakeOptions) =>
    // Index: primary key, at which a twin waits for the first to commit or go. The timeout is set in the same statement,
    // before the row is written, and lasts to the end of the transaction or savepoint.
    sql`
      insert into outdial_idempotency_keys (account_id, route, key, fingerprint, created_at)
      select ${accountId}, ${route}, ${idempotency.key}, ${idempotency.fingerprint}, ${DateTime.toDateUtc(now)}
      from set_config('lock_timeout', ${twinTimeout}, true)
      on conflict do nothing
      returning key`

  const read = ({ accountId, idempotency }: TakeOptions) =>
    // Index: primary key. A plain read of what has committed.
    sql<{ readonly call_id: Ids.CallId; readonly fingerprint: string }>`
      select i.call_id, i.fingerprint
      from outdial_idempotency_keys as i
      where i.account_id = ${accountId}
        and i.route = ${route}
        and i.key = ${idempotency.key}`

  const take = Effect.fnUntraced(function*(options: TakeOptions) {
    const before = options.hosted
      ? yield* sql<{ readonly value: string }>`select current_setting('lock_timeout') as value`
      : []
    const inserted = yield* insert(options)
    yield* Effect.forEach(before, ({ value }) => sql`select set_config('lock_timeout', ${value}, true)`)
    if (inserted.length > 0) return taken
    const [row] = yield* read(options)
    // Gone between the two statements: the caller may try again, as with a twin that does not end.
    return row === undefined ? inUse : used(row.call_id, row.fingerprint)
  })

  return {
    /** Takes the key for the transaction that is open, once a twin that has taken it has ended. */
    take: (options: TakeOptions) =>
      take(options).pipe(
        // A host may allow statements less time than twins get; only the wait makes this one slow.
        Effect.catchReasons("SqlError", {
          LockTimeoutError: () => Effect.succeed(inUse),
          StatementTimeoutError: () => Effect.succeed(inUse)
        })
      ),

    /** Keeps the call that the key made. */
    keep: (accountId: Ids.AccountId, { key }: Storage.Idempotency, callId: Ids.CallId) =>
      // Index: primary key. The row is this transaction's own.
      sql`
        update outdial_idempotency_keys as i
        set call_id = ${callId}
        where i.account_id = ${accountId}
          and i.route = ${route}
          and i.key = ${key}`
  }
}

const taken: TakeResult = { _tag: "Taken" }
const inUse: TakeResult = { _tag: "InUse" }
const used = (callId: Ids.CallId, fingerprint: string): TakeResult => ({ _tag: "Used", callId, fingerprint })
