import { assert, describe, it } from "@effect/vitest"
import { Agents, ApiKeys, PhoneNumber } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { DateTime, Duration, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Fixture from "../Fixture.ts"

describe("GET /v1/agents (spec §4.7)", () => {
  it.effect("lists the agents, how they talk and the variables that they use, and not their scripts", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const agents = yield* Agents.Agents
      yield* TestClock.adjust("1 second")
      const added = yield* agents.put(accountId, {
        name: "Bob",
        script: "{{contact.name}} {{ topic }} {{place}}",
        firstMessage: "Is this {{contact.name}}?",
        disclosure: "I call for {{place}}.",
        voicemail: "leave_message",
        voicemailMessage: "Please call us.",
        maxDurationSeconds: 60,
        silenceSeconds: 5,
        interruptible: false,
        endPhrases: ["wrong number"],
        transferNumbers: [{ name: "reception", number: PhoneNumber.PhoneNumber.make("+14155550198") }],
        model: "fast",
        voice: "en-US-Ada",
        tools: ["book_visit"],
        variables: [{ key: "place", default: "Bern" }, { key: "unused" }],
        questions: [],
        dispositions: ["done"]
      })
      const answer = yield* Fixture.send("/v1/agents", { key: yield* Fixture.key("calls:read") })
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.body, {
        object: "list",
        data: [
          {
            id: added.id,
            object: "agent",
            version: 1,
            name: "Bob",
            variables: [
              { key: "topic", required: true },
              { key: "place", required: false, default: "Bern" },
              { key: "unused", required: false }
            ],
            dispositions: ["done"],
            first_message: "Is this {{contact.name}}?",
            disclosure: "I call for {{place}}.",
            voicemail: "leave_message",
            max_duration_seconds: 60,
            silence_seconds: 5,
            interruptible: false,
            end_phrases: ["wrong number"],
            model: "fast",
            voice: "en-US-Ada",
            tools: ["book_visit"],
            created_at: "1970-01-01T00:00:01.000Z",
            updated_at: "1970-01-01T00:00:01.000Z"
          },
          {
            id: agentId,
            object: "agent",
            version: 1,
            name: "Ada",
            variables: [{ key: "topic", required: true }],
            dispositions: ["interested", "not_interested"],
            voicemail: "hang_up",
            max_duration_seconds: 600,
            silence_seconds: 10,
            interruptible: true,
            end_phrases: [],
            tools: [],
            created_at: "1970-01-01T00:00:00.000Z",
            updated_at: "1970-01-01T00:00:00.000Z"
          }
        ],
        has_more: false,
        next_cursor: null
      })
      const managed = yield* Fixture.send("/v1/agents", { key: yield* Fixture.key("agents:manage") })
      assert.deepStrictEqual(managed.body["data"][0].transfer_numbers, [{ name: "reception", number: "+14155550198" }])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("accepts keys that may read or start calls, or change agents", () =>
    Effect.gen(function*() {
      const statuses = []
      for (const scope of Fixture.everything) {
        statuses.push((yield* Fixture.send("/v1/agents", { key: yield* Fixture.key(scope) })).status)
      }
      assert.deepStrictEqual(statuses, [200, 200, 403, 403, 200])
    }).pipe(Effect.provide(Fixture.layer())))
})

describe("/v1/webhook (spec §4.8–4.10)", () => {
  const put = (body: unknown) => Fixture.send("/v1/webhook", { method: "PUT", body })

  it.effect("shows the secret once, when the endpoint is first set", () =>
    Effect.gen(function*() {
      const first = yield* put({ url: "https://hooks.example.com/a" })
      assert.match(first.body["secret"], /^whsec_[0-9A-Za-z]{48}$/)
      const { secret, ...rest } = first.body
      assert.strictEqual(first.status, 201)
      assert.deepStrictEqual(rest, {
        object: "webhook",
        url: "https://hooks.example.com/a",
        enabled: true,
        events: ["call.completed", "call.not_connected"],
        secret_hint: `whsec_…${secret.slice(-4)}`,
        created_at: "1970-01-01T00:00:00.000Z",
        updated_at: "1970-01-01T00:00:00.000Z"
      })
      const again = yield* put({ url: "https://hooks.example.com/b", events: ["call.dialing"], enabled: null })
      assert.strictEqual(again.status, 200)
      assert.deepStrictEqual(again.body, { ...rest, url: "https://hooks.example.com/b", events: ["call.dialing"] })
      const shown = yield* Fixture.send("/v1/webhook")
      assert.deepStrictEqual([shown.status, shown.body], [200, again.body])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("is removed as often as one likes; a new one has a new secret", () =>
    Effect.gen(function*() {
      const { body: { secret } } = yield* put({ url: "https://hooks.example.com/" })
      for (const _ of [1, 2]) {
        const removed = yield* Fixture.send("/v1/webhook", { method: "DELETE" })
        assert.deepStrictEqual([removed.status, removed.body], [200, { object: "webhook", deleted: true }])
      }
      const gone = yield* Fixture.send("/v1/webhook")
      assert.deepStrictEqual([gone.status, gone.body["error"].code], [404, "not_found"])
      const recreated = yield* put({ url: "https://hooks.example.com/" })
      assert.strictEqual(recreated.status, 201)
      assert.notStrictEqual(recreated.body["secret"], secret)
    }).pipe(Effect.provide(Fixture.layer())))
})

describe("keys (spec §5)", () => {
  const get = (headers: Record<string, string> | Array<[string, string]>) =>
    Effect.map(Fixture.send("/v1/calls/call_1", { key: "", headers }), ({ body, headers, status }) => ({
      status,
      code: body["error"].code,
      challenge: headers.get("www-authenticate")
    }))
  const missing = { status: 401, code: "unauthenticated", challenge: "Bearer" }
  const invalid = { status: 401, code: "unauthenticated", challenge: "Bearer error=\"invalid_token\"" }
  const accepted = { status: 404, code: "not_found", challenge: null }

  it.effect("are taken from X-API-Key and from Authorization: Bearer alike", () =>
    Effect.gen(function*() {
      const key = yield* Fixture.key("calls:read")
      assert.deepStrictEqual(yield* get({ "x-api-key": key }), accepted)
      assert.deepStrictEqual(yield* get({ authorization: `Bearer ${key}` }), accepted)
      assert.deepStrictEqual(yield* get({ authorization: `bearer  ${key}` }), accepted)
      assert.deepStrictEqual(yield* get({ "x-api-key": key, authorization: `Bearer ${key}` }), accepted)
      assert.deepStrictEqual(yield* get({ "x-api-key": key, authorization: "Basic cHJveHk6cHc=" }), accepted)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("are refused when they differ, are doubled, unknown, mistyped or missing", () =>
    Effect.gen(function*() {
      const key = yield* Fixture.key("calls:read")
      const other = yield* Fixture.key("calls:read")
      assert.deepStrictEqual(yield* get({ "x-api-key": key, authorization: `Bearer ${other}` }), invalid)
      assert.deepStrictEqual(yield* get([["x-api-key", key], ["x-api-key", other]]), invalid)
      assert.deepStrictEqual(yield* get({ "x-api-key": `${key.slice(0, -1)}!` }), invalid)
      assert.deepStrictEqual(yield* get({ "x-api-key": "x".repeat(10_000) }), invalid)
      assert.deepStrictEqual(yield* get({ "x-api-key": "" }), missing)
      assert.deepStrictEqual(yield* get({ authorization: "Bearer" }), missing)
      assert.deepStrictEqual(yield* get({ authorization: `Basic ${key}` }), missing)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("are refused once they have expired or are revoked", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const keys = yield* ApiKeys.ApiKeys
      const expiresAt = DateTime.addDuration(yield* DateTime.now, Duration.seconds(1))
      const brief = yield* keys.create(accountId, { name: "brief", scopes: ["calls:read"], expiresAt })
      const revoked = yield* keys.create(accountId, { name: "revoked", scopes: ["calls:read"] })
      assert.deepStrictEqual(yield* get({ "x-api-key": Redacted.value(brief.secret) }), accepted)
      yield* keys.revoke(accountId, revoked.key.id)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* get({ "x-api-key": Redacted.value(brief.secret) }), invalid)
      assert.deepStrictEqual(yield* get({ "x-api-key": Redacted.value(revoked.secret) }), invalid)
    }).pipe(Effect.provide(Fixture.layer())))
})
