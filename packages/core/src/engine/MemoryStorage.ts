/**
 * Storage in the memory of one process: the reference for every other implementation, and the storage of tests. Each
 * method is one synchronous step, hence atomic. The data ends with the layer.
 */
import { Layer } from "effect"
import * as Access from "../access/MemoryAccessStore.ts"
import * as Accounts from "../account/MemoryAccountStore.ts"
import * as Agents from "../account/MemoryAgentStore.ts"
import * as Usage from "../account/MemoryUsageStore.ts"
import * as Calls from "../call/MemoryCallStore.ts"
import * as Console from "../console/MemoryConsoleStore.ts"
import * as Conversations from "../conversation/MemoryConversationStore.ts"
import * as Dispatch from "../dispatch/MemoryDispatchStore.ts"
import * as DoNotCall from "../do-not-call/MemoryDoNotCallStore.ts"
import * as Events from "../event/MemoryEventStore.ts"
import * as Outcomes from "../outcome/MemoryOutcomeStore.ts"
import * as Overviews from "../overview/MemoryOverviewStore.ts"
import * as Privacy from "../privacy/MemoryPrivacyStore.ts"
import * as Secrets from "../secret/MemorySecretStore.ts"
import * as Stats from "../storage/MemoryStorageStats.ts"
import type { Database } from "../storage/MemoryTables.ts"
import * as Work from "../storage/MemoryWorkStore.ts"
import * as Subscriptions from "../subscription/MemorySubscriptionStore.ts"
import * as Carriers from "../telephony/MemoryCarrierStore.ts"
import * as Clock from "../time/MemoryClockStore.ts"
import * as Deliveries from "../webhook/MemoryDeliveryStore.ts"
import * as Webhooks from "../webhook/MemoryWebhookStore.ts"
import * as Workers from "../worker/MemoryWorkerStore.ts"
import { Storage } from "./Storage.ts"

export const layer: Layer.Layer<Storage> = Layer.sync(Storage, () => {
  const db: Database = {
    accounts: new Map(),
    apiKeys: new Map(),
    carriers: new Map(),
    deploymentPaused: false,
    deploymentPeriods: [],
    planData: undefined,
    workers: new Map(),
    consoleLinks: new Map(),
    consoleSessions: new Map(),
    auditLog: new Map()
  }
  return {
    outlivesProcess: false,
    accounts: Accounts.make(db),
    agents: Agents.make(db),
    access: Access.make(db),
    doNotCall: DoNotCall.make(db),
    calls: Calls.make(db),
    dispatch: Dispatch.make(db),
    carriers: Carriers.make(db),
    conversations: Conversations.make(db),
    outcomes: Outcomes.make(db),
    events: Events.make(db),
    webhooks: Webhooks.make(db),
    deliveries: Deliveries.make(db),
    subscriptions: Subscriptions.make(db),
    privacy: Privacy.make(db),
    secrets: Secrets.make(db),
    usage: Usage.make(db),
    work: Work.make(db),
    workers: Workers.make(db),
    console: Console.make(db),
    clock: Clock.make(db),
    stats: Stats.make(db),
    overviews: Overviews.make(db)
  }
})
