/**
 * The data folder of `outdial dev`. What the next start needs is saved in `dev.json`, which only its owner can read. In memory
 * nothing is saved.
 */
import { Ids } from "@outdial/core"
import { appendFileSync } from "node:fs"
import { Context, Effect, FileSystem, Layer, Option, Path, Ref, Schema } from "effect"

/** The contents of `dev.json`. */
export const SavedState = Schema.Struct({
  accountId: Schema.optionalKey(Ids.AccountId),
  agentId: Schema.optionalKey(Ids.AgentId),
  apiKey: Schema.optionalKey(Schema.String),
  /** The address of the latest start. */
  url: Schema.optionalKey(Schema.String),
  /** Seals webhook secrets, and signs links to recordings. */
  secretKey: Schema.optionalKey(Schema.String),
  /** Earlier addresses of the inbox, to distinguish them from an address that the user set. */
  inboxUrls: Schema.optionalKey(Schema.Array(Schema.String))
})
export type SavedState = typeof SavedState.Type

const decodeState = Schema.decodeUnknownEffect(Schema.fromJsonString(SavedState))

/** The state that a start has saved in the folder, for other commands. */
export const readState = Effect.fnUntraced(function*(path: string) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  return yield* Effect.option(Effect.flatMap(files.readFileString(paths.join(path, "dev.json")), decodeState))
})

export class DevFolder extends Context.Service<DevFolder, {
  /** `undefined` in memory. */
  readonly path: string | undefined
  /** The state that the start has read. */
  readonly saved: SavedState
  /** Merges these into the saved state. */
  readonly save: (more: SavedState) => Effect.Effect<void>
  /** Appends a line to a file of the folder; in memory the line is dropped. */
  readonly append: (file: string, line: string) => Effect.Effect<void>
  /** The lines of a file of the folder; none when there is no such file. */
  readonly lines: (file: string) => Effect.Effect<ReadonlyArray<string>>
  /** Rewrites a file of the folder. */
  readonly rewrite: (file: string, lines: ReadonlyArray<string>) => Effect.Effect<void>
}>()("@outdial/server/dev/DevFolder") {
  static readonly layerMemory = Layer.succeed(DevFolder, {
    path: undefined,
    saved: {},
    save: () => Effect.void,
    append: () => Effect.void,
    lines: () => Effect.succeed([]),
    rewrite: () => Effect.void
  })

  static readonly layer = (path: string) =>
    Layer.effect(
      DevFolder,
      Effect.gen(function*() {
        const files = yield* FileSystem.FileSystem
        const paths = yield* Path.Path
        yield* files.makeDirectory(path, { recursive: true, mode: 0o700 })
        const at = (file: string) => paths.join(path, file)

        const rewrite = Effect.fnUntraced(function*(file: string, lines: ReadonlyArray<string>, mode: number) {
          // Renaming is atomic: a reader finds the old file or the new one.
          const draft = at(`${file}.new`)
          // A file that a killed process left would keep its mode.
          yield* files.remove(draft, { force: true })
          yield* files.writeFileString(draft, lines.map((line) => `${line}\n`).join(""), { mode })
          yield* files.rename(draft, at(file))
        }, Effect.orDie)

        const read = (file: string) => Effect.option(files.readFileString(at(file)))
        const text = yield* read("dev.json")
        const saved = Option.isNone(text) ? {} : yield* decodeState(text.value).pipe(
          // Only the API key is lost, and a new one is created.
          Effect.catch((error) =>
            Effect.as(Effect.logWarning(`${at("dev.json")} cannot be read and is replaced`, error), {})
          )
        )
        const current = yield* Ref.make<SavedState>(saved)
        return DevFolder.of({
          path,
          saved,
          save: Effect.fnUntraced(function*(more) {
            const all = yield* Ref.updateAndGet(current, (before) => ({ ...before, ...more }))
            yield* rewrite("dev.json", [JSON.stringify(all, null, 2)], 0o600)
          }),
          append: (file, line) =>
            // One synchronous write: a killed process has written the whole line or nothing.
            Effect.sync(() => appendFileSync(at(file), `${line}\n`, { mode: 0o600 })),
          lines: (file) =>
            Effect.map(
              read(file),
              Option.match({
                onNone: () => [],
                onSome: (content) => content.split("\n").filter((line) => line !== "")
              })
            ),
          rewrite: (file, lines) => rewrite(file, lines, 0o600)
        })
      })
    )
}
