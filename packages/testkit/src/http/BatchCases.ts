/** Batches over HTTP (spec §4.5, §4.6). */
import { assert } from "@effect/vitest"
import { Limits } from "@outdial/core"
import { Effect } from "effect"
import {
  callRequest,
  type Cases,
  freshKey,
  get,
  phoneNumber,
  post,
  refusal,
  startedCall,
  Target,
  walk
} from "./Target.ts"

/** Valid rows that stay queued. */
const rows = (count: number) =>
  Effect.all(
    Array.from({ length: count }, () => Effect.map(callRequest(), ({ agent_id: _, ...row }) => row))
  )

const started = Effect.fnUntraced(function*(calls: ReadonlyArray<unknown>, overrides: object = {}) {
  const { agentId } = yield* Target
  return yield* post("/v1/batches", { body: { agent_id: agentId, calls, ...overrides } })
})

export const cases: Cases = {
  "rejects a row with a field that it does not know, and queues the others": Effect.gen(function*() {
    const [good, misspelled, inContact] = yield* rows(3)
    const { body, status } = yield* started([
      good,
      { ...misspelled, notBefore: "2030-01-01T00:00:00Z" },
      { ...inContact, contact: { externalId: "7" } }
    ])
    assert.strictEqual(status, 201, JSON.stringify(body))
    assert.strictEqual(body["accepted_count"], 1)
    assert.deepStrictEqual(body["rejected"], [
      {
        index: 1,
        phone_number: misspelled?.phone_number,
        code: "invalid_request",
        message: "notBefore is not a known field; did you mean not_before?",
        param: "/calls/1/notBefore"
      },
      {
        index: 2,
        phone_number: inContact?.phone_number,
        code: "invalid_request",
        message: "contact.externalId is not a known field; did you mean external_id?",
        param: "/calls/2/contact/externalId"
      }
    ])
  }),

  "queues every valid row, and reports each invalid one": Effect.gen(function*() {
    const { agentId, variables } = yield* Target
    const waiting = yield* startedCall()
    const [good, other] = yield* rows(2)
    const { body, status } = yield* started([
      { ...good, contact: { external_id: "row-0" }, metadata: { row: 0 } },
      { phone_number: "nope", variables },
      { ...good },
      { ...other, agent_id: agentId },
      { ...other, phone_number: waiting["phone_number"] },
      { ...other, phone_number: yield* phoneNumber, variables: {} },
      { ...other, phone_number: 5, contact: { email: "nobody" } },
      null,
      { ...other, phone_number: yield* phoneNumber, agent_id: "00000000-0000-4000-8000-00000000dead" },
      { ...other, phone_number: "+19005550100" },
      {}
    ])
    assert.strictEqual(status, 201, JSON.stringify(body))
    const { calls, counts, created_at: _, id, rejected, ...batch } = body
    assert.match(id, /^batch_/)
    assert.deepStrictEqual(batch, {
      object: "batch",
      status: "in_progress",
      agent_id: agentId,
      test: false,
      accepted_count: 2,
      rejected_count: 9,
      idempotent_replay: false
    })
    assert.strictEqual(counts["queued"], 2)
    const ids = calls.map((call: { readonly id: string }) => call.id)
    assert.deepStrictEqual(calls, [
      { index: 0, id: ids[0], phone_number: good?.phone_number, external_id: "row-0", status: "queued" },
      { index: 3, id: ids[1], phone_number: other?.phone_number, status: "queued" }
    ])
    const rejectedRows = rejected.map(({ message, ...row }: { readonly message: string }) => {
      assert.isNotEmpty(message)
      return row
    })
    assert.deepStrictEqual(rejectedRows.slice(0, 3), [
      { index: 1, phone_number: "nope", code: "invalid_request", param: "/calls/1/phone_number" },
      {
        index: 2,
        phone_number: good?.phone_number,
        code: "call_already_queued",
        param: "/calls/2/phone_number",
        call_id: ids[0]
      },
      {
        index: 4,
        phone_number: waiting["phone_number"],
        code: "call_already_queued",
        param: "/calls/4/phone_number",
        call_id: waiting["id"]
      }
    ])
    assert.deepStrictEqual(
      rejectedRows.map(({ code, index }: { readonly index: number; readonly code: string }) => [index, code]).slice(3),
      [
        [5, "missing_variables"],
        [6, "invalid_request"],
        [7, "invalid_request"],
        [8, "agent_not_found"],
        [9, "number_not_allowed"],
        [10, "invalid_request"]
      ]
    )
    assert.deepStrictEqual([rejectedRows[4].phone_number, rejectedRows[4].param], ["", "/calls/6/phone_number"])
    const { idempotent_replay: __, ...shown } = body
    assert.deepStrictEqual((yield* get(`/v1/batches/${id}`)).body, shown)
    const call = yield* get(`/v1/calls/${ids[0]}`)
    assert.deepStrictEqual([call.body["batch_id"], call.body["metadata"]], [id, { row: 0 }])
    assert.sameMembers((yield* walk(`/v1/calls?batch_id=${id}`, 1)).map((call) => call["id"]), ids)
  }),

  "answers 201 also when every row is refused": Effect.gen(function*() {
    const { body, status } = yield* started([{}, {}])
    assert.deepStrictEqual([status, body["accepted_count"], body["rejected_count"]], [201, 0, 2])
    assert.deepStrictEqual([body["status"], body["calls"]], ["completed", []])
  }),

  "needs no agent when every row has its own": Effect.gen(function*() {
    const { body, status } = yield* started([yield* callRequest(), {}], { agent_id: null })
    assert.deepStrictEqual([status, body["agent_id"], body["accepted_count"]], [201, null, 1])
  }),

  "accepts 1,000 rows": Effect.gen(function*() {
    const { variables } = yield* Target
    const calls = Array.from({ length: Limits.batchRows }, () => ({ phone_number: "+14155550100", variables }))
    const { body, status } = yield* started(calls, { test: true })
    assert.deepStrictEqual([status, body["accepted_count"], body["status"]], [201, Limits.batchRows, "completed"])
  }),

  "answers a repeated Idempotency-Key with 200 and the batch as it is now": Effect.gen(function*() {
    const { agentId } = yield* Target
    const sent = {
      body: { agent_id: agentId, calls: yield* rows(2) },
      headers: { "idempotency-key": yield* freshKey }
    }
    const first = yield* post("/v1/batches", sent)
    const { body: canceled } = yield* post(`/v1/batches/${first.body["id"]}/cancel`)
    const again = yield* post("/v1/batches", sent)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.deepStrictEqual([again.status, again.body], [200, { ...canceled, idempotent_replay: true }])
    const other = yield* post("/v1/batches", { ...sent, body: { ...sent.body, test: true } })
    assert.deepStrictEqual(refusal(other, "batch_id"), [422, "idempotency_key_reused", first.body["id"]])
  }),

  "cancels what is still queued, and is safe to repeat": Effect.gen(function*() {
    const { body: batch } = yield* started(yield* rows(3))
    const { body: { calls: [call] } } = yield* get(`/v1/batches/${batch["id"]}`)
    assert.strictEqual((yield* post(`/v1/calls/${call.id}/cancel`)).status, 200)
    const canceled = yield* post(`/v1/batches/${batch["id"]}/cancel`)
    assert.deepStrictEqual([canceled.status, canceled.body["status"]], [200, "completed"])
    assert.strictEqual(canceled.body["counts"].canceled, 3)
    assert.isString(canceled.body["completed_at"])
    assert.deepStrictEqual((yield* post(`/v1/batches/${batch["id"]}/cancel`)).body, canceled.body)
  }),

  "lists batches newest first, without their rows": Effect.gen(function*() {
    const { body: first } = yield* started([{}])
    const { body: second } = yield* started([{}])
    const listed = yield* walk("/v1/batches", 2)
    assert.deepStrictEqual(listed.slice(0, 2).map(({ id }) => id), [second["id"], first["id"]])
    assert.doesNotHaveAnyKeys(listed[0], ["calls", "rejected"])
  }),

  "refuses an invalid batch": Effect.gen(function*() {
    assert.deepStrictEqual(refusal(yield* started([]), "param"), [400, "invalid_request", "/calls"])
    const calls = Array.from({ length: Limits.batchRows + 1 }, () => ({}))
    assert.deepStrictEqual(refusal(yield* started(calls), "max_rows"), [400, "batch_too_large", Limits.batchRows])
    for (const agent of ["ada", 5]) {
      assert.deepStrictEqual(refusal(yield* started([{}], { agent_id: agent }), "param"), [
        400,
        "invalid_request",
        "/agent_id"
      ])
    }
    for (const body of [{}, { calls: null }, { calls: {} }]) {
      assert.deepStrictEqual(refusal(yield* post("/v1/batches", { body }), "param"), [400, "invalid_request", "/calls"])
    }
  }),

  "accepts bodies far larger than those of single calls": Effect.gen(function*() {
    const text = "x".repeat(8000)
    const calls = Array.from({ length: 100 }, () => ({ phone_number: "x", metadata: { text } }))
    assert.strictEqual((yield* started(calls)).status, 201)
  })
}
