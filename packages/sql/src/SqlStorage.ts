/**
 * The storage of Outdial on SQL, for Postgres 14 and later and for PGlite. Implements the `Storage` port on any
 * `SqlClient` of the host, also inside the host's transactions. Connecting and migrating are separate.
 */
import { Storage } from "@outdial/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as AccessStore from "./access/AccessStore.ts"
import * as AccountStore from "./account/AccountStore.ts"
import * as AgentStore from "./account/AgentStore.ts"
import * as UsageStore from "./account/UsageStore.ts"
import * as CallStore from "./call/CallStore.ts"
import * as CallWriter from "./call/CallWriter.ts"
import * as Lifetime from "./connection/Lifetime.ts"
import * as ConsoleStore from "./console/ConsoleStore.ts"
import * as ConversationStore from "./conversation/ConversationStore.ts"
import * as Database from "./database/Database.ts"
import * as DispatchStore from "./dispatch/DispatchStore.ts"
import * as DoNotCallStore from "./do-not-call/DoNotCallStore.ts"
import * as EventStore from "./event/EventStore.ts"
import * as WorkStore from "./loop/WorkStore.ts"
import * as StorageStats from "./observe/StorageStats.ts"
import * as OutcomeStore from "./outcome/OutcomeStore.ts"
import * as OverviewStore from "./overview/OverviewStore.ts"
import * as PrivacyStore from "./privacy/PrivacyStore.ts"
import * as SecretStore from "./secret/SecretStore.ts"
import * as SubscriptionStore from "./subscription/SubscriptionStore.ts"
import * as CarrierStore from "./telephony/CarrierStore.ts"
import * as ClockStore from "./time/ClockStore.ts"
import * as DeliveryStore from "./webhook/DeliveryStore.ts"
import * as WebhookStore from "./webhook/WebhookStore.ts"
import * as WorkerStore from "./worker/WorkerStore.ts"

/** Storage on the `SqlClient` in scope, whose database `Migrations.run` has prepared. */
export const layer: Layer.Layer<Storage.Storage, never, SqlClient.SqlClient> = Layer.effect(
  Storage.Storage,
  Effect.gen(function*() {
    const database = Database.make(yield* SqlClient.SqlClient)
    const writes = CallWriter.make(database)
    const { dueSince, ...work } = WorkStore.make(database)
    return Storage.Storage.of({
      outlivesProcess: yield* Lifetime.OutlivesProcess,
      accounts: AccountStore.make(database),
      agents: AgentStore.make(database),
      access: yield* AccessStore.make(database),
      doNotCall: DoNotCallStore.make(database, writes),
      calls: yield* CallStore.make(database, writes),
      dispatch: DispatchStore.make(database, writes),
      carriers: CarrierStore.make(database),
      conversations: ConversationStore.make(database, writes),
      outcomes: OutcomeStore.make(database, writes),
      events: EventStore.make(database),
      webhooks: WebhookStore.make(database),
      deliveries: DeliveryStore.make(database),
      subscriptions: SubscriptionStore.make(database),
      privacy: PrivacyStore.make(database, writes),
      secrets: SecretStore.make(database),
      usage: UsageStore.make(database),
      work,
      workers: WorkerStore.make(database),
      console: ConsoleStore.make(database),
      clock: ClockStore.make(database, writes),
      stats: StorageStats.make(database, dueSince),
      overviews: OverviewStore.make(database)
    })
  })
)
