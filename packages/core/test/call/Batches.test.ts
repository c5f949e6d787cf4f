import { assert, it } from "@effect/vitest"
import { type Batch, Batches, SimulatedTelephony } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { describe } from "vitest"

const row = (n: number) => ({
  phoneNumber: `+1415555${String(n).padStart(4, "0")}`,
  contact: { externalId: `crm-${n}` },
  variables: { topic: "x" }
})

const start = Effect.fnUntraced(function*(
  calls: ReadonlyArray<unknown>,
  more: Partial<Batches.StartBatch> = {},
  options: Batches.StartBatchOptions = {}
) {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const batches = yield* Batches.Batches
  return yield* batches.start(accountId, { agentId, calls, ...more }, options)
})

const get = Effect.fnUntraced(function*(id: Batch.Batch["id"]) {
  const { accountId } = yield* TestEngine.Tenant
  const batches = yield* Batches.Batches
  return yield* batches.get(accountId, id)
})

describe("Batches", () => {
  it.effect("queues valid rows and returns the others with their index, code and what to do", () =>
    Effect.gen(function*() {
      const batch = yield* start([
        row(1),
        { ...row(2), phoneNumber: "nonsense" },
        "no row at all",
        { ...row(3), phoneNumber: 7 },
        { ...row(4), variables: {} },
        { ...row(5), agentId: Factories.agentId() },
        { ...row(6), phoneNumber: "+1 (415) 555-0001" },
        { ...row(7), phoneNumber: "+19002345678" },
        { ...row(8), metadata: { m: "x".repeat(8200) } },
        row(9)
      ])
      assert.deepInclude(batch, { object: "batch", status: "in_progress", acceptedCount: 2, rejectedCount: 8 })
      const [first] = batch.calls ?? []
      assert.deepStrictEqual(batch.calls?.map(({ externalId, index }) => [index, externalId]), [[0, "crm-1"], [
        9,
        "crm-9"
      ]])
      assert.deepStrictEqual(
        batch.rejected?.map(({ callId, code, index, missing, param, phoneNumber }) => ({
          index,
          phoneNumber,
          code,
          ...(param !== undefined && { param }),
          ...(callId !== undefined && { callId }),
          ...(missing !== undefined && { missing })
        })),
        [
          { index: 1, phoneNumber: "nonsense", code: "invalid_request", param: "/calls/1/phone_number" },
          { index: 2, phoneNumber: "", code: "invalid_request", param: "/calls/2" },
          { index: 3, phoneNumber: "", code: "invalid_request", param: "/calls/3/phone_number" },
          {
            index: 4,
            phoneNumber: "+14155550004",
            code: "missing_variables",
            param: "/calls/4/variables",
            missing: ["topic"]
          },
          { index: 5, phoneNumber: "+14155550005", code: "agent_not_found", param: "/calls/5/agent_id" },
          {
            index: 6,
            phoneNumber: "+1 (415) 555-0001",
            code: "call_already_queued",
            param: "/calls/6/phone_number",
            ...(first !== undefined && { callId: first.id })
          },
          { index: 7, phoneNumber: "+19002345678", code: "number_not_allowed", param: "/calls/7/phone_number" },
          { index: 8, phoneNumber: "+14155550008", code: "invalid_request", param: "/calls/8/metadata" }
        ]
      )
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("accepts many rows, and dials them to the end within the lines", () =>
    Effect.gen(function*() {
      const { id, rejectedCount } = yield* start(Array.from({ length: 250 }, (_, n) => row(n)))
      assert.strictEqual(rejectedCount, 0)
      yield* TestEngine.advance("2 hours")
      const batch = yield* get(id)
      assert.strictEqual(batch.status, "completed")
      assert.isDefined(batch.completedAt)
      assert.strictEqual(Object.values(batch.counts).reduce((sum, n) => sum + n, 0), 250)
      assert.strictEqual(batch.counts.queued, 0)
      const log = yield* SimulatedTelephony.DialLog
      const rung = (yield* log.rings).map(({ callId }) => callId)
      assert.strictEqual(new Set(rung).size, rung.length)
    }).pipe(Effect.provide(TestEngine.layer({ lines: 25 }))), 120_000)

  it.effect("accepts 1,000 rows, and refuses an empty batch, one of 1,001 rows, and a key that another request used", () =>
    Effect.gen(function*() {
      const reason = (effect: ReturnType<typeof start>) =>
        Effect.map(Effect.flip(effect), (error) => error._tag === "BatchRefused" ? error.reason.code : error.code)
      assert.strictEqual((yield* start(Array.from({ length: 1000 }, (_, n) => row(n + 10)))).acceptedCount, 1000)
      assert.strictEqual(yield* reason(start([])), "invalid_request")
      assert.strictEqual(yield* reason(start(Array.from({ length: 1001 }, () => row(1)))), "batch_too_large")
      const first = yield* start([row(1)], {}, { idempotencyKey: "k" })
      const again = yield* start([row(1)], {}, { idempotencyKey: "k" })
      assert.deepStrictEqual(again, { ...first, idempotentReplay: true })
      assert.strictEqual(yield* reason(start([row(2)], {}, { idempotencyKey: "k" })), "idempotency_key_reused")
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("treats a retry with other spellings of the numbers as the same request", () =>
    Effect.gen(function*() {
      yield* start([row(1)], {}, { idempotencyKey: "k" })
      const again = yield* start([{ ...row(1), phoneNumber: "001 415-555-0001" }], {}, { idempotencyKey: "k" })
      assert.isTrue(again.idempotentReplay)
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("is null in its agent when every row has its own, and rejects rows that have none", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const batches = yield* Batches.Batches
      const batch = yield* batches.start(accountId, { calls: [{ ...row(1), agentId }, row(2)] })
      assert.isNull(batch.agentId)
      assert.strictEqual(batch.acceptedCount, 1)
      assert.deepStrictEqual(batch.rejected?.map(({ param }) => param), ["/calls/1/agent_id"])
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("completes a test batch at once, and rings no phone", () =>
    Effect.gen(function*() {
      const batch = yield* start([row(1), row(1)], { test: true })
      assert.deepInclude(batch, { status: "completed", acceptedCount: 2, test: true })
      yield* TestEngine.drain
      const log = yield* SimulatedTelephony.DialLog
      assert.deepStrictEqual(yield* log.rings, [])
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("cancels what is queued, and lets go on what is dialed", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const batches = yield* Batches.Batches
      const { id } = yield* start([row(1), row(2), row(3)])
      yield* TestEngine.drain
      const canceled = yield* batches.cancel(accountId, id)
      assert.deepInclude(canceled.counts, { dialing: 1, canceled: 2 })
      yield* TestEngine.advance("5 minutes")
      assert.deepInclude(yield* get(id), { status: "completed" })
    }).pipe(Effect.provide(TestEngine.layer({ lines: 1 }))))
})
