/** Opens the storage that was asked for, with its migrations run. */
import type { Storage } from "@outdial/core"
import { Migrations, Pglite, Postgres, SqlStorage } from "@outdial/sql"
import { Layer, type Redacted } from "effect"

export type Place =
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted }
  | { readonly _tag: "Folder"; readonly path: string }
  | { readonly _tag: "Memory" }

/** The storage at a place. A folder is made when it is not there, and belongs to one process at a time. */
export const layer = (place: Place): Layer.Layer<Storage.Storage, unknown> =>
  SqlStorage.layer.pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(
      place._tag === "Postgres"
        ? Postgres.layer({ url: place.url })
        : Pglite.layer({ dataDir: place._tag === "Folder" ? place.path : undefined })
    )
  )
