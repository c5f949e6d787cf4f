import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Ids, Recordings } from "@outdial/core"
import { Effect, Option } from "effect"
import { FileRecordings } from "../../src/index.ts"

const key = { accountId: Ids.AccountId.make("acct_1"), callId: Ids.CallId.make("call_1") }
const wav = { mediaType: "audio/wav", bytes: new Uint8Array([1, 2, 3]) }

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "recordings-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const inFolder = <A, E>(path: string, use: (recordings: Recordings.Recordings["Service"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(Recordings.Recordings, use).pipe(
    Effect.provide(FileRecordings.layer({ directory: path }), { local: true })
  )

describe("FileRecordings", () => {
  it.live("keeps a recording under a name that can be played", () =>
    Effect.gen(function*() {
      const path = yield* folder
      yield* inFolder(join(path, "made", "anew"), (recordings) => recordings.put(key, wav))
      const file = join(path, "made", "anew", "acct_1", "call_1")
      assert.deepStrictEqual(readdirSync(file), ["recording.wav"])
      assert.strictEqual(statSync(join(file, "recording.wav")).mode & 0o777, 0o600)
      assert.deepStrictEqual(
        yield* inFolder(join(path, "made", "anew"), (recordings) => recordings.get(key)),
        Option.some(wav)
      )
    }))

  it.live("closes a folder that other users can enter", () =>
    Effect.gen(function*() {
      const path = yield* folder
      chmodSync(path, 0o777)
      yield* inFolder(path, (recordings) => recordings.get(key))
      assert.strictEqual(statSync(path).mode & 0o777, 0o700)
    }))

  it.live("makes every folder on the way for its owner alone", () =>
    Effect.gen(function*() {
      const path = yield* folder
      yield* inFolder(join(path, "made", "anew"), (recordings) => recordings.put(key, wav))
      const made = ["made", "made/anew", "made/anew/acct_1", "made/anew/acct_1/call_1"]
      assert.deepStrictEqual(made.map((name) => statSync(join(path, name)).mode & 0o777), made.map(() => 0o700))
    }))

  it.live("replaces a recording, and its media type with it", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const odd = { mediaType: "audio/x-odd; rate=8000", bytes: new Uint8Array([9]) }
      yield* inFolder(path, (recordings) => Effect.andThen(recordings.put(key, wav), recordings.put(key, odd)))
      assert.deepStrictEqual(yield* inFolder(path, (recordings) => recordings.get(key)), Option.some(odd))
      assert.lengthOf(readdirSync(join(path, "acct_1", "call_1")), 1)
    }))

  it.live("has nothing where nothing was put", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* inFolder(yield* folder, (recordings) => recordings.get(key)), Option.none())
    }))

  it.live("never leaves its folder", () =>
    Effect.gen(function*() {
      const path = yield* folder
      // Unchecked, as a faulty host might make it.
      const outside = { accountId: "../.." as Ids.AccountId, callId: "call_../../x" as Ids.CallId }
      const error = yield* Effect.flip(inFolder(path, (recordings) => recordings.put(outside, wav)))
      assert.strictEqual(error._tag, "RecordingError")
      assert.deepStrictEqual(readdirSync(path), [])
    }))
})
