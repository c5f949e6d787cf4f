/**
 * The target of the HTTP contract, and the requests of its cases. Anything that serves the API can be the target, in this
 * process or in another.
 */
import { assert } from "@effect/vitest"
import type { ApiKey } from "@outdial/core"
import { Context, DateTime, Duration, Effect, Random } from "effect"

/** An account of the API. Nothing else may use it while the contract runs. */
export class Target extends Context.Service<Target, {
  readonly fetch: (request: Request) => Promise<Response>
  /** The root URL of the API, without a trailing slash. */
  readonly baseUrl: string
  /** A key with every scope. */
  readonly key: string
  readonly agentId: string
  /** Values for exactly the variables that the agent's script needs. */
  readonly variables: Readonly<Record<string, string>>
  /** A URL that accepts deliveries. */
  readonly webhookUrl: string
}>()("@outdial/testkit/http/Target") {}

/** Further keys, if the target has them. */
export class Keys extends Context.Service<Keys, {
  /** A fresh key of the same account. */
  readonly make: (scopes: ReadonlyArray<ApiKey.Scope>) => Effect.Effect<string>
  /** A key with every scope of another account. */
  readonly stranger: string
}>()("@outdial/testkit/http/Keys") {}

/** A test of the contract, named by its behaviour. */
export type Cases<R = Target> = Readonly<Record<string, Effect.Effect<void, unknown, R>>>

export interface Sent {
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged. */
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the target's key; empty for none. */
  readonly key?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- JSON of any shape; the assertions judge it
  readonly body: Record<string, any>
}

/** Sends one request, and asserts what holds for every response. */
export const send = Effect.fnUntraced(function*(method: string, path: string, sent: Sent = {}) {
  const { baseUrl, fetch, key } = yield* Target
  const secret = sent.key ?? key
  const body = sent.raw ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body))
  const request = new Request(baseUrl + path, {
    method,
    headers: {
      ...(secret !== "" && { "x-api-key": secret }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...sent.headers
    },
    ...(body !== undefined && { body })
  })
  const response = yield* Effect.promise(() => fetch(request))
  const text = yield* Effect.promise(() => response.text())
  assert.match(response.headers.get("x-request-id") ?? "", /^req_[0-9a-z]{20}$/, `${method} ${path}`)
  assert.strictEqual(response.headers.get("cache-control"), "no-store")
  assert.isNull(response.headers.get("access-control-allow-origin"))
  const answer: Answer = { status: response.status, headers: response.headers, body: parse(text) }
  if (response.status >= 400 && method !== "HEAD") assertEnvelope(answer)
  return answer
})

// A response without a body, as to HEAD, is read as an empty object.
const parse = (text: string): Answer["body"] => text === "" ? {} : JSON.parse(text)

const assertEnvelope = ({ body, headers }: Answer) => {
  assert.deepStrictEqual(Object.keys(body), ["error"])
  const { code, message, request_id } = body["error"]
  assert.match(code, /^[a-z_]+$/)
  assert.isNotEmpty(message)
  assert.strictEqual(request_id, headers.get("x-request-id"))
  assert.match(headers.get("content-type") ?? "", /^application\/json/)
}

export const get = (path: string, sent?: Sent) => send("GET", path, sent)
export const post = (path: string, sent?: Sent) => send("POST", path, sent)

/** The status and the code of a refused request, and the given fields. */
export const refusal = ({ body, status }: Answer, ...fields: ReadonlyArray<string>) => [
  status,
  body["error"]?.code,
  ...fields.map((field) => body["error"]?.[field])
]

/** A number that no other case uses. */
export const phoneNumber = Effect.map(
  Random.nextIntBetween(2_000_000, 10_000_000, { halfOpen: true }),
  (digits) => `+1415${digits}`
)

/** `duration` from now, as a request has it. */
export const later = (duration: Duration.Input) =>
  Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.addDuration(now, Duration.fromInputUnsafe(duration))))

/** A valid request for a call that stays queued, because it may not be dialed before tomorrow. */
export const callRequest = Effect.fnUntraced(function*(overrides: Readonly<Record<string, unknown>> = {}) {
  const { agentId, variables } = yield* Target
  return {
    agent_id: agentId,
    phone_number: yield* phoneNumber,
    variables,
    not_before: yield* later("1 day"),
    ...overrides
  }
})

/** A fresh idempotency key. */
export const freshKey = Effect.map(Random.nextInt, (id) => `contract-${id}`)

/** A new call that stays queued. */
export const startedCall = Effect.fnUntraced(function*(overrides: Readonly<Record<string, unknown>> = {}) {
  const { body, status } = yield* post("/v1/calls", { body: yield* callRequest(overrides) })
  assert.strictEqual(status, 201, JSON.stringify(body))
  return body
})

/** Every item of a list, page by page. */
export const walk = Effect.fnUntraced(function*(path: string, limit: number) {
  const items: Array<Answer["body"]> = []
  let cursor = ""
  while (true) {
    const { body, status } = yield* get(`${path}${path.includes("?") ? "&" : "?"}limit=${limit}${cursor}`)
    assert.strictEqual(status, 200, JSON.stringify(body))
    assert.deepStrictEqual(Object.keys(body), ["object", "data", "has_more", "next_cursor"])
    assert.strictEqual(body["object"], "list")
    assert.isAtMost(body["data"].length, limit)
    items.push(...body["data"])
    if (body["has_more"] !== true) {
      assert.isNull(body["next_cursor"])
      return items
    }
    assert.strictEqual(body["data"].length, limit)
    cursor = `&cursor=${encodeURIComponent(body["next_cursor"])}`
  }
})
