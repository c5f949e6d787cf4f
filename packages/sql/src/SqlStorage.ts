/**
 * The storage of Outdial on SQL, for Postgres 14 and later and for PGlite. Guarantees what the `Storage` port promises on
 * whatever `SqlClient` the host provides, inside the host's transactions too; leaves connecting and migrating to others.
 */
import { Storage } from "@outdial/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Accounts from "./account/Accounts.ts"
import * as Agents from "./account/Agents.ts"
import * as Batches from "./call/Batches.ts"
import * as ListCalls from "./call/ListCalls.ts"
import * as Calls from "./call/Calls.ts"
import * as CallWriter from "./call/CallWriter.ts"
import * as Cancel from "./call/Cancel.ts"
import * as Claim from "./dispatch/Claim.ts"
import * as CompleteBatches from "./call/CompleteBatches.ts"
import * as Database from "./database/Database.ts"
import * as Deliveries from "./webhook/Deliveries.ts"
import * as DeliveryLog from "./webhook/DeliveryLog.ts"
import * as Dispatch from "./dispatch/Dispatch.ts"
import * as DoNotCall from "./do-not-call/DoNotCall.ts"
import * as ErasureKeys from "./privacy/ErasureKeys.ts"
import * as Erasure from "./privacy/Erasure.ts"
import * as Events from "./event/Events.ts"
import * as ReadDialFacts from "./policy/ReadDialFacts.ts"
import * as Feed from "./event/Feed.ts"
import * as HangUp from "./dispatch/HangUp.ts"
import * as ApiKeys from "./access/ApiKeys.ts"
import * as Lifetime from "./connection/Lifetime.ts"
import * as StorageStats from "./observe/StorageStats.ts"
import * as Outcomes from "./outcome/Outcomes.ts"
import * as Redelivery from "./webhook/Redelivery.ts"
import * as Replan from "./dispatch/Replan.ts"
import * as RequestWindows from "./access/RequestWindows.ts"
import * as Retention from "./privacy/Retention.ts"
import * as ClockSetBack from "./time/ClockSetBack.ts"
import * as Subscribers from "./subscription/Subscribers.ts"
import * as Usage from "./account/Usage.ts"
import * as Webhooks from "./webhook/Webhooks.ts"
import * as Workers from "./worker/Workers.ts"
import * as DueWork from "./loop/DueWork.ts"

/** Storage on the `SqlClient` in scope, whose database `Migrations.run` has prepared. */
export const layer: Layer.Layer<Storage.Storage, never, SqlClient.SqlClient> = Layer.effect(
  Storage.Storage,
  Effect.gen(function*() {
    const database = Database.make(yield* SqlClient.SqlClient)
    const writes = CallWriter.make(database)
    const facts = ReadDialFacts.make(database)
    const { dueSince, ...work } = DueWork.make(database)
    return Storage.Storage.of({
      outlivesProcess: yield* Lifetime.OutlivesProcess,
      ...Accounts.make(database),
      ...Agents.make(database),
      ...ApiKeys.make(database),
      ...yield* RequestWindows.make(database),
      ...yield* Calls.make(database, writes),
      ...ListCalls.make(database),
      ...Batches.make(database, writes),
      ...DoNotCall.make(database, writes),
      dialFacts: Effect.fn("Storage.dialFacts")((options) => database.statement(facts.standing(options))),
      ...Cancel.make(database, writes),
      ...work,
      ...StorageStats.make(database, dueSince),
      ...Claim.make(database, writes),
      replanCalls: Replan.make(database, writes).replanCalls,
      ...Dispatch.make(database, writes),
      ...Outcomes.make(database, writes),
      ...Webhooks.make(database),
      ...Deliveries.make(database),
      ...Redelivery.make(database),
      ...DeliveryLog.make(database),
      ...Subscribers.make(database),
      ...CompleteBatches.make(database, writes),
      ...Feed.make(database),
      ...Events.make(database),
      ...HangUp.make(database, writes),
      ...Usage.make(database),
      ...Retention.make(database, writes),
      ...ErasureKeys.make(database),
      ...Erasure.make(database, writes),
      ...Workers.make(database),
      ...ClockSetBack.make(database, writes)
    })
  })
)
