import { assert, describe, it } from "@effect/vitest"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import * as Fixture from "../Fixture.ts"

const row = (overrides: Record<string, unknown> = {}) => ({
  phone_number: "+14155550100",
  variables: { topic: "your visit" },
  ...overrides
})

const start = Effect.fnUntraced(function*(calls: unknown, overrides: Record<string, unknown> = {}) {
  const { agentId } = yield* TestEngine.Tenant
  return yield* Fixture.send("/v1/batches", { body: { agent_id: agentId, calls, ...overrides } })
})

describe("POST /v1/batches (spec §4.5)", () => {
  it.effect("refuses a row for a number that JSON has no value for, and only that row", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const rows = [
        "{\"phone_number\":\"+14155550100\",\"variables\":{\"topic\":\"x\"}}",
        "{\"phone_number\":\"+14155550101\",\"variables\":{\"topic\":\"x\"},\"metadata\":{\"b\":1e400}}",
        "{\"phone_number\":\"+14155550102\",\"variables\":{\"topic\":\"x\"},\"other\":1e400}",
        "{\"phone_number\":\"+14155550103\",\"variables\":{\"topic\":1e400}}",
        "1e400"
      ]
      const { body, status } = yield* Fixture.send("/v1/batches", {
        raw: `{"agent_id":"${agentId}","calls":[${rows.join(",")}]}`
      })
      assert.deepStrictEqual([status, body["accepted_count"]], [201, 1])
      assert.deepStrictEqual(
        body["rejected"].map(({ code, message, param }: Fixture.Received["body"]) => [param, code, message]),
        [
          ["/calls/1/metadata/b", "invalid_request", "metadata.b must be a JSON value"],
          [
            "/calls/2/other",
            "invalid_request",
            "other is not a known field; known are agent_id, phone_number, contact, variables, metadata, not_before, expires_at"
          ],
          ["/calls/3/variables/topic", "invalid_request", "variables.topic must be a finite number"],
          ["/calls/4", "invalid_request", "must be an object"]
        ]
      )
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("answers 201 with the accepted rows and the rejected ones", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const { body, status } = yield* start([
        row({ phone_number: "001 415 555-0100", contact: { external_id: "a" } }),
        row({ phone_number: "+1415555" }),
        row()
      ])
      const { calls, rejected, ...batch } = body
      assert.strictEqual(status, 201)
      assert.deepStrictEqual(batch, {
        id: batch["id"],
        object: "batch",
        status: "in_progress",
        agent_id: agentId,
        test: false,
        accepted_count: 1,
        rejected_count: 2,
        counts: {
          queued: 1,
          dialing: 0,
          in_progress: 0,
          completed: 0,
          no_answer: 0,
          busy: 0,
          failed: 0,
          canceled: 0,
          expired: 0
        },
        created_at: "1970-01-01T00:00:00.000Z",
        idempotent_replay: false
      })
      const [call] = calls
      assert.deepStrictEqual(calls, [
        { index: 0, id: call.id, phone_number: "+14155550100", external_id: "a", status: "queued" }
      ])
      assert.deepStrictEqual(
        rejected.map(({ message: _, ...row }: { readonly message: string }) => row),
        [
          { index: 1, phone_number: "+1415555", code: "invalid_request", param: "/calls/1/phone_number" },
          {
            index: 2,
            phone_number: "+14155550100",
            code: "call_already_queued",
            param: "/calls/2/phone_number",
            call_id: call.id
          }
        ]
      )
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("reads rows as it reads single calls: null is absent", () =>
    Effect.gen(function*() {
      const { body } = yield* start([
        row({ contact: { name: null }, metadata: null, not_before: null, agent_id: null })
      ], { test: null })
      assert.deepStrictEqual([body["accepted_count"], body["test"]], [1, false])
      const call = yield* Fixture.send(`/v1/calls/${body["calls"][0].id}`)
      assert.deepStrictEqual([call.body["contact"], call.body["test"]], [{}, false])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("points into the row that is wrong, also where users name the fields", () =>
    Effect.gen(function*() {
      const { body } = yield* start([
        row({ contact: { external_id: 5 } }),
        row({ variables: { "a/b": 1 } }),
        row({ expires_at: "soon" }),
        "x"
      ])
      assert.deepStrictEqual(body["rejected"].map(({ param }: { readonly param: string }) => param), [
        "/calls/0/contact/external_id",
        "/calls/1/variables/a~1b",
        "/calls/2/expires_at",
        "/calls/3"
      ])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("holds bodies of up to 16 MiB", () =>
    Effect.gen(function*() {
      const large = yield* start([row({ metadata: { padding: "x".repeat(15 * 1024 * 1024) } })])
      assert.strictEqual(large.status, 201)
      const tooLarge = Fixture.errorOf(yield* start([row({ metadata: { padding: "x".repeat(16 * 1024 * 1024) } })]))
      assert.deepStrictEqual([tooLarge.status, tooLarge.code, tooLarge.max_bytes], [
        413,
        "payload_too_large",
        16_777_216
      ])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("distinguishes too many rows from an invalid body", () =>
    Effect.gen(function*() {
      const { code, errors: _, message, ...error } = Fixture.errorOf(
        yield* start(Array.from({ length: 1001 }, () => ({})))
      )
      assert.deepStrictEqual({ code, ...error }, {
        status: 400,
        code: "batch_too_large",
        param: "/calls",
        location: "body",
        max_rows: 1000
      })
      assert.strictEqual(message, "calls has more than 1000 rows; send several batches")
    }).pipe(Effect.provide(Fixture.layer())))
})

describe("GET /v1/batches/{id} (spec §4.6)", () => {
  it.effect("counts its calls to the end", () =>
    Effect.gen(function*() {
      const { body: { id } } = yield* start([row(), row({ phone_number: "+14155550105" })])
      yield* TestEngine.advance("10 minutes")
      const { body } = yield* Fixture.send(`/v1/batches/${id}`)
      assert.deepStrictEqual([body["status"], body["counts"].completed, body["counts"].busy], ["completed", 1, 1])
      assert.deepStrictEqual(body["calls"].map(({ status }: { readonly status: string }) => status), [
        "completed",
        "busy"
      ])
      assert.match(body["completed_at"], /^1970-01-01T00:0\d:/)
    }).pipe(Effect.provide(Fixture.layer())))
})
