/**
 * Where the sound of a call grows while it lasts, so that the memory it takes does not depend on its length. It is gone with the process: a
 * recording exists once it is in `Recordings`.
 */
import { Context, Effect, type Scope, Stream } from "effect"
import type { RecordingError } from "./Recordings.ts"

export interface SpoolFile {
  readonly append: (bytes: Uint8Array) => Effect.Effect<void, RecordingError>
  /** All that was appended, from the beginning. */
  readonly bytes: Stream.Stream<Uint8Array, RecordingError>
}

export interface RecordingSpool {
  /** An empty file, which is gone with the scope. */
  readonly open: Effect.Effect<SpoolFile, RecordingError, Scope.Scope>
}

/** Default: memory. `FileRecordings.layer` of `@outdial/node` brings one in its folder. */
export const RecordingSpool = Context.Reference<RecordingSpool>("@outdial/core/recording/RecordingSpool", {
  defaultValue: () => ({
    open: Effect.sync(() => {
      const pieces: Array<Uint8Array> = []
      return {
        append: (bytes) => Effect.sync(() => void pieces.push(bytes.slice())),
        bytes: Stream.suspend(() => Stream.fromIterable(pieces))
      }
    })
  })
})
