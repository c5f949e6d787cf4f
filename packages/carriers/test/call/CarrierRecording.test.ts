import { assert, it } from "@effect/vitest"
import { Ids, LineReports, Recordings } from "@outdial/core"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Option } from "effect"
import * as CarrierRecording from "../../src/call/CarrierRecording.ts"
import { RecordingTooLong } from "../../src/request/SingleRequest.ts"

const call = (index: number) => ({
  accountId: Ids.AccountId.make("acct_1"),
  callId: Ids.CallId.make(`call_${index}`)
})

const audio: Recordings.Recording = { mediaType: "audio/wav", bytes: new Uint8Array([1, 2, 3]) }

const services = Layer.mergeAll(
  Recordings.Recordings.layerMemory,
  Layer.mock(LineReports.LineReports, { report: () => Effect.succeed("continue") }),
  Logger.layer([])
)

const opened = Effect.gen(function*() {
  return CarrierRecording.copier({
    carrier: "a carrier",
    mode: "move",
    recordings: yield* Recordings.Recordings,
    reports: yield* LineReports.LineReports,
    scope: yield* Effect.scope
  })
})

it.effect("Two recordings are copied at once, and the others wait", () =>
  Effect.gen(function*() {
    const copy = yield* opened
    const { has } = yield* Recordings.Recordings
    const arrives = yield* Deferred.make<void>()
    let downloading = 0
    let most = 0
    const download = Effect.acquireUseRelease(
      Effect.sync(() => {
        downloading += 1
        most = Math.max(most, downloading)
      }),
      () => Effect.as(Deferred.await(arrives), audio),
      () => Effect.sync(() => downloading -= 1)
    )
    const calls = [1, 2, 3, 4, 5].map(call)
    const copies = yield* Effect.forkChild(
      Effect.forEach(calls, (one) => copy(one, { id: one.callId, download, remove: Effect.void }), {
        concurrency: "unbounded"
      })
    )
    yield* Effect.repeat(Effect.yieldNow, { until: () => downloading === 2 })
    yield* Deferred.succeed(arrives, undefined)
    yield* Fiber.join(copies)
    assert.strictEqual(most, 2)
    assert.deepStrictEqual(yield* Effect.forEach(calls, has), calls.map(() => true))
  }).pipe(Effect.provide(services)))

it.effect("A recording that is too long is not asked for again, and stays at the carrier", () =>
  Effect.gen(function*() {
    const copy = yield* opened
    const { get } = yield* Recordings.Recordings
    const done = yield* Effect.exit(copy(call(1), {
      id: "1",
      download: new RecordingTooLong({ mostBytes: 1 }),
      remove: Effect.die("It is deleted")
    }))
    assert.isTrue(Exit.isSuccess(done))
    assert.deepStrictEqual(yield* get(call(1)), Option.none())
  }).pipe(Effect.provide(services)))

const ours = Ids.CarrierCallId.make("CA1")

/** The call is bound to ours. */
const reports = LineReports.LineReports.of({
  isOfAnother: ({ carrierCallId }) => Effect.succeed(carrierCallId !== ours),
  uncharged: () => Effect.succeed([]),
  report: ({ carrierCallId }) => Effect.succeed(carrierCallId === ours ? "continue" : "discard"),
  callToEnd: Effect.succeed
})

it.effect("A recording of a second call at the carrier is deleted there, and does not replace that of the call", () =>
  Effect.gen(function*() {
    const recordings = yield* Recordings.Recordings
    const scope = yield* Effect.scope
    const copy = CarrierRecording.copier({ carrier: "Fake", mode: "copy", recordings, reports, scope })
    const deleted: Array<string> = []
    const of = (id: string, carrierCallId: Ids.CarrierCallId): CarrierRecording.CarrierRecording => ({
      id,
      carrierCallId,
      download: Effect.succeed({ mediaType: "audio/wav", bytes: new TextEncoder().encode(id) }),
      remove: Effect.sync(() => void deleted.push(id))
    })
    const stored = Effect.map(
      recordings.get(call(1)),
      Option.map(({ bytes }) => new TextDecoder().decode(bytes))
    )
    const second = of("the second", Ids.CarrierCallId.make("CA2"))
    yield* copy(call(1), second)
    assert.deepStrictEqual(yield* stored, Option.none())
    yield* copy(call(1), of("ours", ours))
    yield* copy(call(1), second)
    assert.deepStrictEqual(yield* stored, Option.some("ours"))
    assert.deepStrictEqual(deleted, ["the second", "the second"])
  }).pipe(Effect.provide(Recordings.Recordings.layerMemory)))
