import { assert, it } from "@effect/vitest"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { describe } from "vitest"
import * as Spec from "../support/Spec.ts"

const row = (n: number, more: object = {}) => ({
  phone_number: `+1415555${String(n).padStart(4, "0")}`,
  contact: { external_id: `crm-${n}` },
  variables: { topic: "your visit" },
  ...more
})

const startBatch = Effect.fnUntraced(function*(
  calls: ReadonlyArray<unknown>,
  more: object = {},
  options: Spec.RequestOptions = {}
) {
  const { agentId } = yield* TestEngine.Tenant
  return yield* Spec.post("/v1/batches", { agent_id: agentId, calls, ...more }, options)
})

describe("4.5 POST /v1/batches", () => {
  it.effect("queues up to 1,000 calls in one request", () =>
    Effect.gen(function*() {
      const { body, status } = yield* startBatch(Array.from({ length: 1000 }, (_, n) => row(n)))
      assert.strictEqual(status, 201)
      assert.deepInclude(body, { accepted_count: 1000, rejected_count: 0, status: "in_progress" })
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("checks each row on its own: valid rows are queued, invalid ones come back with their index", () =>
    Effect.gen(function*() {
      const { body } = yield* startBatch([
        row(1),
        row(2, { phone_number: "+0" }),
        row(3, { variables: { "1st": "x" } }),
        row(1),
        null,
        row(4, { agent_id: "00000000-0000-4000-8000-00000000dead" }),
        row(5)
      ])
      const [first] = body.calls
      assert.deepStrictEqual(body.calls.map(({ index }: { readonly index: number }) => index), [0, 6])
      assert.deepStrictEqual(
        // What the rows hold beside these is asserted where batches are tested by themselves.
        // oxlint-disable-next-line typescript/no-explicit-any
        body.rejected.map(({ call_id, code, index, param }: any) => [index, code, param, call_id]),
        [
          [1, "invalid_request", "/calls/1/phone_number", undefined],
          [2, "invalid_request", "/calls/2/variables/1st", undefined],
          [3, "call_already_queued", "/calls/3/phone_number", first.id],
          [4, "invalid_request", "/calls/4", undefined],
          [5, "agent_not_found", "/calls/5/agent_id", undefined]
        ]
      )
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("rejects a row for a number that waits, naming the call", () =>
    Effect.gen(function*() {
      const { id } = yield* Spec.start({ phone_number: "+14155550001" })
      const { body } = yield* startBatch([row(1), row(2)])
      assert.deepInclude(body.rejected[0], { index: 0, code: "call_already_queued", call_id: id })
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("answers 201 also when every row is rejected", () =>
    Effect.gen(function*() {
      const { body, status } = yield* startBatch([{}, {}])
      assert.strictEqual(status, 201)
      assert.deepInclude(body, { accepted_count: 0, rejected_count: 2, status: "completed", calls: [] })
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("refuses more than 1,000 rows, and no rows", () =>
    Effect.gen(function*() {
      const many = yield* startBatch(Array.from({ length: 1001 }, (_, n) => row(n)))
      assert.deepStrictEqual(Spec.refusal(many), [400, "batch_too_large"])
      assert.strictEqual(many.body.error.max_rows, 1000)
      const none = yield* startBatch([])
      assert.deepStrictEqual(Spec.refusal(none), [400, "invalid_request"])
      assert.strictEqual(none.body.error.param, "/calls")
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("lets rows have agents, metadata, not_before and expires_at of their own", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const { body } = yield* Spec.post("/v1/batches", {
        calls: [
          row(1, {
            agent_id: agentId,
            metadata: { a: 1 },
            not_before: "1970-01-01T01:00:00Z",
            expires_at: "1970-01-02T00:00:00Z"
          }),
          row(2)
        ]
      })
      assert.isNull(body.agent_id)
      assert.deepStrictEqual(body.rejected.map(({ param }: { readonly param: string }) => param), ["/calls/1/agent_id"])
      const call = (yield* Spec.get(`/v1/calls/${body.calls[0].id}`)).body
      assert.deepInclude(call, { batch_id: body.id, scheduled_for: "1970-01-01T01:00:00.000Z" })
      assert.deepStrictEqual(call.metadata, { a: 1 })
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("replays an Idempotency-Key, and refuses it for another batch", () =>
    Effect.gen(function*() {
      const options = { headers: { "idempotency-key": "k" } }
      const first = yield* startBatch([row(1), row(2)], {}, options)
      const again = yield* startBatch([row(1), row(2)], {}, options)
      assert.deepStrictEqual([first.status, again.status], [201, 200])
      assert.strictEqual(again.body.id, first.body.id)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      const other = yield* startBatch([row(3)], {}, options)
      assert.deepStrictEqual(Spec.refusal(other), [422, "idempotency_key_reused"])
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("makes one batch of 20 parallel twins", () =>
    Effect.gen(function*() {
      const twin = startBatch([row(1), row(2)], {}, { headers: { "idempotency-key": "k" } })
      const answers = yield* Effect.all(Array.from({ length: 20 }, () => twin), { concurrency: "unbounded" })
      assert.strictEqual(answers.filter(({ status }) => status === 201).length, 1)
      assert.strictEqual(new Set(answers.map(({ body }) => body.id)).size, 1)
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("simulates a test batch: every call ends at once, and its event is sent", () =>
    Effect.gen(function*() {
      yield* Spec.setWebhook()
      const { body } = yield* startBatch([row(1), row(2)], { test: true })
      assert.deepInclude(body, { test: true, status: "completed" })
      yield* TestEngine.drain
      assert.deepStrictEqual((yield* Spec.events).map(({ test, type }) => [type, test]), [
        ["call.completed", true],
        ["call.completed", true]
      ])
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("dials batch calls as lines free up, behind single calls", () =>
    Effect.gen(function*() {
      const batch = (yield* startBatch([row(1), row(2)])).body
      const single = yield* Spec.start({ phone_number: "+14155550009" })
      yield* TestEngine.drain
      const statusOf = (id: string) => Effect.map(Spec.get(`/v1/calls/${id}`), ({ body }) => body.status)
      assert.strictEqual(yield* statusOf(single.id), "dialing")
      for (const { id } of batch.calls) assert.strictEqual(yield* statusOf(id), "queued")
      yield* TestEngine.advance("10 minutes")
      for (const { id } of batch.calls) assert.strictEqual(yield* statusOf(id), "completed")
    }).pipe(Effect.provide(Spec.layer({ lines: 1, callee: () => "talks" }))))
})

describe("4.6 GET /v1/batches/{id}", () => {
  it.effect("shows progress: a count per status, each row's status, and when it was completed", () =>
    Effect.gen(function*() {
      const { id } = (yield* startBatch([row(0), row(5), row(6)])).body
      const before = (yield* Spec.get(`/v1/batches/${id}`)).body
      assert.deepInclude(before, { status: "in_progress" })
      assert.strictEqual(before.counts.queued, 3)
      yield* TestEngine.advance("10 minutes")
      const after = (yield* Spec.get(`/v1/batches/${id}`)).body
      assert.strictEqual(after.status, "completed")
      assert.match(after.completed_at, /Z$/)
      assert.deepInclude(after.counts, { completed: 1, busy: 1, no_answer: 1, queued: 0 })
      assert.deepStrictEqual(after.calls.map(({ status }: { readonly status: string }) => status), [
        "completed",
        "busy",
        "no_answer"
      ])
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("knows no batch of another id", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(Spec.refusal(yield* Spec.get("/v1/batches/batch_x")), [404, "not_found"])
      assert.deepStrictEqual(Spec.refusal(yield* Spec.get("/v1/batches/call_x")), [400, "invalid_request"])
    }).pipe(Effect.provide(Spec.layer())))

  it.effect("beyond the specification: batches are listed, and what is still queued can be canceled", () =>
    Effect.gen(function*() {
      const { id } = (yield* startBatch([row(1), row(2), row(3)])).body
      const { body: list } = yield* Spec.get("/v1/batches")
      assert.deepStrictEqual(list.data.map((batch: { readonly id: string }) => batch.id), [id])
      yield* TestEngine.drain
      const canceled = yield* Spec.request("POST", `/v1/batches/${id}/cancel`)
      assert.strictEqual(canceled.status, 200)
      assert.deepInclude(canceled.body.counts, { canceled: 2, queued: 0 })
    }).pipe(Effect.provide(Spec.layer({ lines: 1 }))))
})
