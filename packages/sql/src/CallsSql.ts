/** Starting and reading calls. */
import { type Agent, DialFacts, type Ids, Storage } from "@outdial/core"
import { Effect, Option, Result } from "effect"
import type { SqlError } from "effect/sql"
import * as AgentsSql from "./AgentsSql.ts"
import * as CallRows from "./CallRows.ts"
import type { CallWrites } from "./CallWrites.ts"
import type { Database } from "./Database.ts"
import { notErased } from "./ErasedCallees.ts"
import * as FactsSql from "./FactsSql.ts"
import * as IdempotencySql from "./IdempotencySql.ts"
import * as RequestsSql from "./RequestsSql.ts"

type CallsSql = Pick<Storage.Storage["Service"], "startCall" | "getCall">

/** How often the call in the way may have moved on before its number is taken to be fought over. */
const attempts = 5

/** An answer that keeps nothing: failing with it undoes what the unit has written so far. */
interface Undone<Refusal> {
  readonly _tag: "Undone"
  readonly result: Storage.StartResult<Refusal>
}

type StartFailure<Refusal> =
  | Undone<Refusal>
  | IdempotencySql.TwinAtWork
  | SqlError.SqlError
  | Storage.StorageError

const undo = <Refusal>(result: Storage.StartResult<Refusal>) => Effect.fail<Undone<Refusal>>({ _tag: "Undone", result })

export const make = (database: Database, writes: CallWrites): CallsSql => {
  const { sql, statement, transaction } = database
  const facts = FactsSql.make(database)
  const keys = IdempotencySql.make<Ids.CallId>(database, "calls")

  const getCall = (accountId: Ids.AccountId, id: Ids.CallId) =>
    // Index: primary key. A plain read.
    Effect.map(
      sql<CallRows.CallRow>`
        select c.*, q.*
        from outdial_calls as c
        ${RequestsSql.join(sql, accountId)}
        where c.account_id = ${accountId}
          and c.id = ${id}
          and ${notErased(sql, "c")}`,
      ([row]) => Option.map(Option.fromUndefinedOr(row), CallRows.toCall)
    )

  /** Goes on when the key is now this request's; else answers what the key stands for. */
  const takeKey = Effect.fnUntraced(function*(options: IdempotencySql.TakeOptions) {
    const key = yield* keys.take(options)
    if (key._tag === "Taken") return
    const call = yield* getCall(options.accountId, key.resourceId)
    return yield* undo<never>(
      Option.isSome(call) && key.fingerprint === options.idempotency.fingerprint
        ? { _tag: "Replayed", call: call.value }
        : { _tag: "KeyReused", callId: key.resourceId }
    )
  })

  /** Plans the call and puts it in its place; answers `undefined` when another call has taken it meanwhile. */
  const planned = Effect.fnUntraced(
    function*<Refusal>(options: Storage.StartOptions<Refusal>, agent: Option.Option<Agent.Agent>) {
      const { accountId, phoneNumber } = options
      const { numbers, ...account } = yield* facts.standing({ ...options, phoneNumbers: [phoneNumber] }, { keep: true })
      const known = { ...account, number: numbers.get(phoneNumber) ?? DialFacts.unknownNumber }
      const plan = options.plan({ ...known, agent })
      if (Result.isFailure(plan)) return yield* undo<Refusal>({ _tag: "Refused", reason: plan.failure })
      return (yield* writes.add(accountId, [plan.success])) > 0 ? { call: plan.success, facts: known } : undefined
    }
  )

  const start = Effect.fnUntraced(function*<Refusal>(options: Storage.StartOptions<Refusal>) {
    const { accountId, events, now } = options
    const idempotency = Option.getOrUndefined(options.idempotency)
    if (idempotency !== undefined) yield* takeKey({ accountId, idempotency, now })
    const agent = yield* AgentsSql.latest(database, accountId, options.agentId)
    for (let attempt = 0; attempt < attempts; attempt++) {
      const started = yield* planned(options, agent)
      if (started === undefined) continue
      const { call, facts } = started
      if (idempotency !== undefined) yield* keys.keep(accountId, idempotency, call.id)
      yield* writes.record({ accountId, changes: [{ before: undefined, after: call }], events })
      return { _tag: "Started", call, facts } satisfies Storage.StartResult<Refusal>
    }
    const cause = new Error("Calls to one number come and go too fast")
    return yield* new Storage.StorageError({ reason: "conflict", cause })
  })

  return {
    startCall: Effect.fn("Storage.startCall")(<Refusal>(options: Storage.StartOptions<Refusal>) =>
      IdempotencySql.afterTwin(transaction<Storage.StartResult<Refusal>, StartFailure<Refusal>>(start(options))).pipe(
        Effect.catchTags({
          Undone: ({ result }) => Effect.succeed(result),
          TwinAtWork: () => Effect.succeed<Storage.StartResult<Refusal>>({ _tag: "KeyInUse" })
        })
      )
    ),
    getCall: Effect.fn("Storage.getCall")((accountId, id) => statement(getCall(accountId, id)))
  }
}
