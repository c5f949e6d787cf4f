/** The cases that need several keys (spec §5, §8): scopes, isolation of accounts, and rate limits. */
import { assert } from "@effect/vitest"
import { type ApiKey, Limits } from "@outdial/core"
import { Effect } from "effect"
import { callRequest, type Cases, get, Keys, post, refusal, send, startedCall, Target } from "./Target.ts"

/** Every endpoint, and the sets of scopes that it accepts. */
const endpoints: ReadonlyArray<readonly [string, string, ReadonlyArray<ReadonlyArray<ApiKey.Scope>>]> = [
  ["POST", "/v1/calls", [["calls:write"]]],
  ["GET", "/v1/calls", [["calls:read"]]],
  ["GET", "/v1/calls/call_1", [["calls:read"]]],
  ["POST", "/v1/calls/call_1/cancel", [["calls:write"]]],
  ["GET", "/v1/calls/call_1/explanation", [["calls:read"]]],
  ["GET", "/v1/calls/call_1/transcript", [["calls:read"]]],
  ["POST", "/v1/calls/preview", [["calls:read"]]],
  ["POST", "/v1/batches", [["calls:write"]]],
  ["GET", "/v1/batches", [["calls:read"]]],
  ["GET", "/v1/batches/batch_1", [["calls:read"]]],
  ["POST", "/v1/batches/batch_1/cancel", [["calls:write"]]],
  ["GET", "/v1/agents", [["calls:read"], ["calls:write"], ["agents:manage"]]],
  ["GET", "/v1/agents/00000000-0000-4000-8000-00000000dead", [["calls:read"], ["calls:write"], ["agents:manage"]]],
  ["POST", "/v1/agents", [["agents:manage"]]],
  ["PUT", "/v1/agents/00000000-0000-4000-8000-00000000dead", [["agents:manage"]]],
  ["DELETE", "/v1/agents/00000000-0000-4000-8000-00000000dead", [["agents:manage"]]],
  ["GET", "/v1/webhook", [["webhooks:manage"]]],
  ["PUT", "/v1/webhook", [["webhooks:manage"]]],
  ["DELETE", "/v1/webhook", [["webhooks:manage"]]],
  ["POST", "/v1/webhook/rotate-secret", [["webhooks:manage"]]],
  ["POST", "/v1/webhook/test", [["webhooks:manage"]]],
  ["GET", "/v1/webhook/deliveries", [["webhooks:manage"]]],
  ["GET", "/v1/webhook/deliveries/dlv_1", [["webhooks:manage"]]],
  ["GET", "/v1/do_not_call", [["do_not_call:manage"]]],
  ["POST", "/v1/do_not_call", [["do_not_call:manage"]]],
  ["GET", "/v1/do_not_call/+14155550100", [["do_not_call:manage"]]],
  ["DELETE", "/v1/do_not_call/+14155550100", [["do_not_call:manage"]]],
  ["GET", "/v1/events", [["webhooks:manage", "calls:read"]]],
  ["GET", "/v1/events/evt_1", [["webhooks:manage", "calls:read"]]]
]

const held: ReadonlyArray<ReadonlyArray<ApiKey.Scope>> = [
  [],
  ["calls:read"],
  ["calls:write"],
  ["webhooks:manage"],
  ["do_not_call:manage"],
  ["agents:manage"],
  ["webhooks:manage", "calls:read"],
  ["webhooks:manage", "calls:write"]
]

export const cases: Cases<Target | Keys> = {
  "shows an agent's script to keys that may change it, and to no others": Effect.gen(function*() {
    const { agentId } = yield* Target
    const keys = yield* Keys
    for (const scope of ["calls:read", "calls:write", "agents:manage"] as const) {
      const key = yield* keys.make([scope])
      const { body } = yield* get(`/v1/agents/${agentId}`, { key })
      const listed = (yield* get("/v1/agents", { key })).body["data"].find(({ id }: { readonly id: string }) =>
        id === agentId
      )
      assert.deepStrictEqual(listed, body)
      assert.strictEqual("script" in body && "questions" in body, scope === "agents:manage", scope)
    }
  }),

  "opens every endpoint to the scopes that it names, and to no others": Effect.gen(function*() {
    const keys = yield* Keys
    for (const scopes of held) {
      const key = yield* keys.make(scopes)
      for (const [method, path, sets] of endpoints) {
        // The invalid body shows that the scope is checked first.
        const answer = yield* send(method, path, { key, ...(method !== "GET" && { raw: "{" }) })
        const isOpen = sets.some((set) => set.every((scope) => scopes.includes(scope)))
        assert.strictEqual(answer.status !== 403, isOpen, `${method} ${path} with ${scopes.join(" ")}`)
        if (isOpen) continue
        const needed = [...new Set(sets.flat())]
        assert.deepStrictEqual(refusal(answer, "required_scopes"), [403, "insufficient_scope", needed])
        assert.strictEqual(
          answer.headers.get("www-authenticate"),
          `Bearer error="insufficient_scope", scope="${needed.join(" ")}"`
        )
      }
    }
  }),

  "shows no account another account's data": Effect.gen(function*() {
    const { agentId, webhookUrl } = yield* Target
    const { stranger: key } = yield* Keys
    const call = yield* startedCall()
    const { body: batch } = yield* post("/v1/batches", { body: { agent_id: agentId, calls: [{}] } })
    yield* send("PUT", "/v1/webhook", { body: { url: webhookUrl } })
    const { not_before: _, ...test } = yield* callRequest({ test: true })
    yield* post("/v1/calls", { body: test })
    yield* post("/v1/do_not_call", { body: { phone_numbers: [test.phone_number] } })
    const { body: { data: [event] } } = yield* get("/v1/events?limit=1")
    const { body: { data: [delivery] } } = yield* get("/v1/webhook/deliveries?limit=1")
    for (
      const path of [
        `/v1/calls/${call["id"]}`,
        `/v1/calls/${call["id"]}/explanation`,
        `/v1/calls/${call["id"]}/transcript`,
        `/v1/do_not_call/${test.phone_number}`,
        `/v1/batches/${batch["id"]}`,
        `/v1/agents/${agentId}`,
        `/v1/events/${event.id}`,
        `/v1/webhook/deliveries/${delivery.id}`
      ]
    ) {
      assert.strictEqual((yield* get(path)).status, 200, path)
      assert.deepStrictEqual(refusal(yield* get(path, { key })), [404, "not_found"], path)
    }
    for (const path of [`/v1/calls/${call["id"]}/cancel`, `/v1/batches/${batch["id"]}/cancel`]) {
      assert.deepStrictEqual(refusal(yield* post(path, { key })), [404, "not_found"], path)
    }
    const lists = ["/v1/calls", "/v1/batches", "/v1/agents", "/v1/do_not_call", "/v1/events", "/v1/webhook/deliveries"]
    for (const path of lists) {
      assert.deepStrictEqual((yield* get(path, { key })).body["data"], [], path)
    }
    assert.strictEqual((yield* get(`/v1/calls/${call["id"]}`)).body["status"], "queued")
    const body = yield* callRequest()
    assert.deepStrictEqual(refusal(yield* post("/v1/calls", { body, key })), [422, "agent_not_found"])
  }),

  "accepts exactly 300 requests of a key in a minute, including errors, and says when to retry": Effect.gen(
    function*() {
      const keys = yield* Keys
      const key = yield* keys.make(["calls:read"])
      const paths = Array.from(
        { length: Limits.requestsPerMinute + 20 },
        (_, n) => n % 2 === 0 ? "/v1/agents" : "/v1/events"
      )
      const answers = yield* Effect.forEach(paths, (path) => get(path, { key }), { concurrency: 20 })
      const refused = answers.filter(({ status }) => status === 429)
      assert.strictEqual(refused.length, 20)
      for (const answer of refused) {
        assert.deepStrictEqual(refusal(answer), [429, "rate_limited"])
        const seconds = answer.headers.get("retry-after") ?? ""
        assert.match(seconds, /^([1-9]|[1-5]\d|60)$/)
        assert.strictEqual(answer.headers.get("ratelimit"), `"default";r=0;t=${seconds}`)
      }
      const left = answers.map(({ headers }) => Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]))
      assert.strictEqual(new Set(left).size, Limits.requestsPerMinute)
      // The rate is checked before the scope, and other keys are unaffected.
      assert.deepStrictEqual(refusal(yield* post("/v1/calls", { key, raw: "{" })), [429, "rate_limited"])
      assert.strictEqual((yield* get("/v1/agents", { key: yield* keys.make(["calls:read"]) })).status, 200)
    }
  )
}
