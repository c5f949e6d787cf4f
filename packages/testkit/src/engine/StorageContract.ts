/**
 * What every `Storage` must do. One call runs the whole suite against a layer; each test works in an account of its own,
 * so the suite can run on a storage that others use too. Time is an argument throughout.
 */
import { it } from "@effect/vitest"
import type { Storage } from "@outdial/core"
import type { Layer } from "effect"
import { describe } from "vitest"
import * as Ahead from "../webhook/PrefetchContract.ts"
import * as Batching from "../call/BatchContract.ts"
import * as Breaking from "../webhook/BreakerContract.ts"
import * as OfCarriers from "../dispatch/CarrierContract.ts"
import type { Cases } from "../storage/Cases.ts"
import * as Claiming from "../dispatch/ClaimContract.ts"
import * as Delivering from "../webhook/DeliveryContract.ts"
import * as NotCalling from "../do-not-call/DoNotCallContract.ts"
import * as Erasing from "../privacy/ErasureContract.ts"
import * as Expiring from "../call/ExpiryContract.ts"
import * as ClaimOnWrite from "../webhook/ClaimOnWriteContract.ts"
import * as HangingUp from "../call/HangUpContract.ts"
import * as Holding from "../dispatch/HeldCallsContract.ts"
import * as Keeping from "../account/AccountContract.ts"
import * as Limiting from "../access/AccessContract.ts"
import * as Logging from "../webhook/DeliveryLogContract.ts"
import * as Observing from "../storage/StorageStatsContract.ts"
import * as Planning from "../dispatch/ReplanContract.ts"
import * as Replaying from "../call/ReplayContract.ts"
import * as Reporting from "../dispatch/ReportContract.ts"
import * as Retaining from "../privacy/RetentionContract.ts"
import * as Sealing from "../secret/SecretContract.ts"
import * as SettingBack from "../time/ClockSetBackContract.ts"
import * as Starting from "../call/StartCallContract.ts"
import * as Subscribing from "../subscription/SubscriptionContract.ts"
import * as Together from "../call/BatchedWritesContract.ts"
import * as Counting from "../account/UsageContract.ts"
import * as Working from "../worker/WorkerContract.ts"

const chapters: Readonly<Record<string, Cases>> = {
  "accounts, agents and keys": Keeping.cases,
  "starting a call": Starting.cases,
  "calls that are started at the same time": Together.cases,
  "claiming and submitting": Claiming.cases,
  "what holds many calls at once": Holding.cases,
  "calls that expire": Expiring.cases,
  "calls that are planned anew": Planning.cases,
  "the do-not-call list": NotCalling.cases,
  "reports, stale calls and outcomes": Reporting.cases,
  "calls ended by hand": HangingUp.cases,
  "calls of several carriers": OfCarriers.cases,
  "usage by day": Counting.cases,
  "what goes when it is old": Retaining.cases,
  "erasing a callee": Erasing.cases,
  "webhooks and deliveries": Delivering.cases,
  "claiming deliveries ahead": Ahead.cases,
  "deliveries that are claimed with their events": ClaimOnWrite.cases,
  "endpoints that fail": Breaking.cases,
  "sending again, the feed, and what is kept": Replaying.cases,
  "subscribers and completed batches": Subscribing.cases,
  "batches, lists and cancels": Batching.cases,
  "keys in use": Limiting.cases,
  "sealed secrets": Sealing.cases,
  "secrets, events and the delivery log": Logging.cases,
  "what operators are told": Observing.cases,
  "the list of workers": Working.cases,
  "a clock that was set back": SettingBack.cases
}

/** Runs the contract against the layer, which is built once; leaves out promises about a storage that others use too much. */
export const contract = <E>(
  name: string,
  layer: Layer.Layer<Storage.Storage, E>,
  { except = [] }: { readonly except?: ReadonlyArray<string> } = {}
): void => {
  describe(`Storage contract: ${name}`, () => {
    // Real databases answer in real time, which a test clock would stop.
    it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
      for (const [chapter, cases] of Object.entries(chapters)) {
        describe(chapter, () => {
          for (const [promise, test] of Object.entries(cases)) {
            if (!except.includes(promise)) it.effect(promise, () => test)
          }
        })
      }
    })
  })
}
