/** Opens the storage that was asked for, with its migrations run, and the wake-ups of those that share it; on a Postgres its clock, too. */
import { type Storage, Wakeups } from "@outdial/core"
import { DatabaseClock, Migrations, Pglite, Postgres, PostgresWakeups, SqlStorage } from "@outdial/sql"
import { Effect, Layer, type Redacted, Schema } from "effect"

export type Place =
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted }
  | { readonly _tag: "Folder"; readonly path: string }
  | { readonly _tag: "Memory" }

/** The database could not be opened. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  cause: Schema.Defect()
}) {
  override get message(): string {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `The database cannot be used (${why}). Is Postgres running, and is DATABASE_URL right?`
  }
}

/** The storage at a place. A folder is made when it is not there, and belongs to one process at a time. */
export const layer = (place: Place): Layer.Layer<Storage.Storage | Wakeups.Wakeups, unknown> => {
  const storage = SqlStorage.layer.pipe(Layer.provide(Migrations.layer))
  return place._tag === "Postgres"
    ? Layer.merge(storage, PostgresWakeups.layer).pipe(
      Layer.provideMerge(DatabaseClock.layer),
      Layer.provide(Postgres.layer({ url: place.url })),
      Layer.catch((cause) => Layer.effectContext(Effect.fail(new DatabaseUnavailable({ cause }))))
    )
    : Layer.merge(storage, Wakeups.Wakeups.layerMemory).pipe(
      Layer.provide(Pglite.layer({ dataDir: place._tag === "Folder" ? place.path : undefined }))
    )
}
