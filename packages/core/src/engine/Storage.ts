/**
 * Port: everything that the engine stores, with a field for each store. A storage is provided as a whole, so that all
 * its stores work on the same data. `MemoryStorage` is the reference; `@outdial/testkit` has the contract that every
 * storage must pass. Each method of a store is one unit of work, atomic, and durable when it returns. Expected
 * conflicts are results. Time is an argument; decisions are pure functions that the storage calls inside its
 * transaction.
 */
import { Context, Effect, Layer } from "effect"
import { AccessStore } from "../access/AccessStore.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { AgentStore } from "../account/AgentStore.ts"
import { UsageStore } from "../account/UsageStore.ts"
import { CallStore } from "../call/CallStore.ts"
import { ConsoleStore } from "../console/ConsoleStore.ts"
import { ConversationStore } from "../conversation/ConversationStore.ts"
import { DispatchStore } from "../dispatch/DispatchStore.ts"
import { DoNotCallStore } from "../do-not-call/DoNotCallStore.ts"
import { EventStore } from "../event/EventStore.ts"
import { OutcomeStore } from "../outcome/OutcomeStore.ts"
import { OverviewStore } from "../overview/OverviewStore.ts"
import { PrivacyStore } from "../privacy/PrivacyStore.ts"
import { SecretStore } from "../secret/SecretStore.ts"
import { countingStorageErrors } from "../observe/CountingStorageErrors.ts"
import { StorageStats } from "../storage/StorageStats.ts"
import { WorkStore } from "../storage/WorkStore.ts"
import { SubscriptionStore } from "../subscription/SubscriptionStore.ts"
import { CarrierStore } from "../telephony/CarrierStore.ts"
import { ClockStore } from "../time/ClockStore.ts"
import { DeliveryStore } from "../webhook/DeliveryStore.ts"
import { WebhookStore } from "../webhook/WebhookStore.ts"
import { WorkerStore } from "../worker/WorkerStore.ts"

export { StorageError } from "../storage/StorageError.ts"
export type * from "../domain/Delivery.ts"
export type * from "../rules/policy/DialFacts.ts"
export type * from "../storage/AliasesOf.ts"
export * from "../access/AccessStore.ts"
export * from "../account/AccountStore.ts"
export * from "../account/AgentStore.ts"
export * from "../account/UsageStore.ts"
export * from "../call/CallStore.ts"
export * from "../console/ConsoleStore.ts"
export * from "../conversation/ConversationStore.ts"
export * from "../dispatch/DispatchStore.ts"
export * from "../do-not-call/DoNotCallStore.ts"
export * from "../event/EventStore.ts"
export * from "../outcome/OutcomeStore.ts"
export * from "../overview/OverviewStore.ts"
export * from "../privacy/PrivacyStore.ts"
export * from "../secret/SecretStore.ts"
export * from "../storage/StorageStats.ts"
export * from "../storage/WorkStore.ts"
export * from "../subscription/SubscriptionStore.ts"
export * from "../telephony/CarrierStore.ts"
export * from "../time/ClockStore.ts"
export * from "../webhook/DeliveryStore.ts"
export * from "../webhook/WebhookStore.ts"
export * from "../worker/WorkerStore.ts"

/** The stores, by the field of a storage that has each. */
export const stores = {
  accounts: AccountStore,
  agents: AgentStore,
  access: AccessStore,
  doNotCall: DoNotCallStore,
  calls: CallStore,
  dispatch: DispatchStore,
  carriers: CarrierStore,
  conversations: ConversationStore,
  outcomes: OutcomeStore,
  events: EventStore,
  webhooks: WebhookStore,
  deliveries: DeliveryStore,
  subscriptions: SubscriptionStore,
  privacy: PrivacyStore,
  secrets: SecretStore,
  usage: UsageStore,
  work: WorkStore,
  workers: WorkerStore,
  console: ConsoleStore,
  clock: ClockStore,
  stats: StorageStats,
  overviews: OverviewStore
} as const

type Stores = { readonly [Name in keyof typeof stores]: (typeof stores)[Name]["Service"] }

/** Every store, as the services that use them require it. */
export type AnyStore = Context.Service.Identifier<(typeof stores)[keyof typeof stores]>

export class Storage extends Context.Service<
  Storage,
  Stores & {
    /** Whether stored data survives the process. `Outdial.open` does not simulate phones on such a storage unless asked to. */
    readonly outlivesProcess: boolean
  }
>()("@outdial/core/engine/Storage") {}

/** The stores of the storage, for services that use some of them. Failures of their methods are counted. */
export const layerStores: Layer.Layer<AnyStore, never, Storage> = Layer.effectContext(
  Effect.map(Storage, (storage) =>
    Context.makeUnsafe<AnyStore>(
      new Map(
        Object.entries(stores).map(([name, { key }]) => [
          key,
          countingStorageErrors(name, storage[name as keyof Stores])
        ])
      )
    ))
)
