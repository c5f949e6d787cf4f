/**
 * The storage of Outdial on SQL, for Postgres 14 and later and for PGlite. Guarantees what the `Storage` port promises on
 * whatever `SqlClient` the host provides, inside the host's transactions too; leaves connecting and migrating to others.
 */
import { Storage } from "@outdial/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as AccountsSql from "./AccountsSql.ts"
import * as AgentsSql from "./AgentsSql.ts"
import * as BatchesSql from "./BatchesSql.ts"
import * as CallListSql from "./CallListSql.ts"
import * as CallsSql from "./CallsSql.ts"
import * as CallWrites from "./CallWrites.ts"
import * as CancelSql from "./CancelSql.ts"
import * as ClaimSql from "./ClaimSql.ts"
import * as CompletionSql from "./CompletionSql.ts"
import * as Database from "./Database.ts"
import * as DeliveriesSql from "./DeliveriesSql.ts"
import * as DeliveryLogSql from "./DeliveryLogSql.ts"
import * as DispatchSql from "./DispatchSql.ts"
import * as DoNotCallSql from "./DoNotCallSql.ts"
import * as ErasureKeysSql from "./ErasureKeysSql.ts"
import * as ErasureSql from "./ErasureSql.ts"
import * as EventsSql from "./EventsSql.ts"
import * as FactsSql from "./FactsSql.ts"
import * as FeedSql from "./FeedSql.ts"
import * as HangUpSql from "./HangUpSql.ts"
import * as KeysSql from "./KeysSql.ts"
import * as Lifetime from "./Lifetime.ts"
import * as ObservingSql from "./ObservingSql.ts"
import * as OutcomesSql from "./OutcomesSql.ts"
import * as RedeliverySql from "./RedeliverySql.ts"
import * as ReplanSql from "./ReplanSql.ts"
import * as RequestWindowsSql from "./RequestWindowsSql.ts"
import * as RetentionSql from "./RetentionSql.ts"
import * as SetBackSql from "./SetBackSql.ts"
import * as SubscribersSql from "./SubscribersSql.ts"
import * as UsageSql from "./UsageSql.ts"
import * as WebhookSql from "./WebhookSql.ts"
import * as WorkersSql from "./WorkersSql.ts"
import * as WorkSql from "./WorkSql.ts"

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
