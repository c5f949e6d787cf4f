/** Agents, the webhook endpoint, events and deliveries over HTTP (spec §4.7–4.12, §6). */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { callRequest, type Cases, get, post, refusal, send, Target, walk } from "./Target.ts"

const put = Effect.fnUntraced(function*(body: unknown) {
  return yield* send("PUT", "/v1/webhook", { body })
})

const completedTestCall = Effect.gen(function*() {
  const { not_before: _, ...request } = yield* callRequest({ test: true })
  return (yield* post("/v1/calls", { body: request })).body
})

export const cases: Cases = {
  "lists the agents, and shows one": Effect.gen(function*() {
    const { agentId, variables } = yield* Target
    const agent = (yield* walk("/v1/agents", 1)).find(({ id }) => id === agentId)
    assert.containsAllKeys(agent, ["id", "object", "name", "variables", "dispositions", "created_at", "updated_at"])
    const needed = agent?.["variables"].filter(({ required }: { readonly required: boolean }) => required)
    assert.sameMembers(needed.map(({ key }: { readonly key: string }) => key), Object.keys(variables))
    assert.deepStrictEqual((yield* get(`/v1/agents/${agentId}`)).body, agent)
    const unknown = yield* get("/v1/agents/00000000-0000-4000-8000-00000000dead")
    assert.deepStrictEqual(refusal(unknown), [404, "not_found"])
    assert.deepStrictEqual(refusal(yield* get("/v1/agents/ada"), "param"), [400, "invalid_request", "/id"])
  }),

  "creates, replaces and archives agents": Effect.gen(function*() {
    const content = { name: "Bea", script: "Hello {{contact.name}}", questions: ["Tuesday?"], dispositions: ["yes"] }
    const created = yield* post("/v1/agents", { body: content })
    assert.strictEqual(created.status, 201)
    assert.deepInclude(created.body, { ...content, version: 1, object: "agent" })
    const path = `/v1/agents/${created.body["id"]}`
    const changed = {
      ...content,
      language: "es",
      first_message: "Hola {{topic}}",
      variables: [{ key: "topic", default: "x" }]
    }
    for (const version of [2, 2]) {
      const { body, status } = yield* send("PUT", path, { body: changed })
      assert.deepStrictEqual([status, body["version"], body["language"]], [200, version, "es"])
      assert.deepStrictEqual(body["variables"], [{ key: "topic", required: false, default: "x" }])
    }
    assert.deepStrictEqual((yield* get(path)).body["first_message"], "Hola {{topic}}")

    const mistakes: ReadonlyArray<readonly [unknown, string]> = [
      [{ ...content, dispositions: [] }, "/dispositions"],
      [{ ...content, script: "{{1}}" }, "/script"],
      [{ ...content, voicemail: "leave_message" }, "/voicemail"],
      [{ ...content, max_duration_seconds: 5 }, "/max_duration_seconds"],
      [{ ...content, scirpt: "Hi" }, "/scirpt"],
      [{ ...content, id: created.body["id"] }, "/id"]
    ]
    for (const [body, param] of mistakes) {
      assert.deepStrictEqual(refusal(yield* post("/v1/agents", { body }), "param"), [400, "invalid_request", param])
      assert.deepStrictEqual(refusal(yield* send("PUT", path, { body }), "param"), [400, "invalid_request", param])
    }

    const request = { ...yield* callRequest({ test: true }), agent_id: created.body["id"], variables: {} }
    assert.strictEqual((yield* post("/v1/calls", { body: request })).status, 201)
    for (let n = 0; n < 2; n++) {
      const { body, status } = yield* send("DELETE", path)
      assert.strictEqual(status, 200)
      assert.isString(body["archived_at"])
    }
    assert.isString((yield* get(path)).body["archived_at"])
    assert.notInclude((yield* walk("/v1/agents", 50)).map(({ id }) => id), created.body["id"])
    assert.deepStrictEqual(refusal(yield* post("/v1/calls", { body: request })), [422, "agent_not_found"])
    assert.deepStrictEqual((yield* send("PUT", path, { body: changed })).body["archived_at"], undefined)
    assert.strictEqual((yield* post("/v1/calls", { body: request })).status, 201)
    const unknown = yield* send("DELETE", "/v1/agents/00000000-0000-4000-8000-00000000dead")
    assert.deepStrictEqual(refusal(unknown), [404, "not_found"])
    yield* send("DELETE", path)
  }),

  "sets, shows, changes, tests, rotates and removes the webhook": Effect.gen(function*() {
    const { webhookUrl: url } = yield* Target
    yield* send("DELETE", "/v1/webhook")
    for (const path of ["/v1/webhook/rotate-secret", "/v1/webhook/test"]) {
      assert.deepStrictEqual(refusal(yield* post(path)), [404, "not_found"])
    }
    const set = yield* put({ url })
    const { secret, ...webhook } = set.body
    assert.strictEqual(set.status, 201)
    assert.match(secret, /^whsec_[0-9A-Za-z]{48}$/)
    assert.deepStrictEqual(webhook, {
      object: "webhook",
      url,
      enabled: true,
      events: ["call.completed", "call.not_connected"],
      secret_hint: `whsec_…${secret.slice(-4)}`,
      created_at: webhook["created_at"],
      updated_at: webhook["updated_at"]
    })
    const changed = yield* put({ url, events: ["call.dialing"], enabled: false })
    assert.deepStrictEqual([changed.status, changed.body["events"], changed.body["enabled"]], [
      200,
      ["call.dialing"],
      false
    ])
    assert.isUndefined(changed.body["secret"])
    assert.deepStrictEqual((yield* get("/v1/webhook")).body, changed.body)

    assert.deepStrictEqual(refusal(yield* post("/v1/webhook/test")), [409, "webhook_disabled"])
    yield* put({ url, events: ["call.dialing"] })
    const tried = yield* post("/v1/webhook/test")
    assert.deepStrictEqual([tried.status, tried.body["object"], tried.body["delivered"]], [200, "webhook_test", true])
    assert.match(tried.body["event_id"], /^evt_/)

    const rotated = yield* post("/v1/webhook/rotate-secret")
    assert.strictEqual(rotated.status, 200, JSON.stringify(rotated.body))
    assert.match(rotated.body["secret"], /^whsec_/)
    assert.notStrictEqual(rotated.body["secret"], secret)
    assert.isString(rotated.body["previous_secret_expires_at"])
    yield* post("/v1/webhook/rotate-secret", { body: { grace_period_seconds: 60 } })
    const third = yield* post("/v1/webhook/rotate-secret", { body: {} })
    assert.deepStrictEqual(refusal(third), [409, "rotation_limit_reached"])
    assert.isString(third.body["error"].retry_at)
    const atOnce = yield* post("/v1/webhook/rotate-secret", { body: { grace_period_seconds: 0 } })
    assert.deepStrictEqual([atOnce.status, atOnce.body["previous_secret_expires_at"]], [200, undefined])
    const wrong = yield* post("/v1/webhook/rotate-secret", { body: { grace_period_seconds: 604_801 } })
    assert.deepStrictEqual(refusal(wrong, "param"), [400, "invalid_request", "/grace_period_seconds"])

    for (let removals = 0; removals < 2; removals++) {
      const removed = yield* send("DELETE", "/v1/webhook")
      assert.deepStrictEqual([removed.status, removed.body], [200, { object: "webhook", deleted: true }])
    }
    assert.deepStrictEqual(refusal(yield* get("/v1/webhook")), [404, "not_found"])
    const recreated = yield* put({ url })
    assert.strictEqual(recreated.status, 201)
    assert.notStrictEqual(recreated.body["secret"], atOnce.body["secret"])
  }),

  "accepts ten test events a minute, and says when to send the next": Effect.gen(function*() {
    const { webhookUrl: url } = yield* Target
    yield* put({ url })
    const answers = yield* Effect.all(Array.from({ length: 11 }, () => post("/v1/webhook/test")))
    const refused = answers.at(-1)
    assert.deepStrictEqual([refused?.status, refused?.body["error"].code], [429, "rate_limited"])
    assert.match(refused?.headers.get("retry-after") ?? "", /^([1-9]|[1-5]\d|60)$/)
  }),

  "refuses an invalid endpoint": Effect.gen(function*() {
    assert.deepStrictEqual(refusal(yield* put({ url: "nope" }), "param"), [400, "webhook_url_not_allowed", "/url"])
    assert.deepStrictEqual(refusal(yield* put({}), "param"), [400, "invalid_request", "/url"])
    assert.deepStrictEqual(refusal(yield* put({ url: "https://example.com", events: [] }), "param"), [
      400,
      "invalid_request",
      "/events"
    ])
  }),

  "refuses an endpoint that is not written as it is requested, and says how to write it": Effect.gen(function*() {
    const before = yield* get("/v1/webhook")
    const urls = ["https:example.com", "https:/\\example.com", "https://@example.com/", "https://example.com:0443/a"]
    for (const url of urls) {
      const answer = yield* put({ url })
      assert.deepStrictEqual(refusal(answer, "param", "message"), [
        400,
        "webhook_url_not_allowed",
        "/url",
        `url must be written as it is requested: https://example.com/${url.endsWith("a") ? "a" : ""}`
      ])
    }
    assert.deepStrictEqual((yield* get("/v1/webhook")).body["url"], before.body["url"], "nothing is kept of it")
  }),

  "keeps the event of a call, in the envelope that deliveries carry, and logs its delivery": Effect.gen(function*() {
    const { webhookUrl: url } = yield* Target
    yield* put({ url })
    const { idempotent_replay: _, ...call } = yield* completedTestCall
    const events = yield* get(`/v1/events?call_id=${call["id"]}&type=call.completed`)
    const [event] = events.body["data"]
    assert.deepStrictEqual(event, {
      id: event.id,
      object: "event",
      type: "call.completed",
      timestamp: event.timestamp,
      api_version: "v1",
      test: true,
      data: call
    })
    assert.deepStrictEqual((yield* get(`/v1/events/${event.id}`)).body, event)
    assert.strictEqual((yield* get(`/v1/events?call_id=${call["id"]}&type=call.not_connected`)).body["data"].length, 0)
    const deliveries = yield* get(`/v1/webhook/deliveries?event_id=${event.id}&call_id=${call["id"]}`)
    assert.strictEqual(deliveries.body["data"].length, 1)
    const { body: delivery } = yield* get(`/v1/webhook/deliveries/${deliveries.body["data"][0].id}`)
    assert.deepInclude(delivery, {
      object: "webhook_delivery",
      event_id: event.id,
      call_id: call["id"],
      type: "call.completed"
    })
    assert.include(["pending", "sending", "delivered", "exhausted"], delivery["state"])
    assert.isArray(delivery["attempts"])
  }),

  "lists events and deliveries newest first, page by page": Effect.gen(function*() {
    const { webhookUrl: url } = yield* Target
    yield* put({ url })
    const first = yield* completedTestCall
    for (let made = 0; made < 3; made++) yield* completedTestCall
    for (const kind of ["/v1/events", "/v1/webhook/deliveries"]) {
      const path = `${kind}?created_after=${first["ended_at"]}`
      const all = yield* walk(path, 100)
      assert.deepStrictEqual((yield* walk(path, 2)).map(({ id }) => id), all.map(({ id }) => id))
      const stamps = all.map((item) => String(item["timestamp"] ?? item["created_at"]))
      assert.isTrue(stamps.every((stamp, index) => stamp <= (stamps[index - 1] ?? stamp)))
      assert.strictEqual((yield* get(`${kind}?created_before=2020-01-01T00:00:00Z`)).body["data"].length, 0)
    }
  }),

  "refuses filters of events and deliveries that it does not know": Effect.gen(function*() {
    const wrong = ["/v1/events?type=call.rang", "/v1/events?state=pending", "/v1/webhook/deliveries?state=lost"]
    for (const path of wrong) assert.deepStrictEqual(refusal(yield* get(path)), [400, "invalid_request"], path)
  })
}
