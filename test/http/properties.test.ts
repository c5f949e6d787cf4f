/**
 * Every endpoint of the contract, met with generated requests, right ones and hostile ones: no answer is a 500, every answer
 * fits the OpenAPI document, every error has the envelope and a code that the document names for this endpoint.
 */
import { assert, it } from "@effect/vitest"
import { ApiKey, ApiKeys, Batch, Call, Engine, PreviewCall, WebhookEndpoint } from "@outdial/core"
import { WebHandler } from "@outdial/http"
import { TestEngine } from "@outdial/testkit"
import { Arbitrary, DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { describe } from "vitest"
import { BatchRowWire, PreviewCallWire, StartCallBody } from "../../packages/http/src/call/StartCallBody.ts"
import * as OpenApiDocument from "../../packages/http/src/openapi/OpenApiDocument.ts"
import * as Hostile from "../support/Hostile.ts"
import * as JsonSchema from "../support/JsonSchema.ts"

const isNightly = process.env["OUTDIAL_MODEL_RUNS"] !== undefined
/** Another one every night. */
const seed = Number(process.env["SEED"] ?? (isNightly ? Math.floor(Math.random() * 2 ** 31) : 1))
/** Requests of each kind to each endpoint. */
const runs = isNightly ? 240 : 60

const document = OpenApiDocument.make()
// The document is JSON.
const asJson = document as unknown as Parameters<typeof JsonSchema.problems>[0]

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
)
type Operation = typeof operations[number]

interface Sent {
  readonly method: string
  readonly target: string
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** The paths that answer for themselves when a hostile id leads out of the endpoint. */
const elsewhere = ["route_not_found", "method_not_allowed"]

const resolved = (response: OpenApiDocument.ResponseOrRef): OpenApiDocument.Response =>
  "$ref" in response
    // The document refers only to what it has.
    ? document.components["responses"]?.[response.$ref.replace(/^.*\//, "")] as unknown as OpenApiDocument.Response
    : response

/** What is wrong with an answer to the operation. */
const wrongs = ({ operation }: Operation, status: number, type: string, text: string): ReadonlyArray<string> => {
  if (status === 500) return ["a 500"]
  const response = operation.responses[status]
  const json = type.startsWith("application/json")
    ? JSON.parse(text) as { readonly error?: { readonly code?: unknown } }
    : {}
  const code = json.error?.code
  if (typeof code === "string" && elsewhere.includes(code)) return []
  if (response === undefined) return [`the status ${status} with ${String(code)} is not in the document`]
  const { content = {} } = resolved(response)
  const body = content["application/json"]
  if (body === undefined) return type.startsWith("audio/") ? [] : [`the media type ${type} is not in the document`]
  return JsonSchema.problems(asJson, body.schema, json)
}

/** Bodies that are right, by operation. */
const bodies = Effect.gen(function*() {
  const { agentId } = yield* TestEngine.Tenant
  const sample = <A, I>(codec: Schema.Codec<A, I>, source: Arbitrary.Arbitrary<A>) =>
    Effect.map(
      Arbitrary.sampleEffect(source, { count: runs, seed }),
      (values) => values.map((value) => Schema.encodeSync(Schema.toCodecJson(codec))(value))
    )
  // Generated instants lie anywhere in 500,000 years, and the clock stands at 1970.
  const soon = (at: DateTime.Utc) => DateTime.makeUnsafe(at.epochMilliseconds % 86_400_000)
  const ours = <A extends Batch.BatchRow>({ contact, expiresAt, notBefore, ...request }: A) => ({
    ...request,
    ...(contact !== undefined && { contact: inZone(contact) }),
    agentId,
    variables: { topic: "x" },
    ...(notBefore !== undefined && { notBefore: soon(notBefore) }),
    ...(expiresAt !== undefined && { expiresAt: DateTime.makeUnsafe(172_800_000) })
  })
  const previews = yield* sample(
    PreviewCallWire,
    Arbitrary.map(
      Arbitrary.schema(Schema.toType(PreviewCall.PreviewCall)),
      ({ contact, expiresAt, notBefore, ...preview }) => ({
        ...preview,
        ...(contact !== undefined && { contact: inZone(contact) }),
        ...(notBefore !== undefined && { notBefore: soon(notBefore) }),
        ...(expiresAt !== undefined && { expiresAt: DateTime.makeUnsafe(172_800_000) })
      })
    )
  )
  const numbers = yield* sample(Call.StartCall.fields.phoneNumber, Arbitrary.schema(Call.StartCall.fields.phoneNumber))
  const calls = yield* sample(StartCallBody, Arbitrary.map(Arbitrary.schema(Schema.toType(Call.StartCall)), ours))
  const rows = yield* sample(BatchRowWire, Arbitrary.map(Arbitrary.schema(Schema.toType(Batch.BatchRow)), ours))
  const webhooks = yield* sample(
    WebhookEndpoint.SetWebhook,
    Arbitrary.map(Arbitrary.schema(WebhookEndpoint.SetWebhook), (webhook) => ({
      ...webhook,
      ...(webhook.enabled !== false && { url: "https://example.com/hook" })
    }))
  )
  return new Map<string, ReadonlyArray<unknown>>([
    ["calls.start", calls],
    ["calls.preview", previews],
    ["doNotCall.add", numbers.map((_, n) => ({ phone_numbers: numbers.slice(n, n + 1 + n % 5) }))],
    [
      "batches.start",
      rows.map((_, n) => ({ agent_id: agentId, calls: rows.slice(n, n + 1 + n % 5), test: n % 2 === 0 }))
    ],
    [
      "webhook.set",
      webhooks
    ],
    ["webhook.rotateSecret", [{}, { grace_period_seconds: 0 }, { grace_period_seconds: 604_800 }]]
  ])
})

/** A generated name is hardly ever that of a zone. */
const inZone = <A extends { readonly timeZone?: string }>({ timeZone, ...contact }: A) => ({
  ...contact,
  ...(timeZone !== undefined && { timeZone: timeZone.length % 2 === 0 ? "Europe/Paris" : "America/New_York" })
})

/** Numbers, and what is none. */
const numberOf = (random: Hostile.Random): string =>
  random() < 0.5
    ? Hostile.pick(random, ["+14155550100", "%2B14155550101", "0014155550102", "%2B1%20415%20555%200103"])
    : Hostile.pick(random, Hostile.pathParts)

/** Ids that there are, and ids that there are not. */
const idOf = (random: Hostile.Random, { path }: Operation, known: ReadonlyArray<string>): string =>
  random() < 0.4 && known.length > 0
    ? Hostile.pick(random, known.filter((id) => path.includes("batches") === id.startsWith("batch_")).concat("call_0"))
    : Hostile.pick(random, Hostile.pathParts)

const queryOf = (random: Hostile.Random, { operation }: Operation): string => {
  const names = [...operation.parameters.flatMap((one) => one.in === "query" ? [one.name] : []), ...Hostile.queryNames]
  const count = Math.floor(random() * 4)
  const pairs = Array.from(
    { length: count },
    () => `${Hostile.pick(random, names)}=${Hostile.pick(random, Hostile.queryValues)}`
  )
  return count === 0 ? "" : `?${pairs.join("&")}`
}

const requestOf = (
  random: Hostile.Random,
  one: Operation,
  { hostile, known, right }: {
    readonly hostile: boolean
    readonly right: unknown
    readonly known: ReadonlyArray<string>
  }
): Sent => {
  const { method, operation, path } = one
  const target = path.replace("{id}", () => idOf(random, one, known))
    .replace("{phone_number}", () => numberOf(random)) +
    (hostile || random() < 0.5 ? queryOf(random, one) : "")
  const json = ["content-type", "application/json"] as const
  const odd = hostile && random() < 0.5 ? [Hostile.pick(random, Hostile.headers)] : []
  if (method === "GET" || method === "DELETE") return { method, target, headers: odd }
  if (hostile && random() < 0.3) {
    return { method, target, headers: [json, ...odd], body: Hostile.pick(random, Hostile.bodies) }
  }
  if (operation.requestBody === undefined && random() < 0.8) return { method, target, headers: odd }
  const body = JSON.stringify(hostile ? Hostile.mutate(random, right) : right) ?? "{}"
  return { method, target: hostile ? target : path.replace("{id}", "call_0"), headers: [json, ...odd], body }
}

describe("the interface under generated requests", () => {
  it.effect("answers everything as the document says, and never with 500", () =>
    Effect.gen(function*() {
      const handler = yield* WebHandler
      const keys = yield* ApiKeys.ApiKeys
      const { accountId } = yield* TestEngine.Tenant
      const random = Hostile.randomOf(seed)
      const rights = yield* bodies
      const known: Array<string> = []
      const seen = new Map<number, number>()
      let [sent, key] = [0, ""]
      for (let run = 0; run < runs; run++) {
        for (const one of operations) {
          const right = Hostile.pick(random, rights.get(one.operation.operationId) ?? [{}])
          for (const hostile of [false, true]) {
            // A key may send 300 requests in a minute, and here no time passes.
            if (sent++ % 250 === 0) {
              const scopes = ApiKey.Scope.literals
              key = Redacted.value((yield* keys.create(accountId, { name: "test", scopes })).secret)
            }
            const request = requestOf(random, one, { hostile, right, known })
            const answer = yield* Effect.promise(() => exchange(handler, request, key))
            const { headers, status, text } = answer
            const what = `seed ${seed}: ${request.method} ${request.target.slice(0, 300)} ${
              JSON.stringify(request.headers)
            } ${String(request.body).slice(0, 1500)}\n-> ${status} ${text.slice(0, 1500)}`
            assert.deepStrictEqual(wrongs(one, status, headers.get("content-type") ?? "", text), [], what)
            assert.match(headers.get("x-request-id") ?? "", /^req_/, what)
            seen.set(status, (seen.get(status) ?? 0) + 1)
            if (status === 201) {
              const made = JSON.parse(text) as {
                readonly id?: string
                readonly calls?: ReadonlyArray<{ readonly id: string }>
              }
              known.push(...[made.id ?? [], made.calls?.map(({ id }) => id) ?? []].flat())
            }
          }
        }
      }
      // The requests did reach what they were aimed at.
      for (const status of [200, 201, 400, 401, 404, 409, 413, 415]) {
        assert.isTrue(seen.has(status), `seed ${seed}: no ${status}`)
      }

      // Accepted calls can be processed and reported.
      const engine = yield* Engine.Engine
      yield* engine.drain
      const { secret } = yield* keys.create(accountId, { name: "test", scopes: ApiKey.Scope.literals })
      for (const path of ["/v1/calls", "/v1/do_not_call", "/v1/events", "/v1/batches", "/v1/webhook/deliveries"]) {
        const listing = operations.find((one) => one.path === path && one.method === "GET") ?? assert.fail(path)
        const request = { method: "GET", target: `${path}?limit=100`, headers: [] }
        const { headers, status, text } = yield* Effect.promise(() =>
          exchange(handler, request, Redacted.value(secret))
        )
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(
          wrongs(listing, status, headers.get("content-type") ?? "", text),
          [],
          `seed ${seed}: ${path}`
        )
      }
    }).pipe(
      Effect.provide(Layer.provideMerge(WebHandler.layer, TestEngine.layer()))
    ), 120_000)
})

const exchange = async (handler: WebHandler["Service"], { body, headers, method, target }: Sent, key: string) => {
  const all = new Headers({ "x-api-key": key })
  for (const [name, value] of headers) all.set(name, value)
  const response = await handler(
    new Request(`https://api.test${target}`, { method, headers: all, ...(body !== undefined && { body }) })
  )
  return { status: response.status, headers: response.headers, text: await response.text() }
}
