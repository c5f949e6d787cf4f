/**
 * Recordings in a folder: `<account>/<call>/recording.wav`, in files that can be played. Writes are atomic, also after a crash.
 * Several nodes may share the folder.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { OptionNames, Recordings } from "@outdial/core"
import { Effect, FileSystem, Layer, Option, Path, type PlatformError, Result, Stream } from "effect"
import { Base64Url } from "effect/encoding"
import { getuid } from "node:process"
import * as FileSpool from "./FileSpool.ts"

export interface FileRecordingsOptions {
  /** Created if it is missing. If other users can enter it, its mode is set to 0700 and a warning is logged. */
  readonly directory: string
}

const extensions = new Map([
  ["audio/wav", "wav"],
  ["audio/mpeg", "mp3"],
  ["audio/mp4", "m4a"],
  ["audio/ogg", "ogg"],
  ["audio/webm", "webm"],
  ["audio/flac", "flac"]
])

const mediaTypes = new Map(Array.from(extensions, ([mediaType, extension]) => [extension, mediaType]))

/** Only the server's user may read recordings. */
const privateFile = 0o600
const privateFolder = 0o700

/** Stores recordings as files in a folder, in which they also grow while their calls last. */
export const layer = (options: FileRecordingsOptions): Layer.Layer<Recordings.Recordings> =>
  Layer.merge(recordings(options), FileSpool.layer(options))

const recordings = (options: FileRecordingsOptions): Layer.Layer<Recordings.Recordings> =>
  Layer.effect(
    Recordings.Recordings,
    Effect.gen(function*() {
      OptionNames.checkUnsafe(options, { directory: true })
      const files = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      yield* restrictToOwner(options.directory)

      const folderOf = ({ accountId, callId }: Recordings.RecordingKey) =>
        // All ids match; any other name could lead out of the folder.
        [accountId, callId].every((id) => /^[a-z]+_[0-9A-Za-z]{1,100}$/.test(id))
          ? Effect.succeed(path.join(options.directory, accountId, callId))
          : Effect.fail(new Recordings.RecordingError({ cause: "An id cannot be a file name" }))

      /** The recordings in a folder: one, or two when the process ended between the two steps of `put`. */
      const recordingsIn = (folder: string) =>
        Effect.map(files.readDirectory(folder), (names) => names.filter((name) => name.startsWith("recording.")))

      const put = Effect.fnUntraced(
        function*(
          key: Recordings.RecordingKey,
          mediaType: string,
          write: (file: FileSystem.File) => Effect.Effect<void, PlatformError.PlatformError | Recordings.RecordingError>
        ) {
          const folder = yield* folderOf(key)
          const name = `recording.${extensionOf(mediaType)}`
          yield* files.makeDirectory(folder, { recursive: true, mode: privateFolder })
          // On the same file system, so that the rename is atomic.
          const temporary = yield* files.makeTempDirectoryScoped({ directory: folder, prefix: "new-" })
          const written = path.join(temporary, name)
          const file = yield* files.open(written, { flag: "wx", mode: privateFile })
          yield* write(file)
          // Without it a power failure could leave the name without the bytes.
          yield* file.sync
          yield* files.rename(written, path.join(folder, name))
          const others = (yield* recordingsIn(folder)).filter((other) => other !== name)
          yield* Effect.forEach(others, (other) => files.remove(path.join(folder, other), { force: true }))
        },
        Effect.scoped,
        Effect.catchTag("PlatformError", recordingError)
      )

      return Recordings.Recordings.of({
        put: Effect.fn("FileRecordings.put")((key, { bytes, mediaType }) =>
          put(key, mediaType, (file) => file.writeAll(bytes))
        ),

        putStream: Effect.fn("FileRecordings.putStream")((key, { bytes, mediaType }) =>
          put(key, mediaType, (file) => Stream.runForEach(bytes, (piece) => file.writeAll(piece)))
        ),

        remove: Effect.fn("FileRecordings.remove")(
          // Also removes temporary files of an interrupted `put`.
          function*(key) {
            yield* files.remove(yield* folderOf(key), { recursive: true, force: true })
          },
          Effect.catchTag("PlatformError", recordingError)
        ),

        get: Effect.fn("FileRecordings.get")(function*(key) {
          const folder = yield* folderOf(key)
          const [name] = yield* recordingsIn(folder)
          if (name === undefined) return Option.none()
          const bytes = yield* files.readFile(path.join(folder, name))
          return Option.some({ mediaType: mediaTypeOf(name.slice("recording.".length)), bytes })
        }, (self) =>
          Effect.catchTag(self, "PlatformError", (error) =>
            error.reason._tag === "NotFound" ? Effect.succeed(Option.none()) : recordingError(error))),

        has: Effect.fn("FileRecordings.has")(function*(key) {
          return (yield* recordingsIn(yield* folderOf(key))).length > 0
        }, (self) =>
          Effect.catchTag(self, "PlatformError", (error) =>
            error.reason._tag === "NotFound" ? Effect.succeed(false) : recordingError(error)))
      })
    })
  ).pipe(Layer.provide([NodeFileSystem.layer, NodePath.layer]))

/** The mode bits of the group and of others. */
const others = 0o077

/** Restricts the folder to its owner. Logs a warning if that fails, as on a share of another user. Windows has no modes. */
const restrictToOwner = Effect.fnUntraced(function*(directory: string) {
  const files = yield* FileSystem.FileSystem
  const mode = files.stat(directory).pipe(Effect.map((found) => found.mode), Effect.orElseSucceed(() => 0))
  if (getuid === undefined || ((yield* mode) & others) === 0) return
  yield* Effect.ignore(files.chmod(directory, privateFolder))
  yield* ((yield* mode) & others) === 0
    ? Effect.logWarning(`Other users could enter the folder of recordings ${directory}; its mode is 0700 now`)
    : Effect.logWarning(
      `The folder of recordings ${directory} can be entered by other users, and its mode cannot be changed; its owner must do it`
    )
})

const recordingError = (cause: unknown) => Effect.fail(new Recordings.RecordingError({ cause }))

/** A media type without a known extension is encoded in the file name. */
const extensionOf = (mediaType: string) => extensions.get(mediaType) ?? `x-${Base64Url.encode(mediaType)}`

const mediaTypeOf = (extension: string) =>
  mediaTypes.get(extension) ?? Result.match(Base64Url.decodeString(extension.slice("x-".length)), {
    onSuccess: (mediaType) => mediaType,
    onFailure: () => "application/octet-stream"
  })
