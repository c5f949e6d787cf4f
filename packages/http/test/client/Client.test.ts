import { assert, describe, it } from "@effect/vitest"
import { Ids, PhoneNumber } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { ApiErrors, Client, WebHandler } from "../../src/index.ts"
import * as LoggedCall from "../../../../test/support/LoggedCall.ts"
import * as Fixture from "../Fixture.ts"

/** The client over the web handler itself. */
const make = Effect.gen(function*() {
  const handler = yield* WebHandler
  const apiKey = Redacted.make(yield* Fixture.Everything)
  const httpClient = HttpClient.make((request) =>
    Effect.map(
      Effect.promise(async () => handler(await Effect.runPromise(HttpClientRequest.toWeb(request)))),
      (response) => HttpClientResponse.fromWeb(request, response)
    )
  )
  return yield* Client.make({ baseUrl: "https://api.test", apiKey }).pipe(
    Effect.provideService(HttpClient.HttpClient, httpClient)
  )
})

const request = Effect.map(TestEngine.Tenant, ({ agentId }) => ({
  agentId,
  phoneNumber: PhoneNumber.PhoneNumber.make("+14155550100"),
  variables: { topic: "your visit" }
}))

describe("the Effect client", () => {
  it.effect("starts and gets a call as typed values", () =>
    Effect.gen(function*() {
      const client = yield* make
      const payload = yield* request
      const started = yield* client.calls.start({ headers: { "idempotency-key": "k1" }, query: {}, payload })
      const replayed = yield* client.calls.start({ headers: { "idempotency-key": "k1" }, query: {}, payload })
      // A replay comes with its headers, a first answer without.
      assert.deepStrictEqual("body" in replayed ? replayed.body.idempotentReplay : undefined, true)
      const id = "id" in started ? started.id : assert.fail("It was a replay")
      const call = yield* client.calls.get({ params: { id }, query: {} })
      assert.deepStrictEqual(call.agentId, payload.agentId)
      assert.deepStrictEqual(call.createdAt, "createdAt" in started ? started.createdAt : undefined)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("fails with an error whose code is that of the endpoint", () =>
    Effect.gen(function*() {
      const client = yield* make
      const payload = yield* request
      yield* client.calls.start({ headers: {}, query: {}, payload })
      const refused = yield* Effect.flip(client.calls.start({ headers: {}, query: {}, payload }))
      assert.instanceOf(refused, ApiErrors.ApiError)
      assert.strictEqual("code" in refused ? refused.code : "", "call_already_queued")
      const id = Ids.CallId.make("call_0")
      const unknown = yield* Effect.flip(client.calls.get({ params: { id }, query: {} }))
      assert.strictEqual("code" in unknown ? unknown.code : "", "not_found")
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("reads transcripts", () =>
    Effect.gen(function*() {
      const client = yield* make
      const { append, callId } = yield* LoggedCall.talking
      yield* append(LoggedCall.turn("agent", "Hello", 1), LoggedCall.turn("contact", "Yes", 2))
      const read = client.calls.transcript({ params: { id: callId }, headers: {}, query: { after: 1 } })
      assert.deepStrictEqual(yield* read, {
        object: "transcript",
        callId,
        sealed: false,
        turns: [{ sequence: 2, speaker: "contact", text: "Yes", startMs: 2000, endMs: 2500 }]
      })
    }).pipe(Effect.provide(Fixture.layer(LoggedCall.engine))))

  it.effect("previews and explains calls, and keeps the do-not-call list", () =>
    Effect.gen(function*() {
      const client = yield* make
      const payload = yield* request
      const { phoneNumber } = payload
      const preview = yield* client.calls.preview({ query: {}, payload: { phoneNumber } })
      assert.strictEqual(preview.decision, "dial")
      const started = yield* client.calls.start({ headers: {}, query: {}, payload })
      const id = "id" in started ? started.id : assert.fail("It was a replay")
      const explained = yield* client.calls.explain({ params: { id }, query: {} })
      assert.deepStrictEqual([explained.callId, explained.rules.slice(1)], [id, preview.rules.slice(1)])
      const added = yield* client.doNotCall.add({ query: {}, payload: { phoneNumbers: [phoneNumber] } })
      assert.deepStrictEqual(added, { object: "do_not_call_addition", added: 1, canceled: 1 })
      const params = { phone_number: phoneNumber }
      assert.strictEqual((yield* client.doNotCall.get({ params, query: {} })).source, "api")
      assert.strictEqual((yield* client.doNotCall.list({ query: {} })).data.length, 1)
      assert.isTrue((yield* client.doNotCall.remove({ params, query: {} })).deleted)
      const gone = yield* Effect.flip(client.doNotCall.get({ params, query: {} }))
      assert.strictEqual("code" in gone ? gone.code : "", "not_found")
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("turns pages with the cursor of the page before", () =>
    Effect.gen(function*() {
      const client = yield* make
      const payload = yield* request
      for (const end of ["0", "1", "2"]) {
        const phoneNumber = PhoneNumber.PhoneNumber.make(`+1415555010${end}`)
        yield* client.calls.start({ headers: {}, query: {}, payload: { ...payload, phoneNumber } })
      }
      const first = yield* client.calls.list({ query: { limit: 2 } })
      const cursor = first.next_cursor ?? assert.fail("There is another page")
      const second = yield* client.calls.list({ query: { limit: 2, cursor } })
      assert.strictEqual(new Set([...first.data, ...second.data].map(({ id }) => id)).size, 3)
      assert.deepStrictEqual([second.has_more, second.next_cursor], [false, null])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("is a service too", () =>
    Effect.gen(function*() {
      const client = yield* Client.Client
      assert.isFunction(client.batches.start)
    }).pipe(
      Effect.provide(
        Client.Client.layer({ baseUrl: "https://api.test", apiKey: Redacted.make("vak_call_x") }).pipe(
          Layer.provide(Layer.succeed(HttpClient.HttpClient, HttpClient.make(() => Effect.never)))
        )
      )
    ))
})
