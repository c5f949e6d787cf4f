/**
 * Files in which recordings grow while their calls last. They have no name: the operating system removes them when the process ends, however
 * it ends.
 */
import { mkdir, open, unlink } from "node:fs/promises"
import { join } from "node:path"
import { Recordings, RecordingSpool } from "@outdial/core"
import { Effect, Layer, Random, Stream } from "effect"

/** Only the server's user may read recordings. */
const [privateFile, privateFolder] = [0o600, 0o700]

const closeTimeout = "5 seconds"

/** How much is read at once. */
const pieceBytes = 256 * 1024

/** In the folder `.spool` of this one, which is created when it is needed. */
export const layer = (options: { readonly directory: string }): Layer.Layer<never> =>
  Layer.succeed(RecordingSpool.RecordingSpool, {
    open: Effect.gen(function*() {
      const name = `spool-${(yield* Random.nextIntBetween(0, 2 ** 48)).toString(36)}`
      const file = yield* Effect.acquireRelease(
        attempt(async () => {
          const directory = join(options.directory, ".spool")
          await mkdir(directory, { recursive: true, mode: privateFolder })
          const path = join(directory, name)
          const file = await open(path, "wx+", privateFile)
          await unlink(path)
          return file
        }),
        // A disk that does not answer must not hold up the end of the call.
        (file) => Effect.timeoutOption(Effect.interruptible(Effect.promise(() => file.close())), closeTimeout)
      )
      let length = 0
      return {
        append: (bytes: Uint8Array) =>
          attempt(async () => {
            for (let at = 0; at < bytes.length;) {
              const { bytesWritten } = await file.write(bytes, at, bytes.length - at, length)
              at += bytesWritten
              length += bytesWritten
            }
          }),
        bytes: Stream.unfold(0, (at) =>
          attempt(async () => {
            const { buffer, bytesRead } = await file.read(new Uint8Array(pieceBytes), 0, pieceBytes, at)
            return bytesRead === 0 ? undefined : [buffer.subarray(0, bytesRead), at + bytesRead] as const
          }))
      }
    })
  })

const attempt = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new Recordings.RecordingError({ cause }) })
