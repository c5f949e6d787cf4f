import { assert, describe, it } from "@effect/vitest"
import { ApiKeys, Readiness } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as LoggedCall from "../../../../test/support/LoggedCall.ts"
import { WebHandler } from "../../src/index.ts"
import * as Fixture from "../Fixture.ts"

const { turn } = LoggedCall

const layer = Fixture.layer(LoggedCall.engine)

const pathOf = (callId: string) => `/v1/calls/${callId}/transcript`

/** Opens a stream; reads it piece by piece. */
const open = Effect.fnUntraced(function*(path: string, headers: Record<string, string> = {}, key?: string) {
  const handler = yield* WebHandler
  const controller = new AbortController()
  const request = new Request(`https://api.test${path}`, {
    headers: { accept: "text/event-stream", "x-api-key": key ?? (yield* Fixture.Everything), ...headers },
    signal: controller.signal
  })
  const response = yield* Effect.promise(() => handler(request))
  if (response.body === null) return yield* Effect.die(new Error("The response has no body"))
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  return {
    response,
    /** The next piece; `undefined` at the end. */
    read: Effect.map(Effect.promise(() => reader.read()), ({ value }) => value),
    cancel: Effect.promise(() => reader.cancel()),
    abort: Effect.sync(() => controller.abort())
  }
})

const event = (name: string, data: object, id?: number) =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

const hello = { sequence: 1, speaker: "agent", text: "Hello", start_ms: 1000, end_ms: 1500 }
const yes = { sequence: 2, speaker: "contact", text: "Yes\nindeed", start_ms: 2000, end_ms: 2500 }

describe("GET /v1/calls/{id}/transcript", () => {
  it.effect("returns the turns after a sequence number", () =>
    Effect.gen(function*() {
      const { append, callId, end } = yield* LoggedCall.talking
      yield* append(turn("agent", "Hello", 1), { ...turn("contact", "Yes\nindeed", 2) })
      const whole = yield* Fixture.send(pathOf(callId))
      assert.strictEqual(whole.status, 200)
      assert.deepStrictEqual(whole.body, { object: "transcript", call_id: callId, sealed: false, turns: [hello, yes] })
      yield* end
      const { body } = yield* Fixture.send(`${pathOf(callId)}?after=1`)
      assert.deepStrictEqual(body, { object: "transcript", call_id: callId, sealed: true, turns: [yes] })
    }).pipe(Effect.provide(layer)))

  it.effect("refuses a place that is not a number, in the query and in Last-Event-ID", () =>
    Effect.gen(function*() {
      const { id } = yield* LoggedCall.queued
      for (const wrong of ["-1", "1.5", "x", "", "12345678901"]) {
        const inQuery = yield* Fixture.send(`${pathOf(id)}?after=${wrong}`)
        assert.deepStrictEqual([inQuery.status, inQuery.body["error"].param, inQuery.body["error"].location], [
          400,
          "/after",
          "query"
        ])
      }
      const answer = yield* Fixture.send(pathOf(id), {
        headers: { accept: "text/event-stream", "last-event-id": "evt_1" }
      })
      assert.deepStrictEqual([answer.status, answer.body["error"].location], [400, "header"])
      assert.strictEqual((yield* Fixture.send(`${pathOf(id)}?page=1`)).status, 400)
    }).pipe(Effect.provide(layer)))
})

describe("GET /v1/calls/{id}/transcript as a stream", () => {
  it.effect("sends a turn for each turn, with its sequence number as id, and ends with sealed", () =>
    Effect.gen(function*() {
      const { append, callId, end } = yield* LoggedCall.talking
      yield* append(turn("agent", "Hello", 1))
      const { read, response } = yield* open(pathOf(callId))
      assert.deepStrictEqual(
        ["content-type", "cache-control", "x-accel-buffering"].map((name) => response.headers.get(name)),
        ["text/event-stream", "no-store", "no"]
      )
      assert.match(response.headers.get("x-request-id") ?? "", /^req_/)
      assert.strictEqual(yield* read, ":\n\n")
      assert.strictEqual(yield* read, event("turn", hello, 1))
      const second = yield* Effect.forkChild(read)
      yield* append(turn("contact", "Yes\nindeed", 2))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(second), event("turn", yes, 2))
      const last = yield* Effect.forkChild(read)
      yield* end
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(last), event("sealed", { call_id: callId }))
      assert.isUndefined(yield* read)
    }).pipe(Effect.provide(layer)))

  it.effect("continues after Last-Event-ID, which replaces after", () =>
    Effect.gen(function*() {
      const { append, callId, end } = yield* LoggedCall.talking
      yield* append(turn("agent", "Hello", 1), turn("contact", "Yes\nindeed", 2))
      const first = yield* open(`${pathOf(callId)}?after=1`)
      yield* first.read
      assert.strictEqual(yield* first.read, event("turn", yes, 2))
      yield* first.cancel
      yield* append(turn("agent", "Goodbye", 3))
      yield* end
      const { read } = yield* open(`${pathOf(callId)}?after=1`, { "last-event-id": "2" })
      yield* read
      const goodbye = { sequence: 3, speaker: "agent", text: "Goodbye", start_ms: 3000, end_ms: 3500 }
      assert.strictEqual(yield* read, event("turn", goodbye, 3) + event("sealed", { call_id: callId }))
      assert.isUndefined(yield* read)
    }).pipe(Effect.provide(layer)))

  it.effect("sends a comment every 15 seconds while nothing is said", () =>
    Effect.gen(function*() {
      const { callId } = yield* LoggedCall.talking
      const { cancel, read } = yield* open(pathOf(callId))
      yield* read
      for (let beat = 0; beat < 3; beat++) {
        const next = yield* Effect.forkChild(read)
        yield* TestClock.adjust("14 seconds")
        assert.isUndefined(next.pollUnsafe())
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* Fiber.join(next), ":\n\n")
      }
      yield* cancel
    }).pipe(Effect.provide(layer)))

  it.effect("refuses an eleventh stream of a key, until a client goes away in any way", () =>
    Effect.gen(function*() {
      const { callId } = yield* LoggedCall.talking
      const streams = yield* Effect.forEach(Array.from({ length: 10 }), () => open(pathOf(callId)))
      const refused = yield* Fixture.send(pathOf(callId), { headers: { accept: "text/event-stream" } })
      assert.deepStrictEqual(Fixture.errorOf(refused), {
        status: 429,
        code: "too_many_streams",
        message: "You already follow 10 transcripts; close one of the streams first"
      })
      assert.strictEqual((yield* Fixture.send(pathOf(callId))).status, 200, "a request without a stream")
      const [one, two, three] = streams
      yield* one?.cancel ?? Effect.void
      const again = yield* open(pathOf(callId))
      assert.strictEqual(again.response.status, 200)
      yield* two?.read ?? Effect.void
      yield* two?.cancel ?? Effect.void
      assert.strictEqual((yield* open(pathOf(callId))).response.status, 200)
      yield* three?.abort ?? Effect.void
      yield* Effect.yieldNow
      assert.strictEqual((yield* open(pathOf(callId))).response.status, 200)
      const other = yield* Fixture.key("calls:read")
      assert.strictEqual((yield* open(pathOf(callId), {}, other)).response.status, 200)
    }).pipe(Effect.provide(layer)))

  it.effect("takes no place for a HEAD request, and none for a call that is not found", () =>
    Effect.gen(function*() {
      const { callId } = yield* LoggedCall.talking
      const handler = yield* WebHandler
      const key = yield* Fixture.Everything
      for (let n = 0; n < 11; n++) {
        const headers = { accept: "text/event-stream", "x-api-key": key }
        const head = new Request(`https://api.test${pathOf(callId)}`, { method: "HEAD", headers })
        assert.strictEqual((yield* Effect.promise(() => handler(head))).status, 200)
        const unknown = yield* Fixture.send(pathOf("call_unknown"), { headers: { accept: "text/event-stream" } })
        assert.deepStrictEqual([unknown.status, unknown.body["error"].code], [404, "not_found"])
      }
    }).pipe(Effect.provide(layer)))

  it.effect("ends when the key is revoked", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const { callId } = yield* LoggedCall.talking
      const key = yield* Fixture.key("calls:read")
      const { read } = yield* open(pathOf(callId), {}, key)
      yield* read
      const keys = yield* ApiKeys.ApiKeys
      for (const { id, scopes } of yield* keys.list(accountId)) {
        if (scopes.length === 1) yield* keys.revoke(accountId, id)
      }
      const last = yield* Effect.forkChild(read)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(last), undefined)
    }).pipe(Effect.provide(layer)))

  it.effect("ends when the process drains, which takes no new stream", () =>
    Effect.gen(function*() {
      const { callId } = yield* LoggedCall.talking
      const { read } = yield* open(pathOf(callId))
      yield* read
      const last = yield* Effect.forkChild(read)
      yield* Effect.flatMap(Readiness.Readiness, ({ drain }) => drain)
      assert.strictEqual(yield* Fiber.join(last), undefined)
      const refused = yield* Fixture.send(pathOf(callId), { headers: { accept: "text/event-stream" } })
      assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [503, "5"])
    }).pipe(Effect.provide(layer)))

  it.effect("ends when the engine closes", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const services = yield* Layer.buildWithScope(layer, scope)
      const { read } = yield* Effect.provideContext(
        Effect.flatMap(LoggedCall.talking, ({ callId }) => open(pathOf(callId))),
        services
      )
      assert.strictEqual(yield* read, ":\n\n")
      const last = yield* Effect.forkChild(read)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(yield* Fiber.join(last), undefined)
    }))

  it.effect("counts the users of a host apart, and does not limit a host without users", () =>
    Effect.gen(function*() {
      const { callId } = yield* LoggedCall.talking
      const statuses = (cookie: string) =>
        Effect.forEach(
          Array.from({ length: 11 }),
          () => Effect.map(open(pathOf(callId), { cookie }, ""), ({ response }) => response.status)
        )
      const tenOnly = [...Array.from({ length: 10 }, () => 200), 429]
      assert.deepStrictEqual(yield* statuses("grace"), tenOnly)
      assert.deepStrictEqual(yield* statuses("ada"), tenOnly)
      assert.deepStrictEqual(yield* statuses("nobody"), Array.from({ length: 11 }, () => 200))
    }).pipe(Effect.provide(
      Layer.merge(
        Layer.unwrap(Effect.map(TestEngine.Tenant, ({ accountId }) =>
          WebHandler.layerAt({
            authenticate: ({ headers }) => {
              const principal = headers.get("cookie") ?? "nobody"
              return principal === "nobody" ? { accountId } : { accountId, principal }
            }
          }))),
        Layer.succeed(Fixture.Everything, "")
      ).pipe(Layer.provideMerge(TestEngine.layer(LoggedCall.engine)))
    )))
})
