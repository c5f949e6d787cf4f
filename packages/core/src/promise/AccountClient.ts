/** The engine of one account, for hosts that do not use Effect: what `Outdial` offers, and how it is run. */
import type { CallQuery, DeliveryQuery, EventQuery, PageQuery } from "../domain/Queries.ts"
import { Effect, Redacted } from "effect"
import { AgentDefinition } from "../domain/Agent.ts"
import type { HostStartCall } from "../domain/Call.ts"
import { type AccountId } from "../domain/Ids.ts"
import * as FeedCursor from "../domain/FeedCursor.ts"
import * as Page from "../domain/Page.ts"
import type { HostClient } from "../storage/HostTransactions.ts"
import { RotateSecret, SetWebhook, type WebhookTest } from "../domain/WebhookEndpoint.ts"
import * as AccountRules from "./AccountRules.ts"
import { Agents } from "../account/Agents.ts"
import { ApiKeys } from "../access/ApiKeys.ts"
import { Batches } from "../call/Batches.ts"
import { Calls } from "../call/Calls.ts"
import type * as Engine from "../engine/Engine.ts"
import { Events } from "../event/Events.ts"
import {
  type HostAgent,
  hostAgent,
  type HostApiKey,
  hostApiKey,
  type HostBatch,
  hostBatch,
  type HostCall,
  hostCall,
  type HostDelivery,
  hostDelivery,
  type HostEvent,
  hostEvent,
  type HostExplanation,
  hostExplanation,
  type HostWebhook,
  hostWebhook
} from "./Types.ts"
import { type HostPage, hostPage } from "./Pages.ts"
import * as PromiseSubscriptions from "./PromiseSubscriptions.ts"
import type { HostHandler, HostSubscription, SubscribeOptions } from "./PromiseSubscriptions.ts"
import {
  decodeAgent,
  decodeAgentId,
  decodeAgentName,
  decodeBatch,
  decodeBatchId,
  decodeCall,
  decodeCallId,
  decodeCallList,
  decodeDeliveryId,
  decodeDeliveryList,
  decodeEventId,
  decodeEventList,
  decodeFeed,
  decodeKey,
  decodeKeyId,
  decodeNewKey,
  decodePage,
  decodeRecovery,
  decodeRotation,
  decodeSubscription,
  decodeWebhook,
  type FeedRequest,
  type NewKey,
  type RecoverRequest
} from "./Requests.ts"
import { refuseUnknown } from "./OutdialError.ts"
import { Rules } from "../policy/Explanations.ts"
import { Webhooks } from "../webhook/Webhooks.ts"

/** A request to start up to 1,000 calls; rows are as calls are, with an agent of their own if they like. */
export interface HostBatchRequest {
  readonly agentId?: string
  readonly calls: ReadonlyArray<Partial<typeof HostStartCall.Encoded>>
  readonly test?: boolean
}

/** How promises are had from effects of the engine. */
export type Run = <A, E>(
  effect: Effect.Effect<A, E, Engine.Services>,
  options?: RunOptions
) => Promise<A>

export interface RunOptions {
  readonly signal?: AbortSignal | undefined
  /** Runs inside the transaction that this client of the host's has open. */
  readonly within?: HostClient
}

/** What can be done inside a transaction of the host's. */
export interface WithinEngine {
  readonly calls: Pick<AccountClient["calls"], "start" | "get" | "cancel">
  readonly batches: Pick<AccountClient["batches"], "start" | "get" | "cancel">
}

/** What can be done for one account. Promises reject with `OutdialError`. */
export interface AccountClient extends AccountRules.AccountRules {
  readonly accountId: string
  /**
   * The same, given up when the signal is aborted: promises under way then reject with the code `aborted`. What was asked for
   * may have been done all the same; to start a call again, use the same `idempotencyKey`.
   */
  readonly with: (options: { readonly signal: AbortSignal }) => AccountClient
  /**
   * Inside a transaction that you have opened with a client of your own on the engine's database: what is done is there if and only
   * if you commit, and phones ring only then. What is refused leaves your transaction usable. Await each request before you run
   * another statement on the client.
   */
  readonly within: (client: HostClient) => WithinEngine
  readonly calls: {
    /** Queues a call. With the same `idempotencyKey` a retry never makes a second one. */
    readonly start: (
      request: typeof HostStartCall.Encoded,
      options?: { readonly idempotencyKey?: string }
    ) => Promise<HostCall>
    readonly get: (id: string) => Promise<HostCall>
    /** A page, newest first; `cursor` is the `nextCursor` of the page before. */
    readonly list: (request?: typeof CallQuery.Encoded) => Promise<HostPage<HostCall>>
    /** Only a call that is still queued can be canceled. */
    readonly cancel: (id: string) => Promise<HostCall>
    /**
     * Has a live call ended by its carrier; answers it as it is now, and how it ended is told as ever. An ended call is answered
     * as it is; one that is queued is to be canceled. Safe to repeat.
     */
    readonly hangUp: (id: string) => Promise<HostCall>
    /** Why it waits: what every rule makes of it now, and from what. */
    readonly explain: (id: string) => Promise<HostExplanation>
  }
  readonly batches: {
    /** Up to 1,000 calls at once; rows that are wrong come back in `rejected`. */
    readonly start: (request: HostBatchRequest, options?: { readonly idempotencyKey?: string }) => Promise<HostBatch>
    readonly get: (id: string) => Promise<HostBatch>
    /** Newest first, without rows. */
    readonly list: (request?: typeof PageQuery.Encoded) => Promise<HostPage<HostBatch>>
    /** Cancels what is still queued. */
    readonly cancel: (id: string) => Promise<HostBatch>
  }
  readonly agents: {
    readonly put: (agent: typeof AgentDefinition.Encoded) => Promise<HostAgent>
    readonly get: (id: string) => Promise<HostAgent>
    /** The one agent of that name. Rejects when there is none, and when several have it. */
    readonly byName: (name: string) => Promise<HostAgent>
    /** Newest first. */
    readonly list: () => Promise<ReadonlyArray<HostAgent>>
  }
  /** What happened to calls, also for hosts that no webhook can reach. */
  readonly events: {
    readonly get: (id: string) => Promise<HostEvent>
    /** A page, newest first. */
    readonly list: (request?: typeof EventQuery.Encoded) => Promise<HostPage<HostEvent>>
    /** Oldest first, each once: keep `nextCursor`, and go on from it now or later. */
    readonly feed: (
      request?: typeof FeedRequest.Encoded
    ) => Promise<HostPage<HostEvent> & { readonly nextCursor: string }>
    /** Has the event sent to the webhook again, with the same id and bytes. */
    readonly redeliver: (id: string) => Promise<HostDelivery>
    /**
     * Hands every event that happens from the first call with this name on to the handler, at least once, also what happened
     * while no process handled it. Processes that share a name share the events.
     */
    readonly subscribe: (name: string, handler: HostHandler, options?: SubscribeOptions) => Promise<HostSubscription>
    /** Forgets the name, and what it was still to be told. Safe to repeat. */
    readonly unsubscribe: (name: string) => Promise<void>
  }
  /** How the delivery of events to the webhook went. */
  readonly deliveries: {
    readonly get: (id: string) => Promise<HostDelivery>
    /** A page, newest first. */
    readonly list: (request?: typeof DeliveryQuery.Encoded) => Promise<HostPage<HostDelivery>>
  }
  readonly keys: {
    /** `secret` is the key itself; it is in this answer and can never be read again. */
    readonly create: (request: typeof NewKey.Encoded) => Promise<HostApiKey & { readonly secret: string }>
    /** Newest first, revoked ones too. */
    readonly list: () => Promise<ReadonlyArray<HostApiKey>>
    /** From its return on the key is refused; answers whether there is such a key. */
    readonly revoke: (id: string) => Promise<boolean>
  }
  readonly webhook: {
    /** `secret` is in the answer only when the endpoint was first set. */
    readonly set: (request: typeof SetWebhook.Encoded) => Promise<HostWebhook>
    readonly get: () => Promise<HostWebhook>
    /** The new secret is in the answer and never again; during the grace the one before signs too. */
    readonly rotateSecret: (request?: typeof RotateSecret.Encoded) => Promise<HostWebhook>
    /** Sends one signed test event now. */
    readonly test: () => Promise<WebhookTest>
    /** Has everything of the window sent that was not delivered; answers how many events that are. Safe to repeat. */
    readonly recover: (window: typeof RecoverRequest.Encoded) => Promise<{ readonly events: number }>
    readonly remove: () => Promise<void>
  }
}

/** What can be done for the account, by running effects of the engine. */
export const make = (run: Run, accountId: AccountId): AccountClient => ({
  ...AccountRules.make(run, accountId),
  accountId,
  with: (options) => {
    refuseUnknown(options, ["signal"])
    const { signal } = options
    return make(
      (effect, options) =>
        run(effect, {
          ...options,
          signal: options?.signal === undefined ? signal : AbortSignal.any([signal, options.signal])
        }),
      accountId
    )
  },
  within: (client) => {
    const { batches, calls } = make((effect, options) => run(effect, { ...options, within: client }), accountId)
    return {
      calls: { start: calls.start, get: calls.get, cancel: calls.cancel },
      batches: { start: batches.start, get: batches.get, cancel: batches.cancel }
    }
  },
  calls: {
    start: (request, options = {}) =>
      run(Effect.gen(function*() {
        const calls = yield* Calls
        return hostCall(yield* calls.start(accountId, yield* decodeCall(request), yield* decodeKey(options)))
      })),
    get: (id) =>
      run(Effect.gen(function*() {
        const calls = yield* Calls
        return hostCall(yield* calls.get(accountId, yield* decodeCallId(id)))
      })),
    list: (request = {}) =>
      run(Effect.gen(function*() {
        const calls = yield* Calls
        const { cursor, limit, status, ...rest } = yield* decodeCallList(request)
        const filter = { ...rest, ...(status !== undefined && { statuses: status }) }
        const page = yield* calls.list(accountId, filter, Page.pageRequest({ cursor, limit }))
        return hostPage(page, hostCall)
      })),
    cancel: (id) =>
      run(Effect.gen(function*() {
        const calls = yield* Calls
        return hostCall(yield* calls.cancel(accountId, yield* decodeCallId(id)))
      })),
    hangUp: (id) =>
      run(Effect.gen(function*() {
        const calls = yield* Calls
        return hostCall(yield* calls.hangUp(accountId, yield* decodeCallId(id)))
      })),
    explain: (id) =>
      run(Effect.gen(function*() {
        const rules = yield* Rules
        return hostExplanation(yield* rules.explain(accountId, yield* decodeCallId(id)))
      }))
  },
  batches: {
    start: (request, options = {}) =>
      run(Effect.gen(function*() {
        const batches = yield* Batches
        return hostBatch(yield* batches.start(accountId, yield* decodeBatch(request), yield* decodeKey(options)))
      })),
    get: (id) =>
      run(Effect.gen(function*() {
        const batches = yield* Batches
        return hostBatch(yield* batches.get(accountId, yield* decodeBatchId(id)))
      })),
    list: (request = {}) =>
      run(Effect.gen(function*() {
        const batches = yield* Batches
        const page = yield* batches.list(accountId, Page.pageRequest(yield* decodePage(request)))
        return hostPage(page, hostBatch)
      })),
    cancel: (id) =>
      run(Effect.gen(function*() {
        const batches = yield* Batches
        return hostBatch(yield* batches.cancel(accountId, yield* decodeBatchId(id)))
      }))
  },
  agents: {
    put: (agent) =>
      run(Effect.gen(function*() {
        const agents = yield* Agents
        return hostAgent(yield* agents.put(accountId, yield* decodeAgent(agent)))
      })),
    get: (id) =>
      run(Effect.gen(function*() {
        const agents = yield* Agents
        return hostAgent(yield* agents.get(accountId, yield* decodeAgentId(id)))
      })),
    byName: (name) =>
      run(Effect.gen(function*() {
        const agents = yield* Agents
        return hostAgent(yield* agents.byName(accountId, yield* decodeAgentName(name)))
      })),
    list: () =>
      run(Effect.gen(function*() {
        const agents = yield* Agents
        return (yield* agents.list(accountId)).map((agent) => hostAgent(agent))
      }))
  },
  events: {
    get: (id) =>
      run(Effect.gen(function*() {
        const events = yield* Events
        return hostEvent(yield* events.get(accountId, yield* decodeEventId(id)))
      })),
    list: (request = {}) =>
      run(Effect.gen(function*() {
        const events = yield* Events
        const { cursor, limit, ...filter } = yield* decodeEventList(request)
        return hostPage(yield* events.list(accountId, filter, Page.pageRequest({ cursor, limit })), hostEvent)
      })),
    feed: (request = {}) =>
      run(Effect.gen(function*() {
        const events = yield* Events
        const { cursor: after = 0, limit } = yield* decodeFeed(request)
        const { hasMore, items } = yield* events.feed(accountId, { after, limit: Page.limitOf(limit) })
        const nextCursor = FeedCursor.toCursor(items.at(-1)?.position ?? after)
        return { items: items.map(hostEvent), hasMore, nextCursor }
      })),
    redeliver: (id) =>
      run(Effect.gen(function*() {
        const events = yield* Events
        return hostDelivery(yield* events.redeliver(accountId, yield* decodeEventId(id)))
      })),
    subscribe: (name, handler, options = {}) =>
      run(Effect.flatMap(
        decodeSubscription({ name, handler, ...options }),
        () => PromiseSubscriptions.subscribe(accountId, name, handler, options)
      )),
    unsubscribe: (name) => run(Effect.flatMap(Events, (events) => events.unsubscribe(accountId, name)))
  },
  deliveries: {
    get: (id) =>
      run(Effect.gen(function*() {
        const events = yield* Events
        return hostDelivery(yield* events.getDelivery(accountId, yield* decodeDeliveryId(id)))
      })),
    list: (request = {}) =>
      run(Effect.gen(function*() {
        const events = yield* Events
        const { cursor, limit, state, ...rest } = yield* decodeDeliveryList(request)
        const filter = { ...rest, ...(state !== undefined && { states: state }) }
        const page = yield* events.listDeliveries(accountId, filter, Page.pageRequest({ cursor, limit }))
        return hostPage(page, hostDelivery)
      }))
  },
  keys: {
    create: (request) =>
      run(Effect.gen(function*() {
        const apiKeys = yield* ApiKeys
        const { key, secret } = yield* apiKeys.create(accountId, yield* decodeNewKey(request))
        return { ...hostApiKey(key), secret: Redacted.value(secret) }
      })),
    list: () =>
      run(Effect.gen(function*() {
        const apiKeys = yield* ApiKeys
        return (yield* apiKeys.list(accountId)).map((key) => hostApiKey(key))
      })),
    revoke: (id) =>
      run(Effect.gen(function*() {
        const apiKeys = yield* ApiKeys
        return yield* apiKeys.revoke(accountId, yield* decodeKeyId(id))
      }))
  },
  webhook: {
    set: (request) =>
      run(Effect.gen(function*() {
        const webhooks = yield* Webhooks
        return hostWebhook(yield* webhooks.set(accountId, yield* decodeWebhook(request)))
      })),
    get: () =>
      run(Effect.gen(function*() {
        const webhooks = yield* Webhooks
        return hostWebhook(yield* webhooks.get(accountId))
      })),
    rotateSecret: (request = {}) =>
      run(Effect.gen(function*() {
        const webhooks = yield* Webhooks
        return hostWebhook(yield* webhooks.rotateSecret(accountId, yield* decodeRotation(request)))
      })),
    test: () => run(Effect.flatMap(Webhooks, (webhooks) => webhooks.test(accountId))),
    recover: (window) =>
      run(Effect.gen(function*() {
        const events = yield* Events
        return { events: yield* events.recover(accountId, yield* decodeRecovery(window)) }
      })),
    remove: () => run(Effect.flatMap(Webhooks, (webhooks) => webhooks.remove(accountId)))
  }
})
