/**
 * The interface over HTTP, in memory and on a test clock, as the tests of the specification use it: an account with an agent,
 * keys, simulated phones, and a receiver that keeps what is delivered.
 */
import { ApiKey, ApiKeys, WebhookTransport } from "@outdial/core"
import { WebHandler } from "@outdial/http"
import { TestEngine } from "@outdial/testkit"
import { Context, Effect, Layer, Redacted, Ref } from "effect"

/** An answer, its body read as JSON when it is such. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // What a body holds is what each test asserts.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export interface RequestOptions {
  /** Sent as JSON; text is sent unchanged. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** `null` sends no key. */
  readonly key?: string | null
}

/** Makes requests with a key of all scopes by default. */
export class Api extends Context.Service<Api, {
  readonly request: (method: string, path: string, options?: RequestOptions) => Effect.Effect<Answer>
  readonly key: string
  /** Another key of the account. */
  readonly makeKey: (scopes: ReadonlyArray<ApiKey.Scope>) => Effect.Effect<string>
}>()("test/support/Spec/Api") {}

const allScopes = ApiKey.Scope.literals

const api = Layer.effect(
  Api,
  Effect.gen(function*() {
    const { accountId } = yield* TestEngine.Tenant
    const apiKeys = yield* ApiKeys.ApiKeys
    const handler = yield* WebHandler
    const makeKey = (scopes: ReadonlyArray<ApiKey.Scope>) =>
      Effect.map(
        Effect.orDie(apiKeys.create(accountId, { name: "test", scopes })),
        ({ secret }) => Redacted.value(secret)
      )
    const key = yield* makeKey(allScopes)
    return {
      key,
      makeKey,
      request: (method, path, options = {}) =>
        Effect.promise(async () => {
          const given = options.key === undefined ? key : options.key
          const { body } = options
          const response = await handler(
            new Request(`https://outdial.test${path}`, {
              method,
              headers: {
                ...(body !== undefined && { "content-type": "application/json" }),
                ...(given !== null && { "x-api-key": given }),
                ...options.headers
              },
              ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) })
            })
          )
          const text = await response.text()
          const isJson = response.headers.get("content-type")?.startsWith("application/json") === true
          return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
        })
    }
  })
)

/** Everything that a test of the specification needs. */
export const layer = (options: TestEngine.TestEngineOptions = {}) =>
  api.pipe(Layer.provide(WebHandler.layer), Layer.provideMerge(TestEngine.layer(options)))

export const request = (method: string, path: string, options?: RequestOptions) =>
  Effect.flatMap(Api, ({ request }) => request(method, path, options))

export const get = (path: string, options?: RequestOptions) => request("GET", path, options)

export const post = (path: string, body: unknown, options?: RequestOptions) =>
  request("POST", path, { body, ...options })

/** A request to call, right in every point. */
export const call = Effect.fnUntraced(function*(more: object = {}) {
  const { agentId } = yield* TestEngine.Tenant
  return {
    agent_id: agentId as string,
    phone_number: "+14155550100",
    contact: { name: "Grace", external_id: "crm-7" },
    variables: { topic: "your visit" },
    ...more
  }
})

/** Starts a call that must be accepted; answers it. */
export const start = Effect.fnUntraced(function*(more: object = {}, options: RequestOptions = {}) {
  const { body, status } = yield* post("/v1/calls", yield* call(more), options)
  if (status !== 201) throw new Error(`The call was not started: ${JSON.stringify(body)}`)
  return body
})

/** Sets the webhook; answers it, with its secret. */
export const setWebhook = (more: object = {}) =>
  Effect.map(
    request("PUT", "/v1/webhook", { body: { url: "https://example.com/hook", ...more } }),
    ({ body }) => body
  )

/** What was delivered, oldest first. */
export const deliveries = Effect.flatMap(WebhookTransport.Sent, (sent) => Ref.get(sent))

/** The events that were delivered, oldest first. */
export const events = Effect.map(deliveries, (sent) => sent.map(({ body }) => JSON.parse(body)))

/** The status and code of an error answer. */
export const refusal = ({ body, status }: Answer) => [status, body.error.code]
