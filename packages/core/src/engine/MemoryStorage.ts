/**
 * Storage in the memory of one process: the reference for every other implementation, and what tests run on. Each method
 * is one synchronous step, hence atomic; nothing outlives the layer.
 */
import { Layer } from "effect"
import * as Delivering from "../webhook/MemoryWebhookStore.ts"
import * as Dispatching from "../dispatch/MemoryDispatchStore.ts"
import * as Counting from "../account/MemoryUsageStore.ts"
import * as Due from "../storage/MemoryWorkStore.ts"
import * as Erasing from "../privacy/MemoryErasureStore.ts"
import * as HangingUp from "../dispatch/MemoryHangUpStore.ts"
import * as Keeping from "../account/MemoryAccountStore.ts"
import * as Observing from "../storage/MemoryStorageStats.ts"
import * as Outcomes from "../outcome/MemoryOutcomeStore.ts"
import * as Retaining from "../privacy/MemoryRetentionStore.ts"
import * as Ruling from "../do-not-call/MemoryDoNotCallStore.ts"
import * as Sending from "../webhook/MemoryDeliveryStore.ts"
import * as SettingBack from "../time/MemoryClockStore.ts"
import * as Starting from "../call/MemoryCallStore.ts"
import * as Subscribing from "../subscription/MemorySubscriptionStore.ts"
import * as Workers from "../worker/MemoryWorkerStore.ts"
import type { Database } from "../storage/MemoryTables.ts"
import { Storage } from "./Storage.ts"

export const layer: Layer.Layer<Storage> = Layer.sync(Storage, () => {
  const db: Database = {
    accounts: new Map(),
    apiKeys: new Map(),
    deploymentPaused: false,
    timeZones: undefined,
    workers: new Map()
  }
  return {
    outlivesProcess: false,
    ...Keeping.methods(db),
    ...Ruling.methods(db),
    ...Starting.methods(db),
    ...Due.methods(db),
    ...Observing.methods(db),
    ...Dispatching.methods(db),
    ...Outcomes.methods(db),
    ...Delivering.methods(db),
    ...Sending.methods(db),
    ...Subscribing.methods(db),
    ...HangingUp.methods(db),
    ...Counting.methods(db),
    ...Retaining.methods(db),
    ...Erasing.methods(db),
    ...Workers.methods(db),
    ...SettingBack.methods(db)
  }
})
