import { assert, it } from "@effect/vitest"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { describe } from "vitest"
import * as Spec from "../support/Spec.ts"

const withKey = (key: string) => ({ headers: { "idempotency-key": key } })

describe("4.1 POST /v1/calls", () => {
  const spellings = ["+1 415 555 0100", "+1-415-555-0100", "+1.415.555.0100", "+1 (415) 555-0100", "0014155550100"]
  for (const phone_number of spellings) {
    it.effect(`reads ${phone_number} as +14155550100`, () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* Spec.start({ phone_number })).phone_number, "+14155550100")
      }).pipe(Effect.provide(Spec.layer())))
  }

  it.effect("returns the first call to a retry with the same Idempotency-Key instead of calling twice", () =>
    Effect.gen(function*() {
      const first = yield* Spec.post("/v1/calls", yield* Spec.call(), withKey("k"))
      const again = yield* Spec.post("/v1/calls", yield* Spec.call(), withKey("k"))
      assert.deepStrictEqual([first.status, again.status], [201, 200])
      assert.isFalse(first.body.idempotent_replay)
      assert.deepStrictEqual(again.body, { ...first.body, idempotent_replay: true })
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("makes one call of 20 parallel twins: one 201, nineteen 200", () =>
    Effect.gen(function*() {
      const body = yield* Spec.call()
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => Spec.post("/v1/calls", body, withKey("k"))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.filter(({ status }) => status === 201).length, 1)
      assert.deepStrictEqual(answers.filter(({ status }) => status === 200).length, 19)
      assert.strictEqual(new Set(answers.map((answer) => answer.body.id)).size, 1)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("returns the current call to a retry after it has progressed", () =>
    Effect.gen(function*() {
      yield* Spec.post("/v1/calls", yield* Spec.call(), withKey("k"))
      yield* TestEngine.advance("5 minutes")
      const { body } = yield* Spec.post("/v1/calls", yield* Spec.call(), withKey("k"))
      assert.deepInclude(body, { status: "completed", idempotent_replay: true })
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("refuses a key that comes with another request, naming the call it made", () =>
    Effect.gen(function*() {
      const first = yield* Spec.post("/v1/calls", yield* Spec.call(), withKey("k"))
      for (const more of [{ phone_number: "+14155550101" }, { test: true }, { metadata: { a: 1 } }]) {
        const other = yield* Spec.post("/v1/calls", yield* Spec.call(more), withKey("k"))
        assert.deepStrictEqual(Spec.refusal(other), [422, "idempotency_key_reused"])
        assert.strictEqual(other.body.error.call_id, first.body.id)
      }
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("reads an omitted field as its default", () =>
    Effect.gen(function*() {
      const { contact: _, ...bare } = yield* Spec.call()
      yield* Spec.post("/v1/calls", bare, withKey("k"))
      const spelled = { ...bare, contact: {}, metadata: {}, test: false }
      assert.strictEqual((yield* Spec.post("/v1/calls", spelled, withKey("k"))).status, 200)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("refuses days that there are not", () =>
    Effect.gen(function*() {
      const refused = yield* Spec.post("/v1/calls", yield* Spec.call({ not_before: "1970-02-30T00:00:00Z" }))
      assert.deepStrictEqual(Spec.refusal(refused), [400, "invalid_request"])
      assert.strictEqual(refused.body.error.param, "/not_before")
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("treats an equal request with another spelling as the same", () =>
    Effect.gen(function*() {
      const { contact, ...rest } = yield* Spec.call()
      yield* Spec.post("/v1/calls", { contact, ...rest }, withKey("k"))
      const again = yield* Spec.post(
        "/v1/calls",
        { ...rest, phone_number: "+1 415 555 0100", contact },
        withKey("k")
      )
      assert.strictEqual(again.status, 200)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("stores nothing for a request that failed: its key may succeed later", () =>
    Effect.gen(function*() {
      const failed = yield* Spec.post("/v1/calls", yield* Spec.call({ variables: {} }), withKey("k"))
      assert.deepStrictEqual(Spec.refusal(failed), [422, "missing_variables"])
      assert.strictEqual((yield* Spec.post("/v1/calls", yield* Spec.call(), withKey("k"))).status, 201)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("accepts keys of up to 255 printable characters, and refuses others", () =>
    Effect.gen(function*() {
      const body = yield* Spec.call()
      assert.strictEqual((yield* Spec.post("/v1/calls", body, withKey("k".repeat(255)))).status, 201)
      for (const key of ["k".repeat(256), "", "tab\tbed"]) {
        const refused = yield* Spec.post("/v1/calls", body, withKey(key))
        assert.deepStrictEqual(Spec.refusal(refused), [400, "invalid_request"], JSON.stringify(key))
        assert.strictEqual(refused.body.error.location, "header")
      }
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("fails with 409 call_already_queued when a call for the number is waiting", () =>
    Effect.gen(function*() {
      const first = yield* Spec.start()
      const { body, status } = yield* Spec.post("/v1/calls", yield* Spec.call({ phone_number: "001 415 555 0100" }))
      assert.strictEqual(status, 409)
      assert.deepInclude(body.error, { code: "call_already_queued", call_id: first.id })
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("accepts a test call to a number that waits", () =>
    Effect.gen(function*() {
      yield* Spec.start()
      assert.strictEqual((yield* Spec.start({ test: true })).status, "completed")
    }).pipe(Effect.provide(Spec.layer())))
})

describe("4.2 GET /v1/calls/{id}", () => {
  it.effect("returns the call with its current status", () =>
    Effect.gen(function*() {
      const { idempotent_replay: _, ...call } = yield* Spec.start()
      assert.deepStrictEqual((yield* Spec.get(`/v1/calls/${call.id}`)).body, call)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("finds no call of an unknown id of any length, and refuses an invalid id", () =>
    Effect.gen(function*() {
      for (const id of ["call_x", `call_${"9".repeat(300)}`]) {
        assert.deepStrictEqual(Spec.refusal(yield* Spec.get(`/v1/calls/${id}`)), [404, "not_found"])
      }
      assert.deepStrictEqual(Spec.refusal(yield* Spec.get("/v1/calls/batch_1")), [400, "invalid_request"])
    }).pipe(Effect.provide(Spec.layer())))
})

describe("4.3 GET /v1/calls", () => {
  const startMany = (count: number) =>
    Effect.forEach(Array.from({ length: count }, (_, n) => n), (n) =>
      Effect.gen(function*() {
        yield* TestEngine.advance("1 second")
        return (yield* Spec.start({ phone_number: `+1415555${String(n).padStart(4, "0")}` })).id
      }))

  it.effect("lists newest first, page by page, every call once", () =>
    Effect.gen(function*() {
      const ids = yield* startMany(7)
      const seen: Array<string> = []
      let cursor = ""
      do {
        const { body } = yield* Spec.get(`/v1/calls?limit=3${cursor}`)
        assert.strictEqual(body.object, "list")
        seen.push(...body.data.map(({ id }: { readonly id: string }) => id))
        assert.strictEqual(body.has_more, body.next_cursor !== null)
        cursor = body.next_cursor === null ? "" : `&cursor=${encodeURIComponent(body.next_cursor)}`
      } while (cursor !== "")
      assert.deepStrictEqual(seen, ids.toReversed())
    }).pipe(Effect.provide(Spec.layer({ lines: 0 }))))

  it.effect("returns 25 calls by default, and reads a limit above 100 as 100", () =>
    Effect.gen(function*() {
      yield* startMany(101)
      const count = (query: string) => Effect.map(Spec.get(`/v1/calls${query}`), ({ body }) => body.data.length)
      assert.deepStrictEqual(yield* Effect.all([count(""), count("?limit=1000"), count("?limit=1")]), [25, 100, 1])
    }).pipe(Effect.provide(Spec.layer({ lines: 0 }))))

  it.effect("filters, created_after being exclusive", () =>
    Effect.gen(function*() {
      const [first, second] = yield* startMany(2)
      const found = (query: string) =>
        Effect.map(Spec.get(`/v1/calls?${query}`), ({ body }) =>
          body.data.map((call: { readonly id: string }) => call.id))
      const call = (yield* Spec.get(`/v1/calls/${first ?? ""}`)).body
      assert.deepStrictEqual(yield* found(`created_after=${call.created_at}`), [second])
      assert.deepStrictEqual(yield* found("created_before=1970-01-01T00:00:02Z"), [first])
      assert.deepStrictEqual(yield* found("phone_number=%2B14155550001"), [second])
      assert.deepStrictEqual(yield* found("status=queued&status=busy"), [second, first])
      assert.deepStrictEqual(yield* found("status=completed"), [])
      assert.deepStrictEqual(yield* found("external_id=crm-7&test=false"), [second, first])
      assert.deepStrictEqual(yield* found(`agent_id=${call.agent_id}`), [second, first])
      const rows = [{ phone_number: "+14155550190", variables: { topic: "your visit" } }]
      const { body: batch } = yield* Spec.post("/v1/batches", { agent_id: call.agent_id, calls: rows })
      assert.deepStrictEqual(yield* found(`batch_id=${batch.id}`), [batch.calls[0].id])
    }).pipe(Effect.provide(Spec.layer({ lines: 0 }))))

  it.effect("refuses unknown names and wrong values, naming them", () =>
    Effect.gen(function*() {
      const wrong = [
        "limit=0",
        "limit=x",
        "status=new",
        "created_after=yesterday",
        "cursor=nonsense",
        "statsu=queued",
        "test=1x"
      ]
      for (const query of wrong) {
        const answer = yield* Spec.get(`/v1/calls?${query}`)
        assert.deepStrictEqual(Spec.refusal(answer), [400, "invalid_request"], query)
        assert.strictEqual(answer.body.error.location, "query", query)
      }
    }).pipe(Effect.provide(Spec.layer())))
})

describe("4.4 POST /v1/calls/{id}/cancel", () => {
  it.effect("returns the canceled call, and allows a new call to its number", () =>
    Effect.gen(function*() {
      const { id } = yield* Spec.start()
      assert.deepInclude((yield* Spec.request("POST", `/v1/calls/${id}/cancel`)).body, { id, status: "canceled" })
      yield* Spec.start()
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("knows no call of another id", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(Spec.refusal(yield* Spec.request("POST", "/v1/calls/call_x/cancel")), [404, "not_found"])
    }).pipe(Effect.provide(Spec.layer())))
})
