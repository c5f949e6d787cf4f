/** Starts and reads batches. A start is one transaction with a constant number of statements, for any batch size. */
import { type Ids, type Page, StartDecision, Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import * as Agents from "../account/AgentStore.ts"
import * as BatchRows from "./BatchRows.ts"
import type { CallWriter } from "./CallWriter.ts"
import type { Database } from "../database/Database.ts"
import * as ReadDialFacts from "../policy/ReadDialFacts.ts"
import * as IdempotencyKeys from "./IdempotencyKeys.ts"
import * as Paging from "../database/Paging.ts"
import * as PlannerHints from "../database/PlannerHints.ts"

type Batches = Pick<Storage.CallStore["Service"], "startBatch" | "getBatch" | "listBatches">

/** A concurrent request has taken a number that the plan counted on. */
interface NumberTaken {
  readonly _tag: "NumberTaken"
}

type StartFailure = NumberTaken | IdempotencyKeys.KeyInFlight | SqlError.SqlError | Storage.StorageError

/**
 * How often a batch is planned again after it conflicted with another batch or call, which the next plan sees. This
 * exceeds the number of overlapping batches at once; each attempt lets at least one of them commit.
 */
const replans = 50

/** Batches with their calls. */
export const callsOf = ({ sql }: Pick<Database, "sql">) =>
  Effect.fnUntraced(function*(accountId: Ids.AccountId, batches: ReadonlyArray<BatchRows.BatchRow>) {
    if (batches.length === 0) return []
    // Indexes: outdial_call_requests_rows, in its order; then the primary key of the calls, once for each. A plain
    // read: a batch and its calls are written by one commit.
    const calls = yield* PlannerHints.plannedEachTime(sql<BatchRows.BatchCallRow>`
      select q.id, q.batch_id, q.batch_index, q.phone_number, q.contact, c.status, c.ended_at
      from outdial_call_requests as q
      cross join lateral (
        select c.status, c.ended_at
        from outdial_calls as c
        where c.account_id = ${accountId}
          and c.id = q.id
        ${PlannerHints.oneRow(sql)}
      ) as c
      where q.account_id = ${accountId}
        and q.batch_id = any(${batches.map(({ id }) => id)}::text[])
      order by q.batch_id, q.batch_index`)
    return BatchRows.toStored(batches, calls)
  })

export const make = (database: Database, writes: CallWriter): Batches => {
  const { sql, statement, transaction } = database
  const facts = ReadDialFacts.make(database)
  const withCalls = callsOf(database)
  const keys = IdempotencyKeys.make<Ids.BatchId>(database, "batches")
  const paging = Paging.make(database, { alias: "b" })

  const get = Effect.fnUntraced(function*(accountId: Ids.AccountId, id: Ids.BatchId) {
    // Index: primary key. A plain read: a batch never changes.
    const rows = yield* sql<BatchRows.BatchRow>`
      select b.*
      from outdial_batches as b
      where b.account_id = ${accountId}
        and b.id = ${id}`
    const [stored] = yield* withCalls(accountId, rows)
    return Option.fromUndefinedOr(stored)
  })

  /** Reads what the plan needs. */
  const readFacts = Effect.fnUntraced(function*(options: Storage.StartBatchOptions) {
    const { aliases, snapshot } = yield* facts.snapshot({ ...options, forNewCalls: {} })
    yield* facts.saveNumbers(snapshot.account, aliases)
    return { ...snapshot, agents: yield* Agents.latestOf(database, options.accountId, options.agentIds) }
  })

  const insert = (batch: Storage.BatchPlan["batch"]) =>
    sql`
      insert into outdial_batches (account_id, id, agent_id, test, accepted_count, rejected, created_at)
      values (
        ${batch.accountId}, ${batch.id}, ${batch.agentId}, ${batch.test}, ${batch.acceptedCount},
        ${JSON.stringify(batch.rejected)}::json, ${DateTime.toDateUtc(batch.createdAt)}
      )`

  const start = Effect.fnUntraced(function*(
    options: Storage.StartBatchOptions
  ): Effect.fn.Return<Storage.StartBatchResult, StartFailure> {
    const { accountId, events, now } = options
    const idempotency = Option.getOrUndefined(options.idempotency)
    if (idempotency !== undefined) {
      const key = (yield* keys.read(accountId, [idempotency.key])).get(idempotency.key)
      if (key?._tag === "Used") {
        const stored = Option.getOrUndefined(yield* get(accountId, key.resourceId))
        return StartDecision.ofBatchKey(key, idempotency.fingerprint, stored)
      }
      if (key?._tag === "KeyInFlight") return yield* Effect.fail(key)
    }
    const { batch, calls } = options.plan(yield* readFacts(options))
    yield* insert(batch)
    const added = yield* writes.add(accountId, calls)
    if (added < calls.length) return yield* Effect.fail<NumberTaken>({ _tag: "NumberTaken" })
    if (idempotency !== undefined) yield* keys.save(accountId, [{ idempotency, resourceId: batch.id, at: now }])
    const changes = calls.map((after) => ({ before: undefined, after }))
    yield* writes.record({ accountId, changes, events })
    // No call will end, so the batch is complete.
    if (calls.length === 0) yield* writes.outbox.endedEmpty(accountId, batch)
    return { _tag: "Started", stored: { batch, calls: BatchRows.inRowOrder(calls) } }
  })

  return {
    startBatch: Effect.fn("CallStore.startBatch")((options) =>
      // A retry repeats the whole, or the savepoint in a host's transaction: the rollback releases the locks that other
      // transactions may wait for.
      transaction<Storage.StartBatchResult, StartFailure>(start(options)).pipe(
        Effect.retry({ times: replans, while: ({ _tag }) => _tag === "NumberTaken" }),
        IdempotencyKeys.retryWhileKeyInFlight,
        Effect.catchTags({
          KeyInFlight: () => Effect.succeed<Storage.StartBatchResult>({ _tag: "KeyInUse" }),
          NumberTaken: () => new Storage.StorageError({ reason: "conflict", cause: new Error(numbersKeptChanging) })
        })
      )
    ),

    getBatch: Effect.fn("CallStore.getBatch")((accountId, id) => statement(get(accountId, id))),

    listBatches: Effect.fn("CallStore.listBatches")(({ accountId, page }) =>
      statement(Effect.gen(function*() {
        // Index: outdial_batches_newest. A plain read.
        const rows = yield* PlannerHints.plannedEachTime(sql<BatchRows.BatchRow>`
          select b.*
          from outdial_batches as b
          where ${sql.and([sql`b.account_id = ${accountId}`, paging.isList, ...paging.behind(page)])}
          order by ${paging.order}
          limit ${paging.limit(page)}`)
        const { hasMore, items } = Paging.toPage(rows, page, (row) => row)
        const list: Page.Page<Storage.StoredBatch> = { items: yield* withCalls(accountId, items), hasMore }
        return list
      }))
    )
  }
}

const numbersKeptChanging = "Calls to the numbers of the batch kept changing"
