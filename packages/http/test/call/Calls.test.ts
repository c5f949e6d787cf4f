import { assert, describe, it } from "@effect/vitest"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { WebHandler } from "../../src/index.ts"
import * as Fixture from "../Fixture.ts"

const post = (body: unknown, headers: Record<string, string> = {}) => Fixture.send("/v1/calls", { body, headers })

describe("POST /v1/calls (spec §4.1)", () => {
  it.effect("answers 201 with the queued call", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const answer = yield* post(
        yield* Fixture.startCall({
          phone_number: "0041 (44) 668-18.00",
          contact: { name: "Grace", external_id: "crm-7" },
          metadata: { deep: [null, { camelCase: "ä" }] }
        })
      )
      assert.strictEqual(answer.status, 201)
      const { id, ...call } = answer.body
      assert.match(id, /^call_/)
      assert.deepStrictEqual(call, {
        object: "call",
        status: "queued",
        agent_id: agentId,
        phone_number: "+41446681800",
        contact: { name: "Grace", external_id: "crm-7" },
        variables: { topic: "your visit" },
        metadata: { deep: [null, { camelCase: "ä" }] },
        batch_id: null,
        test: false,
        created_at: "1970-01-01T00:00:00.000Z",
        outcome: null,
        idempotent_replay: false
      })
      assert.isNull(answer.headers.get("idempotent-replayed"))
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("answers 200 with the first call when the Idempotency-Key comes again", () =>
    Effect.gen(function*() {
      const body = yield* Fixture.startCall()
      const first = yield* post(body, { "idempotency-key": "k" })
      const again = yield* post(body, { "idempotency-key": "k" })
      assert.deepStrictEqual([first.status, again.status], [201, 200])
      assert.deepStrictEqual(again.body, { ...first.body, idempotent_replay: true })
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("completes a test call at once, with an outcome", () =>
    Effect.gen(function*() {
      const { body, status } = yield* post(yield* Fixture.startCall({ test: true }))
      assert.deepStrictEqual([status, body["status"], body["test"]], [201, "completed", true])
      assert.deepStrictEqual(
        Object.keys(body["outcome"]).sort(),
        ["answers", "callback_requested", "disposition", "lead_rating", "summary", "transcript"]
      )
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("reads null in an optional field as absent", () =>
    Effect.gen(function*() {
      const answer = yield* post(
        yield* Fixture.startCall({
          contact: { name: null, email: null, external_id: null },
          metadata: null,
          test: null
        })
      )
      assert.deepStrictEqual(
        [answer.status, answer.body["contact"], answer.body["metadata"], answer.body["test"]],
        [201, {}, {}, false]
      )
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("refuses body fields that it does not know and lists all of them", () =>
    Effect.gen(function*() {
      const { errors, status } = Fixture.errorOf(
        yield* post(yield* Fixture.startCall({ priority: 9, contact: { nick: "G" } }))
      )
      assert.deepStrictEqual([status, errors], [400, [
        {
          param: "/priority",
          message: "priority is not a known field; known are agent_id, phone_number, contact, variables, metadata, " +
            "not_before, expires_at, test"
        },
        {
          param: "/contact/nick",
          message: "contact.nick is not a known field; known are name, email, external_id, time_zone"
        }
      ]])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("accepts equal JSON in another notation", () =>
    Effect.gen(function*() {
      const raw = `\ufeff\n ${JSON.stringify(yield* Fixture.startCall())} \n`
      const answer = yield* Fixture.send("/v1/calls", {
        raw,
        headers: { "content-type": "Application/JSON ; charset=UTF-8" }
      })
      assert.strictEqual(answer.status, 201)
    }).pipe(Effect.provide(Fixture.layer())))
})

describe("GET /v1/calls/{id} (spec §4.2)", () => {
  it.effect("shows the current call, and its recording to requests with the link, until it expires", () =>
    Effect.gen(function*() {
      const { body: { id } } = yield* post(yield* Fixture.startCall())
      yield* TestEngine.advance("10 minutes")
      const { body: call } = yield* Fixture.send(`/v1/calls/${id}`)
      assert.deepStrictEqual([call["status"], call["outcome"]?.disposition], ["completed", "interested"])
      const handler = yield* WebHandler
      const fetch = (url: string) => Effect.promise(() => handler(new Request(url)))
      const url: string = call["recording_url"]
      const audio = yield* fetch(url)
      assert.deepStrictEqual([audio.status, audio.headers.get("content-type")], [200, "audio/wav"])
      assert.strictEqual(
        String.fromCharCode(...new Uint8Array(yield* Effect.promise(() => audio.arrayBuffer())).slice(0, 4)),
        "RIFF"
      )
      const forged = [
        url.replace(/expires=\d+/, "expires=99999"),
        url.replace(id, "call_1"),
        url.replace("account=acct_", "account=acct_0"),
        url.replace(/signature=..../, "signature=AAAA"),
        url.replace(/signature=.*/, "signature=*"),
        url.replace(/\?.*/, "")
      ]
      for (const link of forged) assert.strictEqual((yield* fetch(link)).status, 404, link)
      yield* TestClock.adjust("1 day")
      const expired = yield* fetch(url)
      assert.strictEqual(expired.status, 404)
      assert.match(yield* Effect.promise(() => expired.text()), /"code":"not_found"/)
      const { body: later } = yield* Fixture.send(`/v1/calls/${id}`)
      assert.strictEqual((yield* fetch(later["recording_url"])).status, 200)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("answers HEAD as GET, without the body", () =>
    Effect.gen(function*() {
      const { body: { id } } = yield* post(yield* Fixture.startCall())
      const answer = yield* Fixture.send(`/v1/calls/${id}`, { method: "HEAD" })
      assert.deepStrictEqual([answer.status, answer.body], [200, {}])
    }).pipe(Effect.provide(Fixture.layer())))
})
