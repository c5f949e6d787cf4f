/** The client of one account, for hosts that do not use Effect. */
import { Effect, Redacted } from "effect"
import { type AccountId } from "../domain/Ids.ts"
import * as FeedCursor from "../domain/FeedCursor.ts"
import * as Page from "../domain/Page.ts"
import type { HostClient } from "../storage/HostTransactions.ts"
import type { WebhookTest } from "../domain/WebhookEndpoint.ts"
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
  type HostTranscript,
  hostTranscript,
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
  decodeTranscriptQuery,
  decodeWebhook,
  type HostAgentDefinition,
  type HostCallQuery,
  type HostCallRequest,
  type HostDeliveryQuery,
  type HostEventQuery,
  type HostFeedQuery,
  type HostNewKey,
  type HostPageQuery,
  type HostRecovery,
  type HostSecretRotation,
  type HostTranscriptQuery,
  type HostWebhookSettings
} from "./Requests.ts"
import { refuseUnknown } from "./OutdialError.ts"
import { Explanations } from "../call/Explanations.ts"
import { Transcripts } from "../call/Transcripts.ts"
import { Webhooks } from "../webhook/Webhooks.ts"

/** A request to start up to 1,000 calls. Each row is a call request; a row without `agentId` takes that of the batch. */
export interface HostBatchRequest {
  readonly agentId?: string
  readonly calls: ReadonlyArray<Partial<HostCallRequest>>
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

/** The methods that work inside your own transaction. They do the same as those of the same name in `AccountClient`. */
export interface WithinEngine {
  readonly calls: Pick<AccountClient["calls"], "start" | "get" | "cancel">
  readonly batches: Pick<AccountClient["batches"], "start" | "get" | "cancel">
}

/** Everything that an engine does for one account. */
export interface AccountClient extends AccountRules.AccountRules {
  readonly accountId: string
  /**
   * The same client under an `AbortSignal`: when it is aborted, pending promises reject with the code `aborted`. The request may have been
   * carried out; repeat it with the same `idempotencyKey`.
   */
  readonly with: (options: { readonly signal: AbortSignal }) => AccountClient
  /**
   * Works inside a transaction that you have opened with your own client on the engine's database: the call exists if and only if you
   * commit. A refused request leaves your transaction usable. Await each promise before you run another statement on the client.
   */
  readonly within: (client: HostClient) => WithinEngine
  readonly calls: {
    /** Queues a call and resolves once it is stored. A retry with the same `idempotencyKey` resolves with the first call. */
    readonly start: (
      request: HostCallRequest,
      options?: { readonly idempotencyKey?: string }
    ) => Promise<HostCall>
    readonly get: (id: string) => Promise<HostCall>
    /** Lists calls page by page, newest first. */
    readonly list: (request?: HostCallQuery) => Promise<HostPage<HostCall>>
    /** Cancels a call that is still queued. Any other call is refused with `call_not_cancelable`. */
    readonly cancel: (id: string) => Promise<HostCall>
    /**
     * Asks the carrier to end a live call and resolves with the call as it is now; its end comes as an event. Does nothing to a call that
     * has ended; a queued call is refused with `call_not_live`. Safe to repeat.
     */
    readonly hangUp: (id: string) => Promise<HostCall>
    /** Explains why a call waits: the verdict of every calling rule at this moment. */
    readonly explain: (id: string) => Promise<HostExplanation>
    /** Reads what was said so far. Pass the `sequence` of the last turn as `after` to get only newer turns. */
    readonly transcript: (id: string, query?: HostTranscriptQuery) => Promise<HostTranscript>
  }
  readonly batches: {
    /** Starts up to 1,000 calls. Invalid rows are returned in `rejected`; the others are queued. */
    readonly start: (request: HostBatchRequest, options?: { readonly idempotencyKey?: string }) => Promise<HostBatch>
    readonly get: (id: string) => Promise<HostBatch>
    /** Lists batches page by page, newest first, without their rows. */
    readonly list: (request?: HostPageQuery) => Promise<HostPage<HostBatch>>
    /** Cancels the calls of the batch that are still queued. */
    readonly cancel: (id: string) => Promise<HostBatch>
  }
  readonly agents: {
    /** Creates an agent, or replaces the one of the given `id`. An archived agent can be used again. */
    readonly put: (agent: HostAgentDefinition) => Promise<HostAgent>
    /** Gets an agent, also an archived one. */
    readonly get: (id: string) => Promise<HostAgent>
    /** Archives an agent: no call can be started with it. Calls that wait are made. Safe to repeat. */
    readonly archive: (id: string) => Promise<HostAgent>
    /** Gets the agent of that name that is not archived. Rejects with `not_found` for none, and with `invalid_request` when several have it. */
    readonly byName: (name: string) => Promise<HostAgent>
    /** Lists the agents that are not archived, newest first. */
    readonly list: () => Promise<ReadonlyArray<HostAgent>>
  }
  /** Events of calls and batches. They are kept for 30 days. */
  readonly events: {
    readonly get: (id: string) => Promise<HostEvent>
    /** Lists events page by page, newest first. */
    readonly list: (request?: HostEventQuery) => Promise<HostPage<HostEvent>>
    /** Reads events oldest first, each once. Store `nextCursor` and pass it as `cursor` to continue, now or later. */
    readonly feed: (
      request?: HostFeedQuery
    ) => Promise<HostPage<HostEvent> & { readonly nextCursor: string }>
    /** Sends the event to the webhook again, with the same id and the same bytes. */
    readonly redeliver: (id: string) => Promise<HostDelivery>
    /**
     * Calls the handler with every event, at least once, starting when this name is first used. Events that happen while no process
     * handles the name wait for the next handler. Processes that use the same name share the events.
     */
    readonly subscribe: (name: string, handler: HostHandler, options?: SubscribeOptions) => Promise<HostSubscription>
    /** Deletes the subscription of this name with its waiting events. Safe to repeat. */
    readonly unsubscribe: (name: string) => Promise<void>
  }
  /** The log of deliveries to the webhook. */
  readonly deliveries: {
    readonly get: (id: string) => Promise<HostDelivery>
    /** Lists deliveries page by page, newest first. */
    readonly list: (request?: HostDeliveryQuery) => Promise<HostPage<HostDelivery>>
  }
  readonly keys: {
    /** Creates an API key. `secret` is the key itself and is returned only here. */
    readonly create: (request: HostNewKey) => Promise<HostApiKey & { readonly secret: string }>
    /** Lists all keys, newest first, including revoked ones. */
    readonly list: () => Promise<ReadonlyArray<HostApiKey>>
    /** Revokes a key at once. Resolves with whether there is such a key. */
    readonly revoke: (id: string) => Promise<boolean>
  }
  readonly webhook: {
    /** Sets the URL that events are sent to. `secret` is returned only when the endpoint is first set. */
    readonly set: (request: HostWebhookSettings) => Promise<HostWebhook>
    readonly get: () => Promise<HostWebhook>
    /** Creates a new signing secret, returned only here. The previous one still signs during the grace period. */
    readonly rotateSecret: (request?: HostSecretRotation) => Promise<HostWebhook>
    /** Sends one signed test event now and resolves with the receiver's response. */
    readonly test: () => Promise<WebhookTest>
    /** Sends the undelivered events of a time window again. Resolves with their number. Safe to repeat. */
    readonly recover: (window: HostRecovery) => Promise<{ readonly events: number }>
    /** Removes the webhook; undelivered events are dropped. Safe to repeat. */
    readonly remove: () => Promise<void>
  }
}

/** The methods of the account, as effects of the engine. */
export const make = (run: Run, accountId: AccountId): AccountClient => ({
  ...AccountRules.make(run, accountId),
  accountId,
  with: (options) => {
    refuseUnknown(options, { signal: true })
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
        const rules = yield* Explanations
        return hostExplanation(yield* rules.explain(accountId, yield* decodeCallId(id)))
      })),
    transcript: (id, query = {}) =>
      run(Effect.gen(function*() {
        const transcripts = yield* Transcripts
        const { after = 0 } = yield* decodeTranscriptQuery(query)
        return hostTranscript(yield* transcripts.get(accountId, yield* decodeCallId(id), { after }))
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
    archive: (id) =>
      run(Effect.gen(function*() {
        const agents = yield* Agents
        return hostAgent(yield* agents.archive(accountId, yield* decodeAgentId(id)))
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
