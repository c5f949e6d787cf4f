/**
 * The data folder of `outdial dev`: what must be the same on the next start stands in `dev.json`, readable by its owner
 * alone. In memory nothing is kept.
 */
import { Ids } from "@outdial/core"
import { appendFileSync } from "node:fs"
import { Context, Effect, FileSystem, Layer, Option, Path, Ref, Schema } from "effect"

/** What a folder keeps beside its database. */
export const SavedState = Schema.Struct({
  accountId: Schema.optionalKey(Ids.AccountId),
  agentId: Schema.optionalKey(Ids.AgentId),
  apiKey: Schema.optionalKey(Schema.String),
  /** Seals webhook secrets, and signs links to recordings. */
  secretKey: Schema.optionalKey(Schema.String),
  /** Where inboxes have been, to tell them from an address that the user set. */
  inboxUrls: Schema.optionalKey(Schema.Array(Schema.String))
})
export type SavedState = typeof SavedState.Type

const decodeState = Schema.decodeUnknownEffect(Schema.fromJsonString(SavedState))

export class DevFolder extends Context.Service<DevFolder, {
  /** `undefined` in memory. */
  readonly path: string | undefined
  /** What the start found. */
  readonly saved: SavedState
  /** Keeps these beside what is kept already. */
  readonly save: (more: SavedState) => Effect.Effect<void>
  /** Appends a line to a file of the folder; in memory it goes nowhere. */
  readonly append: (file: string, line: string) => Effect.Effect<void>
  /** The lines of a file of the folder; none when there is no such file. */
  readonly lines: (file: string) => Effect.Effect<ReadonlyArray<string>>
  /** Writes a file of the folder anew. */
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
          // Renaming is atomic: whoever reads finds the old file or the new one.
          const draft = at(`${file}.new`)
          // One that a killed process left would keep its mode.
          yield* files.remove(draft, { force: true })
          yield* files.writeFileString(draft, lines.map((line) => `${line}\n`).join(""), { mode })
          yield* files.rename(draft, at(file))
        }, Effect.orDie)

        const read = (file: string) => Effect.option(files.readFileString(at(file)))
        const text = yield* read("dev.json")
        const saved = Option.isNone(text) ? {} : yield* decodeState(text.value).pipe(
          // A key that cannot be read is made anew, which is all that is lost.
          Effect.catch((error) =>
            Effect.as(Effect.logWarning(`${at("dev.json")} cannot be read and is made anew`, error), {})
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
            // In one synchronous write, so that a process that is killed has written all of the line or nothing.
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
