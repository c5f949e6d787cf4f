/**
 * The storage of Outdial on SQL, for Postgres 14 and later and for PGlite. Guarantees what the `Storage` port promises on
 * whatever `SqlClient` the host provides, inside the host's transactions too; leaves connecting and migrating to others.
 */
import { Storage } from "@outdial/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as AccountsSql from "./account/Accounts.ts"
import * as AgentsSql from "./account/Agents.ts"
import * as BatchesSql from "./call/Batches.ts"
import * as CallListSql from "./call/ListCalls.ts"
import * as CallsSql from "./call/Calls.ts"
import * as CallWrites from "./call/CallWriter.ts"
import * as CancelSql from "./call/Cancel.ts"
import * as ClaimSql from "./dispatch/Claim.ts"
import * as CompletionSql from "./call/CompleteBatches.ts"
import * as Database from "./database/Database.ts"
import * as DeliveriesSql from "./webhook/Deliveries.ts"
import * as DeliveryLogSql from "./webhook/DeliveryLog.ts"
import * as DispatchSql from "./dispatch/Dispatch.ts"
import * as DoNotCallSql from "./do-not-call/DoNotCall.ts"
import * as ErasureKeysSql from "./privacy/ErasureKeys.ts"
import * as ErasureSql from "./privacy/Erasure.ts"
import * as EventsSql from "./event/Events.ts"
import * as FactsSql from "./policy/ReadDialFacts.ts"
import * as FeedSql from "./event/Feed.ts"
import * as HangUpSql from "./dispatch/HangUp.ts"
import * as KeysSql from "./access/ApiKeys.ts"
import * as Lifetime from "./connection/Lifetime.ts"
import * as ObservingSql from "./observe/StorageStats.ts"
import * as OutcomesSql from "./outcome/Outcomes.ts"
import * as RedeliverySql from "./webhook/Redelivery.ts"
import * as ReplanSql from "./dispatch/Replan.ts"
import * as RequestWindowsSql from "./access/RequestWindows.ts"
import * as RetentionSql from "./privacy/Retention.ts"
import * as SetBackSql from "./time/ClockSetBack.ts"
import * as SubscribersSql from "./subscription/Subscribers.ts"
import * as UsageSql from "./account/Usage.ts"
import * as WebhookSql from "./webhook/Webhooks.ts"
import * as WorkersSql from "./worker/Workers.ts"
import * as WorkSql from "./loop/DueWork.ts"

/** Storage on the `SqlClient` in scope, whose database `Migrations.run` has prepared. */
export const layer: Layer.Layer<Storage.Storage, never, SqlClient.SqlClient> = Layer.effect(
  Storage.Storage,
  Effect.gen(function*() {
    const database = Database.make(yield* SqlClient.SqlClient)
    const writes = CallWrites.make(database)
    const facts = FactsSql.make(database)
    const { dueSince, ...work } = WorkSql.make(database)
    return Storage.Storage.of({
      outlivesProcess: yield* Lifetime.OutlivesProcess,
      ...AccountsSql.make(database),
      ...AgentsSql.make(database),
      ...KeysSql.make(database),
      ...yield* RequestWindowsSql.make(database),
      ...yield* CallsSql.make(database, writes),
      ...CallListSql.make(database),
      ...BatchesSql.make(database, writes),
      ...DoNotCallSql.make(database, writes),
      dialFacts: Effect.fn("Storage.dialFacts")((options) => database.statement(facts.standing(options))),
      ...CancelSql.make(database, writes),
      ...work,
      ...ObservingSql.make(database, dueSince),
      ...ClaimSql.make(database, writes),
      replanCalls: ReplanSql.make(database, writes).replanCalls,
      ...DispatchSql.make(database, writes),
      ...OutcomesSql.make(database, writes),
      ...WebhookSql.make(database),
      ...DeliveriesSql.make(database),
      ...RedeliverySql.make(database),
      ...DeliveryLogSql.make(database),
      ...SubscribersSql.make(database),
      ...CompletionSql.make(database, writes),
      ...FeedSql.make(database),
      ...EventsSql.make(database),
      ...HangUpSql.make(database, writes),
      ...UsageSql.make(database),
      ...RetentionSql.make(database, writes),
      ...ErasureKeysSql.make(database),
      ...ErasureSql.make(database, writes),
      ...WorkersSql.make(database),
      ...SetBackSql.make(database, writes)
    })
  })
)
