import { assert, describe, it } from "@effect/vitest"
import { Batch, Call, Explanation, Wire } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Arbitrary, DateTime, Effect, Schema } from "effect"
import { WebHandler } from "../../src/index.ts"
import { type ClientCall, makeClient, OutdialApiError } from "../../src/client/PromiseClient.ts"
import { fromTransport } from "../../src/client/PromiseClient.ts"
import { fromWire, toWire } from "../../src/client/PromiseTypes.ts"
import * as PromiseTransport from "../../src/client/PromiseTransport.ts"
import * as LoggedCall from "../../../../test/support/LoggedCall.ts"
import * as Fixture from "../Fixture.ts"

/** The client over the web handler itself. */
const overHandler = Effect.gen(function*() {
  const handler = yield* WebHandler
  const apiKey = yield* Fixture.Everything
  return makeClient({
    baseUrl: "https://api.test/",
    apiKey,
    fetch: (url, init) => handler(new Request(url, init))
  })
})

type Answer = { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> } | "cut"

const problem = (status: number, code: string, rest: Record<string, unknown> = {}): Answer => ({
  status,
  body: { error: { code, message: "No", request_id: "req_1", ...rest } }
})
const done: Answer = { status: 201, body: { id: "call_1" } }

/** A service that gives these answers in turn; what it was asked, and how long the client waited in between. */
const scripted = (answers: ReadonlyArray<Answer>, options: Partial<PromiseTransport.Options> = {}) => {
  const requests: Array<{ readonly url: string; readonly init: RequestInit }> = []
  const waits: Array<number> = []
  const fetch = (url: string, init: RequestInit): Promise<Response> => {
    const answer = answers[requests.length]
    requests.push({ url, init })
    if (answer === undefined || answer === "cut") return Promise.reject(new TypeError("fetch failed"))
    return Promise.resolve(
      new Response(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body ?? {}), answer)
    )
  }
  const wait = (millis: number, signal: AbortSignal | undefined) => {
    waits.push(millis)
    return signal?.aborted === true ? Promise.reject(signal.reason) : Promise.resolve()
  }
  const transport = PromiseTransport.make(
    { baseUrl: "https://api.test/root/", apiKey: "vak_call_x", fetch, ...options },
    { wait, random: () => 1 }
  )
  return { client: fromTransport(transport), requests, waits }
}

const start = { agentId: "00000000-0000-4000-8000-000000000001", phoneNumber: "+14155550100" }

/** What the promise is rejected with. */
const rejection = (promise: Promise<unknown>): Effect.Effect<OutdialApiError> =>
  Effect.promise(() => promise.then(() => assert.fail("It was not rejected"), (error) => error))

const header = ({ init }: { readonly init: RequestInit }, name: string) => new Headers(init.headers).get(name)

describe("the promise client", () => {
  it.effect("follows events, sends one again, and recovers what was missed", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const client = yield* overHandler
      const request = { agentId, phoneNumber: "+14155550100", variables: { topic: "x" }, test: true }
      const call = yield* Effect.promise(() => client.calls.start(request))
      const feed = yield* Effect.promise(() => client.events.feed({ limit: 1 }))
      const [event] = feed.data
      assert.deepStrictEqual([event?.type, event?.data.id, feed.hasMore], ["call.completed", call.id, false])
      const rest = yield* Effect.promise(() => client.events.feed({ cursor: feed.nextCursor }))
      assert.deepStrictEqual([rest.data, rest.nextCursor], [[], feed.nextCursor])
      yield* Effect.promise(() => client.webhook.set({ url: "https://hooks.example.com/" }))
      const since = call.createdAt
      // The window's end is not part of it, and the clock of the test stands still.
      const until = "1970-01-02T00:00:00Z"
      assert.strictEqual((yield* Effect.promise(() => client.webhook.recover({ since, until }))).events, 1)
      const delivery = yield* Effect.promise(() => client.events.redeliver(event?.id ?? ""))
      assert.deepStrictEqual([delivery.eventId, delivery.callId, delivery.state], [event?.id, call.id, "pending"])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("starts a call and gets it, in TypeScript names and with Dates", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const client = yield* overHandler
      const metadata = { order_id: 7, createdAt: "as it is" }
      const started = yield* Effect.promise(() =>
        client.calls.start({
          agentId,
          phoneNumber: "+1 415 555 0100",
          contact: { externalId: "c1" },
          variables: { topic: "your visit" },
          metadata
        }, { idempotencyKey: "k1" })
      )
      assert.deepInclude(started, {
        agentId,
        phoneNumber: "+14155550100",
        contact: { externalId: "c1" },
        metadata,
        batchId: null,
        idempotentReplay: false
      })
      assert.instanceOf(started.createdAt, Date)
      const { idempotentReplay: _, ...call } = started
      assert.deepStrictEqual(yield* Effect.promise(() => client.calls.get(started.id)), call)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("rejects with the code, the status, the request id and the extra fields", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const client = yield* overHandler
      const request = { ...start, agentId, variables: { topic: "x" } }
      const { id } = yield* Effect.promise(() => client.calls.start(request))
      const error = yield* rejection(client.calls.start(request))
      assert.instanceOf(error, OutdialApiError)
      assert.deepStrictEqual([error.code, error.status, error.details], ["call_already_queued", 409, { callId: id }])
      assert.match(error.requestId ?? "", /^req_/)
      const missing = yield* rejection(client.calls.start({ ...start, agentId, phoneNumber: "+14155550101" }))
      assert.deepInclude(missing.details, { missing: ["topic"] })
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("reads transcripts, and the turns after a sequence number", () =>
    Effect.gen(function*() {
      const client = yield* overHandler
      const { append, callId } = yield* LoggedCall.talking
      yield* append(LoggedCall.turn("agent", "Hello", 1), LoggedCall.turn("contact", "Yes", 2))
      const hello = { sequence: 1, speaker: "agent" as const, text: "Hello", startMs: 1000, endMs: 1500 }
      const yes = { sequence: 2, speaker: "contact" as const, text: "Yes", startMs: 2000, endMs: 2500 }
      const whole = yield* Effect.promise(() => client.calls.transcript(callId))
      assert.deepStrictEqual(whole, { object: "transcript", callId, sealed: false, turns: [hello, yes] })
      const rest = yield* Effect.promise(() => client.calls.transcript(callId, { after: 1 }))
      assert.deepStrictEqual(rest.turns, [yes])
      assert.strictEqual((yield* rejection(client.calls.transcript("call_0"))).code, "not_found")
    }).pipe(Effect.provide(Fixture.layer(LoggedCall.engine))))

  it.effect("previews, explains, and keeps the do-not-call list", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const client = yield* overHandler
      const notBefore = new Date(86_400_000)
      const request = { ...start, agentId, variables: { topic: "x" }, contact: { timeZone: "Etc/UTC" }, notBefore }
      const preview = yield* Effect.promise(() => client.rules.preview(request))
      assert.deepInclude(preview, { at: new Date(0), decision: "wait", code: "not_before", scheduledFor: notBefore })
      assert.deepStrictEqual(preview.rules.find(({ rule }) => rule === "not_before"), {
        rule: "not_before",
        allows: false,
        nextAllowedAt: notBefore,
        data: { not_before: notBefore.toISOString() }
      })
      const { id } = yield* Effect.promise(() => client.calls.start(request))
      const explained = yield* Effect.promise(() => client.calls.explain(id))
      assert.deepInclude(explained, { callId: id, callStatus: "queued", code: "not_before", timeZones: ["UTC"] })
      // Only when it expires is a matter of the call.
      assert.deepStrictEqual(explained.rules.slice(1), preview.rules.slice(1))

      const { add, get, list, remove } = client.doNotCall
      const added = yield* Effect.promise(() => add(["+1 415 555 0100", "+14155550101"]))
      assert.deepInclude(added, { added: 2, canceled: 1 })
      const entry = yield* Effect.promise(() => get("+14155550100"))
      assert.deepInclude(entry, { phoneNumber: "+14155550100", source: "api", createdAt: new Date(0) })
      const page = yield* Effect.promise(() => list({ limit: 1 }))
      assert.deepStrictEqual([page.items.map(({ phoneNumber }) => phoneNumber), page.hasMore], [["+14155550101"], true])
      yield* Effect.promise(() => remove("+14155550100"))
      yield* Effect.promise(() => remove("+14155550100"))
      assert.strictEqual((yield* rejection(get("+14155550100"))).code, "not_found")
      const refused = yield* rejection(client.calls.start({ ...request, phoneNumber: "+14155550101" }))
      assert.deepStrictEqual([refused.code, refused.status], ["number_do_not_call", 422])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("gives the instant from which a number may be called again as a Date", () =>
    Effect.gen(function*() {
      const retry_at = "2026-03-03T10:00:00.000Z"
      const { client, requests } = scripted([problem(409, "number_limit_reached", { retry_at })])
      const error = yield* rejection(client.calls.start(start))
      assert.deepStrictEqual([error.code, error.details], ["number_limit_reached", { retryAt: new Date(retry_at) }])
      assert.strictEqual(requests.length, 1)
    }))

  it.effect("repeats additions and removals of numbers, and previews", () =>
    Effect.gen(function*() {
      const answers: ReadonlyArray<Answer> = ["cut", { status: 200 }, "cut", { status: 200 }, "cut", { status: 200 }]
      const { client, requests } = scripted(answers)
      yield* Effect.promise(() => client.doNotCall.add(["+14155550100"]))
      yield* Effect.promise(() => client.doNotCall.remove("+14155550100"))
      yield* Effect.promise(() => client.rules.preview({ phoneNumber: "+14155550100" }))
      assert.strictEqual(requests.length, 6)
      assert.strictEqual(requests[2]?.url, "https://api.test/root/v1/do_not_call/%2B14155550100")
    }))

  it.effect("retries a start with the same key and the same bytes after any failure", () =>
    Effect.gen(function*() {
      const { client, requests } = scripted([
        "cut",
        problem(503, "unavailable"),
        { status: 502, body: "<html>" },
        problem(409, "idempotency_key_in_use"),
        done
      ])
      assert.strictEqual((yield* Effect.promise(() => client.calls.start(start))).id, "call_1")
      assert.strictEqual(requests.length, 5)
      assert.strictEqual(new Set(requests.map((request) => header(request, "idempotency-key"))).size, 1)
      assert.strictEqual(new Set(requests.map(({ init }) => init.body)).size, 1)
      assert.strictEqual(requests[0]?.url, "https://api.test/root/v1/calls")
    }))

  it.effect("makes a key of its own for every start, and keeps the caller's", () =>
    Effect.gen(function*() {
      const { client, requests } = scripted([done, done, done])
      yield* Effect.promise(() => client.calls.start(start))
      yield* Effect.promise(() => client.calls.start(start))
      yield* Effect.promise(() => client.calls.start(start, { idempotencyKey: "mine" }))
      const keys = requests.map((request) => header(request, "idempotency-key"))
      assert.strictEqual(new Set(keys).size, 3)
      assert.strictEqual(keys[2], "mine")
    }))

  it.effect("does not repeat what must not be done twice, unless the service says that it did nothing", () =>
    Effect.gen(function*() {
      for (const failure of ["cut", problem(500, "internal_error"), problem(503, "unavailable")] as const) {
        const { client, requests } = scripted([failure, failure, failure, failure])
        yield* rejection(client.calls.cancel("call_1"))
        yield* rejection(client.webhook.rotateSecret())
        yield* rejection(client.webhook.test())
        yield* rejection(client.webhook.set({ url: "https://example.com" }))
        assert.strictEqual(requests.length, 4)
      }
      for (const refusal of [problem(429, "rate_limited"), problem(408, "request_timeout")]) {
        const { client, requests } = scripted([refusal, done])
        yield* Effect.promise(() => client.calls.cancel("call_1"))
        assert.strictEqual(requests.length, 2)
      }
    }))

  it.effect("does not repeat what will fail again", () =>
    Effect.gen(function*() {
      const codes: ReadonlyArray<[number, string]> = [[400, "invalid_request"], [401, "unauthenticated"], [
        404,
        "not_found"
      ], [
        409,
        "number_limit_reached"
      ]]
      for (const [status, code] of codes) {
        const { client, requests } = scripted([problem(status, code)])
        assert.strictEqual((yield* rejection(client.calls.start(start))).code, code)
        assert.strictEqual(requests.length, 1)
      }
    }))

  it.effect("waits longer each time, gives up after the fourth repetition, and says what it met last", () =>
    Effect.gen(function*() {
      const { client, requests, waits } = scripted(Array(9).fill("cut"))
      const error = yield* rejection(client.calls.get("call_1"))
      assert.deepStrictEqual([error.code, error.status], ["connection_failed", 0])
      assert.instanceOf(error.cause, TypeError)
      assert.deepStrictEqual(waits, [500, 1000, 2000, 4000])
      assert.strictEqual(requests.length, 5)
      const none = scripted(["cut"], { retries: 0 })
      yield* rejection(none.client.calls.get("call_1"))
      assert.deepStrictEqual(none.waits, [])
    }))

  it.effect("waits as long as Retry-After asks, but not longer than two minutes", () =>
    Effect.gen(function*() {
      const withRateLimit = (seconds: string): Answer => ({
        status: 429,
        body: { error: { code: "rate_limited", message: "No", request_id: "req_1" } },
        headers: { "retry-after": seconds }
      })
      const { client, waits } = scripted([withRateLimit("17"), done])
      yield* Effect.promise(() => client.calls.get("call_1"))
      assert.deepStrictEqual(waits, [17_500])
      const long = scripted([withRateLimit("3600"), done])
      const error = yield* rejection(long.client.calls.get("call_1"))
      assert.deepStrictEqual([error.code, error.retryAfter, long.waits], ["rate_limited", 3600, []])
    }))

  it.effect("calls an answer that is not the service's by its name", () =>
    Effect.gen(function*() {
      for (const status of [200, 302, 404]) {
        const { client } = scripted([{ status, body: "<html>" }])
        const error = yield* rejection(client.calls.get("call_1"))
        assert.deepStrictEqual([error.code, error.status], ["unexpected_answer", status])
      }
    }))

  it.effect("ends with the signal's reason, at once and without repeating", () =>
    Effect.gen(function*() {
      const reason = new Error("enough")
      const { client, requests } = scripted(["cut", done])
      assert.strictEqual(yield* rejection(client.calls.get("call_1", { signal: AbortSignal.abort(reason) })), reason)
      assert.strictEqual(requests.length, 1)
    }))

  it.effect("ends while it waits to repeat", () =>
    Effect.gen(function*() {
      const controller = new AbortController()
      const client = makeClient({
        baseUrl: "https://api.test",
        apiKey: "vak_call_x",
        fetch: () => {
          setTimeout(() => controller.abort(new Error("enough")), 1)
          return Promise.resolve(new Response("{}", { status: 503, headers: { "retry-after": "60" } }))
        }
      })
      const error = yield* rejection(client.calls.get("call_1", { signal: controller.signal }))
      assert.strictEqual(error.message, "enough")
    }))

  it.effect("iterates over every item of every page, and gives the first page to those who await it", () =>
    Effect.gen(function*() {
      const page = (ids: ReadonlyArray<string>, next: string | null): Answer => ({
        status: 200,
        body: { object: "list", data: ids.map((id) => ({ id })), has_more: next !== null, next_cursor: next }
      })
      const pages = [page(["a", "b"], "p2"), page([], "p3"), page(["c"], null)]
      const { client, requests } = scripted([...pages, ...pages])
      const query = { status: ["queued", "dialing"], createdAfter: new Date(0), test: false } as const
      const seen = yield* Effect.promise(async () => {
        const ids: Array<string> = []
        for await (const call of client.calls.list(query)) ids.push(call.id)
        return ids
      })
      assert.deepStrictEqual(seen, ["a", "b", "c"])
      const filters = "status=queued&status=dialing&created_after=1970-01-01T00%3A00%3A00.000Z&test=false"
      assert.deepStrictEqual(
        requests.map(({ url }) => url.split("?")[1]),
        [filters, `${filters}&cursor=p2`, `${filters}&cursor=p3`]
      )
      const first = yield* Effect.promise(() => client.calls.list({ limit: 2 }))
      assert.deepStrictEqual([first.items.length, first.hasMore, first.nextCursor], [2, true, "p2"])
    }))

  it.effect("keeps an id inside its part of the path", () =>
    Effect.gen(function*() {
      const { client, requests } = scripted([done])
      yield* Effect.promise(() => client.calls.get("../webhook?x#y"))
      assert.strictEqual(requests[0]?.url, "https://api.test/root/v1/calls/..%2Fwebhook%3Fx%23y")
    }))

  it("does not show its key when it is printed", () => {
    const client = makeClient({ baseUrl: "https://api.test", apiKey: "vak_call_secret" })
    assert.notInclude(JSON.stringify(client), "vak_call_secret")
  })
})

describe("the promise client's forms", () => {
  const encodeCall = Schema.encodeSync(Wire.CallJson)
  const encodeExplanation = Schema.encodeSync(Schema.toCodecJson(Wire.ExplanationWire))
  const encodeBatch = Schema.encodeSync(Schema.toCodecJson(Wire.BatchWire))
  const overWire = (value: unknown) => fromWire(JSON.parse(JSON.stringify(value)))
  /** The value with `Date`s for instants, which is all that differs. */
  const dated = (value: unknown): unknown => {
    if (DateTime.isDateTime(value)) return DateTime.toDateUtc(value)
    // JSON has no -0.
    if (value === 0) return 0
    if (Array.isArray(value)) return value.map(dated)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, dated(inner)]))
  }

  it.effect.prop("give every call, batch and explanation back as core has it", {
    call: Arbitrary.schema(Schema.toType(Call.Call)),
    batch: Arbitrary.schema(Schema.toType(Batch.Batch)),
    explanation: Arbitrary.schema(Schema.toType(Explanation.Explanation))
  }, ({ batch, call, explanation }) =>
    Effect.sync(() => {
      assert.deepStrictEqual(overWire(encodeCall(call)), dated(call))
      assert.deepStrictEqual(overWire(encodeBatch(batch)), dated(batch))
      assert.deepStrictEqual(overWire(encodeExplanation(explanation)), dated(explanation))
    }), { arbitrary: { runs: 30 } })

  it("map names both ways, and leave alone what users name", () => {
    const form = {
      agentId: "a",
      contact: { externalId: "x" },
      metadata: { aB: { c_d: 1 } },
      variables: { "first Name": 1 }
    }
    const wire = {
      agent_id: "a",
      contact: { external_id: "x" },
      metadata: { aB: { c_d: 1 } },
      variables: { "first Name": 1 }
    }
    assert.deepStrictEqual([toWire(form), fromWire(wire)], [wire, form])
  })

  it("have the types of the contract", () => {
    const typed = (call: ClientCall): [Date, string | null, number | undefined] => [
      call.createdAt,
      call.batchId,
      call.outcome?.leadRating
    ]
    assert.isFunction(typed)
  })
})
