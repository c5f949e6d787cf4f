import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fixture from "../Fixture.ts"

/** What is wrong with a field of a call, alone or as a row. */
const fields: ReadonlyArray<readonly [field: string, values: ReadonlyArray<unknown>]> = [
  ["agent_id", [7, {}, [], "x", true]],
  ["phone_number", [7, null, {}, [], "x", true]],
  ["contact", [[], 5, "x", { name: 5 }, { email: [] }, { email: "x" }, { external_id: {} }, {
    name: "x".repeat(5000)
  }]],
  ["variables", [[], 5, "x", { a: null }, { a: {} }, { a: [1] }, { "1": "x" }, { a: "x".repeat(50_000) }]],
  ["metadata", [[], 5, "x", { a: "x".repeat(50_000) }]],
  ["not_before", [7, {}, [], "x", true]],
  ["expires_at", [7, {}, [], "x", true]]
]

const hostile = fields.flatMap(([field, values]) => values.map((value) => ({ [field]: value })))

/** No message is the decoder's own: each is in our words. */
const assertOurs = ({ errors = [], message }: Fixture.Received["body"]) => {
  for (const text of [message, ...errors.map((error: { readonly message: string }) => error.message)]) {
    assert.notMatch(text, /Expected|Invalid data|Unexpected|Missing/, text)
  }
}

const refused = Effect.fnUntraced(function*(path: string, sent: Fixture.Sent) {
  const { status, ...error } = Fixture.errorOf(yield* Fixture.send(path, sent))
  assert.strictEqual(status, 400, JSON.stringify(sent))
  assertOurs(error)
})

describe("messages", () => {
  it.effect("are in our words for a call, alone and as a row", () =>
    Effect.gen(function*() {
      const good = yield* Fixture.startCall()
      for (const bad of [...hostile, { test: "yes" }, { test: 1 }]) {
        yield* refused("/v1/calls", { body: { ...good, ...bad } })
      }
      yield* refused("/v1/calls", { body: {} })
      const calls = [null, 5, "x", [], {}, true, ...hostile.map((bad) => ({ ...good, ...bad }))]
      const { body, status } = yield* Fixture.send("/v1/batches", { body: { agent_id: good.agent_id, calls } })
      assert.deepStrictEqual([status, body["rejected"].length], [201, calls.length])
      for (const row of body["rejected"]) assertOurs(row)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect.each([
    ["/v1/batches", { calls: {} }],
    ["/v1/batches", { calls: null }],
    ["/v1/batches", {}],
    ["/v1/batches", { calls: [{}], test: "yes" }],
    ["/v1/batches", { calls: [{}], agent_id: 5 }],
    ["/v1/webhook", {}],
    ["/v1/webhook", { url: 5 }],
    ["/v1/webhook", { url: "https://a.test", events: ["x"] }],
    ["/v1/webhook", { url: "https://a.test", events: "x" }],
    ["/v1/webhook", { url: "https://a.test", events: [null] }],
    ["/v1/webhook", { url: "https://a.test", enabled: "yes" }],
    ["/v1/webhook/rotate-secret", { grace_period_seconds: "x" }],
    ["/v1/webhook/rotate-secret", { grace_period_seconds: 1.5 }],
    ["/v1/webhook/rotate-secret", { grace_period_seconds: [] }]
  ])("are in our words for a body of %s: %j", ([path, body]) =>
    Effect.gen(function*() {
      yield* refused(path as string, { body, method: path === "/v1/webhook" ? "PUT" : "POST" })
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect.each(["1e400", "-1", "\"Infinity\""])(
    "are in our words for a grace period of %s",
    (value) =>
      refused("/v1/webhook/rotate-secret", { raw: `{"grace_period_seconds":${value}}` }).pipe(
        Effect.provide(Fixture.layer())
      )
  )

  it.effect.each([
    ...["/v1/calls", "/v1/batches", "/v1/agents", "/v1/events", "/v1/webhook/deliveries"].flatMap((path) => [
      `${path}?limit=1&limit=2`,
      `${path}?limit=x`,
      `${path}?limit=`,
      `${path}?cursor=a&cursor=b`,
      `${path}?cursor=x`,
      `${path}?foo=1&foo=2`,
      `${path}?foo=1`
    ]),
    ...["created_after", "created_before", "status", "agent_id", "batch_id", "phone_number", "external_id", "test"]
      .flatMap((name) => [`/v1/calls?${name}=x&${name}=y`, ...(name === "external_id" ? [] : [`/v1/calls?${name}=x`])]),
    "/v1/webhook?x=1",
    "/v1/webhook?x=1&x=2",
    "/v1/calls/x",
    "/v1/batches/x",
    "/v1/agents/x",
    "/v1/events/x",
    "/v1/webhook/deliveries/x"
  ])("are in our words for GET %s", (path) => refused(path, {}).pipe(Effect.provide(Fixture.layer())))
})
