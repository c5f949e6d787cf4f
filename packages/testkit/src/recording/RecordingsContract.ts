/** The contract of `Recordings`. The suite uses its own calls, so it can run on a shared store. */
import { assert, it } from "@effect/vitest"
import { Ids, Recordings } from "@outdial/core"
import { Effect, type Layer, Option, Random, Stream } from "effect"
import { describe } from "vitest"

/** Fresh ids of an account and a call. */
const newKey = Effect.gen(function*(): Effect.fn.Return<Recordings.RecordingKey> {
  const name = Effect.map(Random.nextBetween(0, 1), (n) => n.toString(36).slice(2))
  return { accountId: Ids.AccountId.make(`acct_${yield* name}`), callId: Ids.CallId.make(`call_${yield* name}`) }
})

const wav: Recordings.Recording = { mediaType: "audio/wav", bytes: new Uint8Array([82, 73, 70, 70, 0, 255]) }

const store = Recordings.Recordings

/** Tests by the behaviour that they check. */
const cases: Readonly<Record<string, Effect.Effect<void, unknown, Recordings.Recordings>>> = {
  "gives back what was put, byte for byte": Effect.gen(function*() {
    const recordings = yield* store
    const key = yield* newKey
    assert.isFalse(yield* recordings.has(key))
    yield* recordings.put(key, wav)
    assert.isTrue(yield* recordings.has(key))
    assert.deepStrictEqual(yield* recordings.get(key), Option.some(wav))
    assert.deepStrictEqual(yield* recordings.get(key), Option.some(wav))
  }),

  "returns nothing for an unknown key": Effect.gen(function*() {
    const recordings = yield* store
    assert.deepStrictEqual(yield* recordings.get(yield* newKey), Option.none())
  }),

  "keeps media types as they were given": Effect.gen(function*() {
    const recordings = yield* store
    for (const mediaType of ["audio/mpeg", "audio/ogg; codecs=opus", "audio/x-unheard-of"]) {
      const key = yield* newKey
      yield* recordings.put(key, { ...wav, mediaType })
      assert.deepStrictEqual(yield* recordings.get(key), Option.some({ ...wav, mediaType }))
    }
  }),

  "replaces a recording that is put again, its media type too": Effect.gen(function*() {
    const recordings = yield* store
    const key = yield* newKey
    const shorter = { mediaType: "audio/mpeg", bytes: new Uint8Array([1]) }
    yield* recordings.put(key, wav)
    yield* recordings.put(key, shorter)
    assert.deepStrictEqual(yield* recordings.get(key), Option.some(shorter))
  }),

  "stores what comes in pieces as if it was put at once": Effect.gen(function*() {
    const recordings = yield* store
    const key = yield* newKey
    const bytes = Uint8Array.from({ length: 1_000_003 }, (_, index) => index % 251)
    const pieces = Stream.fromIterable(
      Array.from({ length: 101 }, (_, index) => bytes.subarray(index * 10_000, (index + 1) * 10_000))
    )
    yield* recordings.put(key, { ...wav, mediaType: "audio/mpeg" })
    yield* recordings.putStream(key, { mediaType: "audio/wav", length: bytes.length, bytes: pieces })
    assert.deepStrictEqual(yield* recordings.get(key), Option.some({ mediaType: "audio/wav", bytes }))
  }),

  "changes nothing when what comes in pieces fails": Effect.gen(function*() {
    const recordings = yield* store
    const key = yield* newKey
    yield* recordings.put(key, wav)
    const bytes = Stream.concat(
      Stream.make(new Uint8Array(10_000)),
      Stream.fail(new Recordings.RecordingError({ cause: "The contract says so" }))
    )
    const error = yield* Effect.flip(recordings.putStream(key, { ...wav, length: 20_000, bytes }))
    assert.isTrue(error instanceof Recordings.RecordingError)
    assert.deepStrictEqual(yield* recordings.get(key), Option.some(wav))
  }),

  "removes a recording for good, and no other": Effect.gen(function*() {
    const recordings = yield* store
    const key = yield* newKey
    const kept = { ...key, callId: (yield* newKey).callId }
    yield* recordings.put(key, wav)
    yield* recordings.put(kept, wav)
    yield* recordings.remove(key)
    assert.deepStrictEqual(yield* recordings.get(key), Option.none())
    assert.deepStrictEqual([yield* recordings.has(key), yield* recordings.has(kept)], [false, true])
    assert.deepStrictEqual(yield* recordings.get(kept), Option.some(wav))
  }),

  "removes again, and without a recording, without an error": Effect.gen(function*() {
    const recordings = yield* store
    const key = yield* newKey
    yield* recordings.put(key, wav)
    yield* recordings.remove(key)
    yield* recordings.remove(key)
    yield* recordings.remove(yield* newKey)
    assert.deepStrictEqual(yield* recordings.get(key), Option.none())
  }),

  "keeps a recording that is put again after it was removed": Effect.gen(function*() {
    const recordings = yield* store
    const key = yield* newKey
    yield* recordings.put(key, wav)
    yield* recordings.remove(key)
    yield* recordings.put(key, wav)
    assert.deepStrictEqual(yield* recordings.get(key), Option.some(wav))
  }),

  "keeps calls and accounts apart": Effect.gen(function*() {
    const recordings = yield* store
    const key = yield* newKey
    const other = yield* newKey
    yield* recordings.put(key, wav)
    assert.deepStrictEqual(yield* recordings.get({ ...key, callId: other.callId }), Option.none())
    assert.deepStrictEqual(yield* recordings.get({ ...key, accountId: other.accountId }), Option.none())
  }),

  "keeps an empty recording, and one of an hour": Effect.gen(function*() {
    const recordings = yield* store
    // An hour at 16 kbit/s, the lowest rate of telephone speech.
    for (const length of [0, 7_200_000]) {
      const key = yield* newKey
      const bytes = Uint8Array.from({ length }, (_, index) => index % 251)
      yield* recordings.put(key, { mediaType: "audio/ogg", bytes })
      const kept = Option.getOrThrow(yield* recordings.get(key))
      assert.strictEqual(kept.bytes.length, length)
      assert.isTrue(kept.bytes.every((byte, index) => byte === index % 251))
    }
  }),

  "keeps one of two concurrent recordings, complete": Effect.gen(function*() {
    const recordings = yield* store
    const key = yield* newKey
    const [one, two] = [1, 2].map((value) => ({ ...wav, bytes: new Uint8Array(100_000).fill(value) }))
    if (one === undefined || two === undefined) return
    yield* Effect.all([recordings.put(key, one), recordings.put(key, two)], { concurrency: 2 })
    const { bytes } = Option.getOrThrow(yield* recordings.get(key))
    assert.include([1, 2], bytes[0])
    assert.isTrue(bytes.length === 100_000 && bytes.every((byte) => byte === bytes[0]))
  })
}

/** Runs the contract against the layer, which is built once. */
export const contract = <E>(name: string, layer: Layer.Layer<Recordings.Recordings, E>): void => {
  describe(`Recordings contract: ${name}`, () => {
    // Stores need real time, which a test clock would stop.
    it.layer(layer, { excludeTestServices: true, timeout: "180 seconds" })((it) => {
      for (const [promise, test] of Object.entries(cases)) it.effect(promise, () => test)
    })
  })
}
