/** `outdial migrate` */
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import * as StorageLayer from "../config/StorageLayer.ts"
import * as Admin from "./Admin.ts"

export const migrate = Command.make(
  "migrate",
  {},
  Effect.fnUntraced(function*() {
    // Opening the storage migrates it.
    const location = yield* Admin.location
    yield* Effect.scoped(Layer.build(StorageLayer.layer(location)))
    yield* Console.log(`${Admin.locationText(location)} is up to date`)
  })
).pipe(Command.withDescription("Migrate the database to this version's schema; safe to repeat"))
