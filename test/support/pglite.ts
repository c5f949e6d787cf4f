/** A PGlite database of its own with Outdial's schema, in a folder that is gone with the scope; it opens in no time. */
import { Migrations, Pglite } from "@outdial/sql"
import { Effect, Layer } from "effect"
import * as DevProcess from "./DevProcess.ts"

/** The client of a new database. */
export const layer = Layer.provideMerge(
  Migrations.layer,
  Layer.unwrap(Effect.map(DevProcess.folderWithDatabase, (dataDir) => Pglite.layer({ dataDir })))
)
