/** An engine in memory behind the real web handler, with keys of every kind. */
import { assert } from "@effect/vitest"
import { Accounts, type ApiKey, ApiKeys, type Policy } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Context, Effect, Layer, Redacted } from "effect"
import { WebHandler } from "../src/index.ts"

/** The secret of a key for the test's account. */
export const key = (
  ...scopes: ReadonlyArray<ApiKey.Scope>
): Effect.Effect<string, never, TestEngine.Tenant | ApiKeys.ApiKeys> =>
  Effect.gen(function*() {
    const { accountId } = yield* TestEngine.Tenant
    const keys = yield* ApiKeys.ApiKeys
    const { secret } = yield* Effect.orDie(keys.create(accountId, { name: "test", scopes }))
    return Redacted.value(secret)
  })

export const everything = [
  "calls:write",
  "calls:read",
  "webhooks:manage",
  "do_not_call:manage",
  "agents:manage"
] as const

export interface Sent {
  readonly method?: string
  readonly body?: unknown
  /** The raw body, instead of JSON. */
  readonly raw?: NonNullable<RequestInit["body"]>
  readonly headers?: Record<string, string> | Array<[string, string]>
  readonly key?: string
}

export interface Received {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- JSON of any shape; the assertions judge it
  readonly body: Record<string, any>
}

/** Sends one request through the handler, by default with a key of all scopes. */
export const send = Effect.fnUntraced(function*(path: string, sent: Sent = {}) {
  const handler = yield* WebHandler
  const headers = new Headers(sent.headers)
  const secret = sent.key ?? (yield* Everything)
  if (secret !== "") headers.set("x-api-key", secret)
  const body = sent.raw ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body))
  if (body !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json")
  const request = new Request(`https://api.test${path}`, {
    method: sent.method ?? (body === undefined ? "GET" : "POST"),
    headers,
    ...(body !== undefined && { body, duplex: "half" })
  } as RequestInit)
  return yield* Effect.promise(() => receive(handler, request))
})

const receive = async (handler: (request: Request) => Promise<Response>, request: Request): Promise<Received> => {
  const response = await handler(request)
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) }
}

/** A key with every scope. */
export class Everything extends Context.Service<Everything, string>()("test/Everything") {}

type Engine = ReturnType<typeof TestEngine.layer>

export const layer = (
  options: TestEngine.TestEngineOptions = {}
): Layer.Layer<Layer.Success<Engine> | WebHandler | Everything, Layer.Error<Engine>> =>
  Layer.merge(WebHandler.layer, Layer.effect(Everything, key(...everything))).pipe(
    Layer.provideMerge(TestEngine.layer(options))
  )

/** A request that is right in every point. */
export const startCall = Effect.fnUntraced(function*(overrides: Record<string, unknown> = {}) {
  const { agentId } = yield* TestEngine.Tenant
  return { agent_id: agentId, phone_number: "+14155550100", variables: { topic: "your visit" }, ...overrides }
})

/** Gives the test's account another policy. */
export const setPolicy = Effect.fnUntraced(function*(policy: Policy.PolicyDocument) {
  const { accountId } = yield* TestEngine.Tenant
  const accounts = yield* Accounts.Accounts
  yield* accounts.set(accountId, { policy })
})

/** The error of an answer, without its request id, which is in the headers too. */
export const errorOf = ({ body, headers, status }: Received) => {
  const { request_id, ...error } = body["error"]
  assert.strictEqual(request_id, headers.get("x-request-id"))
  assert.deepStrictEqual(Object.keys(body), ["error"])
  return { status, ...error }
}
