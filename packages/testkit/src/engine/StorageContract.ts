/**
 * The contract of `Storage`: a suite for each store, and one for stores together. One call runs all of them against a layer.
 * Each test has its own account, so the suites can run on a shared storage. Time is an argument.
 */
import { it } from "@effect/vitest"
import type { Storage } from "@outdial/core"
import type { Layer } from "effect"
import { describe } from "vitest"
import * as AccessStore from "../access/AccessStoreContract.ts"
import * as AccountStore from "../account/AccountStoreContract.ts"
import * as AgentStore from "../account/AgentStoreContract.ts"
import * as UsageStore from "../account/UsageStoreContract.ts"
import * as BatchedWrites from "../call/CallStoreContract/BatchedWrites.ts"
import * as Batches from "../call/CallStoreContract/Batches.ts"
import * as Costs from "../call/CallStoreContract/Costs.ts"
import * as CompleteBatches from "../call/CallStoreContract/CompleteBatches.ts"
import * as HangUp from "../call/CallStoreContract/HangUp.ts"
import * as StartCall from "../call/CallStoreContract/StartCall.ts"
import * as ConsoleStore from "../console/ConsoleStoreContract.ts"
import * as Conversations from "../conversation/ConversationStoreContract/Conversations.ts"
import * as Ends from "../conversation/ConversationStoreContract/Ends.ts"
import * as Carriers from "../dispatch/DispatchStoreContract/Carriers.ts"
import * as Claim from "../dispatch/DispatchStoreContract/Claim.ts"
import * as Expiry from "../dispatch/DispatchStoreContract/Expiry.ts"
import * as HeldCalls from "../dispatch/DispatchStoreContract/HeldCalls.ts"
import * as HoldHistory from "../dispatch/DispatchStoreContract/HoldHistory.ts"
import * as HoldPeriods from "../dispatch/DispatchStoreContract/HoldPeriods.ts"
import * as Replan from "../dispatch/DispatchStoreContract/Replan.ts"
import * as Report from "../dispatch/DispatchStoreContract/Report.ts"
import * as Routes from "../dispatch/DispatchStoreContract/Routes.ts"
import * as DoNotCallStore from "../do-not-call/DoNotCallStoreContract.ts"
import * as EventStore from "../event/EventStoreContract.ts"
import * as OutcomeStore from "../outcome/OutcomeStoreContract.ts"
import * as OverviewStore from "../overview/OverviewStoreContract.ts"
import * as Erasure from "../privacy/PrivacyStoreContract/Erasure.ts"
import * as Retention from "../privacy/PrivacyStoreContract/Retention.ts"
import * as SecretStore from "../secret/SecretStoreContract.ts"
import type { Cases } from "../storage/Cases.ts"
import * as StorageStats from "../storage/StorageStatsContract.ts"
import * as WorkStore from "../storage/WorkStoreContract.ts"
import * as SubscriptionStore from "../subscription/SubscriptionStoreContract.ts"
import * as CarrierStore from "../telephony/CarrierStoreContract.ts"
import * as ClockStore from "../time/ClockStoreContract.ts"
import * as Breaker from "../webhook/DeliveryStoreContract/Breaker.ts"
import * as Deliver from "../webhook/DeliveryStoreContract/Deliver.ts"
import * as Log from "../webhook/DeliveryStoreContract/Log.ts"
import * as Prefetch from "../webhook/DeliveryStoreContract/Prefetch.ts"
import * as Redeliver from "../webhook/DeliveryStoreContract/Redeliver.ts"
import * as WebhookStore from "../webhook/WebhookStoreContract.ts"
import * as WorkerStore from "../worker/WorkerStoreContract.ts"

/** The suites by store, in an order in which a storage can be written. */
const suites = {
  AccountStore: [AccountStore],
  AgentStore: [AgentStore],
  AccessStore: [AccessStore],
  CallStore: [StartCall, BatchedWrites, Batches, HangUp, CompleteBatches, Costs],
  DispatchStore: [Claim, Report, Expiry, HeldCalls, HoldHistory, HoldPeriods, Replan, Carriers, Routes],
  CarrierStore: [CarrierStore],
  WorkStore: [WorkStore],
  ConversationStore: [Conversations, Ends],
  OutcomeStore: [OutcomeStore],
  DoNotCallStore: [DoNotCallStore],
  WebhookStore: [WebhookStore],
  DeliveryStore: [Deliver, Breaker, Prefetch, Redeliver, Log],
  EventStore: [EventStore],
  SubscriptionStore: [SubscriptionStore],
  UsageStore: [UsageStore],
  PrivacyStore: [Retention, Erasure],
  SecretStore: [SecretStore],
  StorageStats: [StorageStats],
  OverviewStore: [OverviewStore],
  WorkerStore: [WorkerStore],
  ConsoleStore: [ConsoleStore],
  ClockStore: [ClockStore]
} satisfies Record<string, ReadonlyArray<{ readonly cases: Cases }>>

/**
 * Runs the contract against the layer, which is built once; skips the tests that `except` names. With `sample`, which is at least 1, it
 * runs every so many-th test of each store, beginning with its first, for a storage whose queries another one has been tested with.
 */
export const contract = <E>(
  name: string,
  layer: Layer.Layer<Storage.Storage, E>,
  { except = [], sample = 1 }: { readonly except?: ReadonlyArray<string>; readonly sample?: number } = {}
): void => {
  describe(`Storage contract: ${name}`, () => {
    // Real databases need real time, which a test clock would stop.
    it.layer(layer, { excludeTestServices: true, timeout: "180 seconds" })((it) => {
      for (const [store, parts] of Object.entries(suites)) {
        describe(store, () => {
          for (const [index, [promise, test]] of parts.flatMap(({ cases }) => Object.entries(cases)).entries()) {
            if (index % sample === 0 && !except.includes(promise)) it.effect(promise, () => test)
          }
        })
      }
    })
  })
}
