/**
 * The client for programs that do not use Effect: promises, plain objects, `Date`s, one kind of error. It retries failures that
 * are safe to retry. It never starts a call or a batch twice, because all retries of a request have the same `Idempotency-Key`.
 * It needs only `fetch`.
 */
import type { Queries, WebhookEndpoint } from "@outdial/core"
import type {
  BatchRowRequest,
  ClientAgent,
  ClientAgentContent,
  ClientBatch,
  ClientCall,
  ClientDelivery,
  ClientDoNotCallEntry,
  ClientEvent,
  ClientEventFeed,
  ClientExplanation,
  ClientTranscript,
  ClientWebhook,
  ClientWebhookTest,
  PreviewCallRequest,
  StartCallRequest
} from "./PromiseTypes.ts"
import * as PromiseList from "./PromiseList.ts"
import * as PromiseTransport from "./PromiseTransport.ts"

export { type ClientErrorCode, type ErrorDetails, OutdialApiError } from "./PromiseErrors.ts"
export type {
  ClientAgent,
  ClientAgentContent,
  ClientBatch,
  ClientCall,
  ClientDelivery,
  ClientDoNotCallEntry,
  ClientEvent,
  ClientEventFeed,
  ClientExplanation,
  ClientTranscript,
  ClientWebhook,
  ClientWebhookTest,
  PreviewCallRequest,
  StartCallRequest
} from "./PromiseTypes.ts"
export type { List, Page, PageQuery } from "./PromiseList.ts"
export type { Options, RequestOptions } from "./PromiseTransport.ts"

type RequestOptions = PromiseTransport.RequestOptions

/** Options of requests that start a call or a batch. */
export interface StartOptions extends RequestOptions {
  /** At most 255 characters. Default: a fresh one. Set your own to be safe across restarts of your program. */
  readonly idempotencyKey?: string
}

/** Up to 1,000 calls; `agentId` applies to rows without one. */
export interface StartBatchRequest {
  readonly agentId?: string
  readonly calls: ReadonlyArray<BatchRowRequest>
  readonly test?: boolean
}

/** Filters for calls, and the page. */
export type CallQuery = typeof Queries.CallQuery.Encoded
/** Which turns of a transcript. */
export type TranscriptQuery = typeof Queries.TranscriptQuery.Encoded
/** Filters for events, and the page. */
export type EventQuery = typeof Queries.EventQuery.Encoded
/** Filters for deliveries, and the page. */
export type DeliveryQuery = typeof Queries.DeliveryQuery.Encoded

/** The methods of the API. Promises reject with `OutdialApiError`, or with the reason of the signal that aborted them. */
export interface PromiseClient {
  readonly calls: {
    /** Queues a call. `idempotentReplay` is true if an earlier request with the same key created it. */
    readonly start: (request: StartCallRequest, options?: StartOptions) => Promise<ClientCall>
    readonly get: (id: string, options?: RequestOptions) => Promise<ClientCall>
    /** Newest first. */
    readonly list: (query?: CallQuery, options?: RequestOptions) => PromiseList.List<ClientCall>
    /** Only a call that is still queued can be canceled. */
    readonly cancel: (id: string, options?: RequestOptions) => Promise<ClientCall>
    /** Why it waits: the result of every rule now, and its data. */
    readonly explain: (id: string, options?: RequestOptions) => Promise<ClientExplanation>
    /** What was said so far. Send the `sequence` of the last turn as `after` to get only newer turns. */
    readonly transcript: (
      id: string,
      query?: TranscriptQuery,
      options?: RequestOptions
    ) => Promise<ClientTranscript>
  }
  readonly rules: {
    /** The result of every rule for a call to the number now. Queues nothing. A request for a call is also valid. */
    readonly preview: (request: PreviewCallRequest, options?: RequestOptions) => Promise<ClientExplanation>
  }
  /** The do-not-call list. */
  readonly doNotCall: {
    /** Up to 1,000: adds all, or none if one is invalid; cancels queued calls to them. Safe to repeat. */
    readonly add: (
      numbers: ReadonlyArray<string>,
      options?: RequestOptions
    ) => Promise<{ readonly added: number; readonly canceled: number }>
    /** The number may be called again. Safe to repeat. */
    readonly remove: (number: string, options?: RequestOptions) => Promise<void>
    readonly get: (number: string, options?: RequestOptions) => Promise<ClientDoNotCallEntry>
    /** Newest first. */
    readonly list: (query?: PromiseList.PageQuery, options?: RequestOptions) => PromiseList.List<ClientDoNotCallEntry>
  }
  readonly batches: {
    /** Invalid rows are returned in `rejected`; the others are queued. */
    readonly start: (request: StartBatchRequest, options?: StartOptions) => Promise<ClientBatch>
    /** Its progress. Poll it every 30 to 60 seconds, rather than each of its calls. */
    readonly get: (id: string, options?: RequestOptions) => Promise<ClientBatch>
    /** Newest first, without rows. */
    readonly list: (query?: PromiseList.PageQuery, options?: RequestOptions) => PromiseList.List<ClientBatch>
    /** Cancels its queued calls. Safe to repeat. */
    readonly cancel: (id: string, options?: RequestOptions) => Promise<ClientBatch>
  }
  readonly agents: {
    /** Also an archived one. The script is in the answer for keys with `agents:manage`. */
    readonly get: (id: string, options?: RequestOptions) => Promise<ClientAgent>
    /** Newest first, without archived agents. */
    readonly list: (query?: PromiseList.PageQuery, options?: RequestOptions) => PromiseList.List<ClientAgent>
    /** Not retried if its effect is unknown, because each request creates an agent. `put` can be repeated. */
    readonly create: (agent: ClientAgentContent, options?: RequestOptions) => Promise<ClientAgent>
    /** Creates or replaces the agent of this id, a UUID. */
    readonly put: (id: string, agent: ClientAgentContent, options?: RequestOptions) => Promise<ClientAgent>
    /** No call can be started with it any more. Safe to repeat. */
    readonly archive: (id: string, options?: RequestOptions) => Promise<ClientAgent>
  }
  readonly webhook: {
    /** `secret` is in the answer only when the endpoint was first set, so the request is not retried if its effect is unknown. */
    readonly set: (
      request: typeof WebhookEndpoint.SetWebhook.Encoded,
      options?: RequestOptions
    ) => Promise<ClientWebhook>
    readonly get: (options?: RequestOptions) => Promise<ClientWebhook>
    /** Safe to repeat. */
    readonly remove: (options?: RequestOptions) => Promise<void>
    /** The response is the only one with the new secret. */
    readonly rotateSecret: (
      request?: typeof WebhookEndpoint.RotateSecret.Encoded,
      options?: RequestOptions
    ) => Promise<ClientWebhook>
    /** Sends one signed test event now, and returns the receiver's response. */
    readonly test: (options?: RequestOptions) => Promise<ClientWebhookTest>
    /** Sends every undelivered event of the window again; returns how many. Safe to repeat. */
    readonly recover: (
      window: { readonly since: Date | string; readonly until?: Date | string },
      options?: RequestOptions
    ) => Promise<{ readonly events: number }>
  }
  readonly events: {
    readonly get: (id: string, options?: RequestOptions) => Promise<ClientEvent>
    /** All events, newest first, whether or not they were sent to a webhook. */
    readonly list: (query?: EventQuery, options?: RequestOptions) => PromiseList.List<ClientEvent>
    /** Oldest first, each once. Save `nextCursor` and continue from it. */
    readonly feed: (
      query?: { readonly cursor?: string; readonly limit?: number },
      options?: RequestOptions
    ) => Promise<ClientEventFeed>
    /** Sends the event to the webhook again, with the same id and bytes. */
    readonly redeliver: (id: string, options?: RequestOptions) => Promise<ClientDelivery>
  }
  readonly deliveries: {
    readonly get: (id: string, options?: RequestOptions) => Promise<ClientDelivery>
    /** Deliveries to the webhook, newest first. */
    readonly list: (query?: DeliveryQuery, options?: RequestOptions) => PromiseList.List<ClientDelivery>
  }
}

/** A client of the service at `baseUrl`. It sends nothing until a method is called, and need not be closed. */
export const makeClient = (options: PromiseTransport.Options): PromiseClient =>
  fromTransport(PromiseTransport.make(options))

/** The client over a transport. */
export const fromTransport = (transport: PromiseTransport.Transport): PromiseClient => {
  // The response has the contract's type for the path; it is not checked, see `PromiseTypes`.
  const send = <A>(sent: PromiseTransport.Sent) => transport(sent) as Promise<A>
  const request = async <A>(options: RequestOptions = {}, sent: PromiseTransport.Sent) => {
    PromiseTransport.checkNames(options, { signal: true })
    return send<A>({ ...options, ...sent })
  }
  const get = <A>(path: string, options: RequestOptions = {}) =>
    request<A>(options, { method: "GET", path, repeatable: true })
  const list = <A>(path: string, query: PromiseTransport.Query = {}, options: RequestOptions = {}) =>
    PromiseList.make<A>((sent) => request(options, sent), path, query)
  const start = async <A>(path: string, body: unknown, options: StartOptions = {}) => {
    PromiseTransport.checkNames(options, { idempotencyKey: true, signal: true })
    const { idempotencyKey = crypto.randomUUID(), ...rest } = options
    return send<A>({ ...rest, method: "POST", path, body, idempotencyKey, repeatable: true })
  }
  const act = <A>(path: string, options: RequestOptions = {}, rest: { body?: unknown; repeatable?: boolean } = {}) =>
    request<A>(options, { method: "POST", path, repeatable: false, ...rest })

  return {
    calls: {
      start: (request, options) => start("/v1/calls", request, options),
      get: (id, options) => get(`/v1/calls/${part(id)}`, options),
      list: (query, options) => list("/v1/calls", query, options),
      cancel: (id, options) => act(`/v1/calls/${part(id)}/cancel`, options),
      explain: (id, options) => get(`/v1/calls/${part(id)}/explanation`, options),
      transcript: (id, query = {}, options) =>
        request(options, {
          method: "GET",
          path: `/v1/calls/${part(id)}/transcript`,
          query: { ...query },
          repeatable: true
        })
    },
    rules: {
      preview: (body, options) => act("/v1/calls/preview", options, { body, repeatable: true })
    },
    doNotCall: {
      add: (phoneNumbers, options) => act("/v1/do_not_call", options, { body: { phoneNumbers }, repeatable: true }),
      remove: async (number, options) => {
        await request(options, { method: "DELETE", path: `/v1/do_not_call/${part(number)}`, repeatable: true })
      },
      get: (number, options) => get(`/v1/do_not_call/${part(number)}`, options),
      list: (query, options) => list("/v1/do_not_call", query, options)
    },
    batches: {
      start: (request, options) => start("/v1/batches", request, options),
      get: (id, options) => get(`/v1/batches/${part(id)}`, options),
      list: (query, options) => list("/v1/batches", query, options),
      cancel: (id, options) => act(`/v1/batches/${part(id)}/cancel`, options, { repeatable: true })
    },
    agents: {
      get: (id, options) => get(`/v1/agents/${part(id)}`, options),
      list: (query, options) => list("/v1/agents", query, options),
      create: (agent, options) => act("/v1/agents", options, { body: agent, repeatable: false }),
      put: (id, agent, options) =>
        request(options, { method: "PUT", path: `/v1/agents/${part(id)}`, body: agent, repeatable: true }),
      archive: (id, options) => request(options, { method: "DELETE", path: `/v1/agents/${part(id)}`, repeatable: true })
    },
    webhook: {
      set: (body, options) => request(options, { method: "PUT", path: "/v1/webhook", body, repeatable: false }),
      get: (options) => get("/v1/webhook", options),
      remove: async (options) => {
        await request(options, { method: "DELETE", path: "/v1/webhook", repeatable: true })
      },
      rotateSecret: (body = {}, options) => act("/v1/webhook/rotate-secret", options, { body }),
      test: (options) => act("/v1/webhook/test", options),
      recover: (body, options) => act("/v1/webhook/recover", options, { body, repeatable: true })
    },
    events: {
      get: (id, options) => get(`/v1/events/${part(id)}`, options),
      list: (query, options) => list("/v1/events", query, options),
      feed: (query = {}, options) =>
        request(options, { method: "GET", path: "/v1/events/feed", query: { ...query }, repeatable: true }),
      redeliver: (id, options) => act(`/v1/events/${part(id)}/redeliver`, options, { repeatable: true })
    },
    deliveries: {
      get: (id, options) => get(`/v1/webhook/deliveries/${part(id)}`, options),
      list: (query, options) => list("/v1/webhook/deliveries", query, options)
    }
  }
}

/** An id, encoded as one segment of a path. */
const part = (id: string): string => encodeURIComponent(id)
