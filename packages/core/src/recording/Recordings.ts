/**
 * Port: stores the audio of calls. A stored recording exists until it is removed. The engine makes the links to it
 * (`RecordingLinks`).
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
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

export interface RecordingKey {
  readonly accountId: AccountId
  readonly callId: CallId
}

/** A store of recordings made of functions that return promises. */
export interface HostRecordings {
  /** Stores a recording; replaces the one of the same key. */
  readonly put: (key: RecordingKey, recording: Recording) => Promise<void>
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
      remove: (key) => Effect.sync(() => void kept.delete(nameOf(key))),
      get: (key) => Effect.sync(() => Option.fromUndefinedOr(kept.get(nameOf(key)))),
      has: (key) => Effect.sync(() => kept.has(nameOf(key)))
    }
  })

  /** Stores recordings with your functions. */
  static readonly layerOf = (store: HostRecordings) =>
    Layer.sync(Recordings, () => {
      OptionNames.checkPlainUnsafe(store, { put: true, remove: true, get: true, has: true }, "method")
      return {
        put: (key, recording) => attempt(() => store.put(key, recording)),
        remove: (key) => attempt(() => store.remove(key)),
        get: (key) => Effect.map(attempt(() => store.get(key)), Option.fromUndefinedOr),
        has: (key) =>
          attempt(async () =>
            store.has === undefined ? (await store.get(key)) !== undefined : (await store.has(key)) === true
          )
      }
    })
}

const attempt = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({ try: async () => run(), catch: (cause) => new RecordingError({ cause }) })
