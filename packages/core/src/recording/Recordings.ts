/**
 * Port: stores the audio of calls. A stored recording exists until it is removed. The engine makes the links to it
 * (`RecordingLinks`).
 */
import { Context, Effect, Layer, Option, Schema, Stream } from "effect"
import * as OptionNames from "../domain/OptionNames.ts"
import type { AccountId, CallId } from "../domain/Ids.ts"

/** The recording could not be stored or read. */
export class RecordingError extends Schema.TaggedError<RecordingError>()("RecordingError", {
  cause: Schema.Defect()
}) {}

export interface Recording {
  /** Such as `audio/wav`. */
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** A recording that is not in memory as a whole. */
export interface StreamedRecording {
  /** Such as `audio/wav`. */
  readonly mediaType: string
  /** In bytes. */
  readonly length: number
  readonly bytes: Stream.Stream<Uint8Array, RecordingError>
}

/** The same for functions that return promises. */
export interface RecordingStream extends Omit<StreamedRecording, "bytes"> {
  readonly bytes: ReadableStream<Uint8Array>
}

export interface RecordingKey {
  readonly accountId: AccountId
  readonly callId: CallId
}

/** A store of recordings made of functions that return promises. */
export interface HostRecordings {
  /** Stores a recording; replaces the one of the same key. */
  readonly put: (key: RecordingKey, recording: Recording) => Promise<void>
  /** The same for a recording that comes in pieces. Default: `put`, with all of it in memory. */
  readonly putStream?: (key: RecordingKey, recording: RecordingStream) => Promise<void>
  /** Removes a recording for good. Also resolves when there is none. */
  readonly remove: (key: RecordingKey) => Promise<void>
  /** Resolves with `undefined` when there is none. */
  readonly get: (key: RecordingKey) => Promise<Recording | undefined>
  /** Whether there is one, without reading it. Default: asks `get`. */
  readonly has?: (key: RecordingKey) => Promise<boolean>
}

export class Recordings extends Context.Service<Recordings, {
  /** Stores the recording; storing it again replaces it. */
  readonly put: (key: RecordingKey, recording: Recording) => Effect.Effect<void, RecordingError>
  /** The same for a recording that comes in pieces. If the stream fails, nothing has changed. */
  readonly putStream: (key: RecordingKey, recording: StreamedRecording) => Effect.Effect<void, RecordingError>
  /** Removes the recording for good. Safe to repeat, also when there is none. */
  readonly remove: (key: RecordingKey) => Effect.Effect<void, RecordingError>
  readonly get: (key: RecordingKey) => Effect.Effect<Option.Option<Recording>, RecordingError>
  /** Whether there is one, without reading it. */
  readonly has: (key: RecordingKey) => Effect.Effect<boolean, RecordingError>
}>()("@outdial/core/recording/Recordings") {
  /** For the life of the process. */
  static readonly layerMemory = Layer.sync(Recordings, () => {
    const kept = new Map<string, Recording>()
    const nameOf = ({ accountId, callId }: RecordingKey) => `${accountId}/${callId}`
    return {
      put: (key, recording) => Effect.sync(() => void kept.set(nameOf(key), recording)),
      putStream: (key, recording) => Effect.map(whole(recording), (read) => void kept.set(nameOf(key), read)),
      remove: (key) => Effect.sync(() => void kept.delete(nameOf(key))),
      get: (key) => Effect.sync(() => Option.fromUndefinedOr(kept.get(nameOf(key)))),
      has: (key) => Effect.sync(() => kept.has(nameOf(key)))
    }
  })

  /** Stores recordings with your functions. */
  static readonly layerOf = (store: HostRecordings) =>
    Layer.sync(Recordings, () => {
      OptionNames.checkPlainUnsafe(
        store,
        { put: true, putStream: true, remove: true, get: true, has: true },
        "method"
      )
      return {
        put: (key, recording) => attempt(() => store.put(key, recording)),
        putStream: (key, recording) =>
          store.putStream === undefined
            ? Effect.flatMap(whole(recording), (read) => attempt(() => store.put(key, read)))
            : attempt(async () =>
              store.putStream?.(key, { ...recording, bytes: Stream.toReadableStream(recording.bytes) })
            ),
        remove: (key) => attempt(() => store.remove(key)),
        get: (key) => Effect.map(attempt(() => store.get(key)), Option.fromUndefinedOr),
        has: (key) =>
          attempt(async () =>
            store.has === undefined ? (await store.get(key)) !== undefined : (await store.has(key)) === true
          )
      }
    })
}

/** With all of it in memory. */
const whole = Effect.fnUntraced(function*({ bytes, length, mediaType }: StreamedRecording) {
  const read = new Uint8Array(length)
  let at = 0
  yield* Stream.runForEach(bytes, (piece) =>
    Effect.suspend(() => {
      if (at + piece.length > length) return Effect.fail(wrongLength(length))
      read.set(piece, at)
      at += piece.length
      return Effect.void
    }))
  return at === length ? { mediaType, bytes: read } : yield* wrongLength(length)
})

const wrongLength = (length: number) =>
  new RecordingError({ cause: new Error(`The recording does not have the ${length} bytes that it should have`) })

const attempt = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({ try: async () => run(), catch: (cause) => new RecordingError({ cause }) })
