/** `outdial migrate` */
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import * as Store from "../config/StorageLayer.ts"
import * as Admin from "./Admin.ts"

export const migrate = Command.make(
  "migrate",
  {},
  Effect.fnUntraced(function*() {
    // Opening the storage migrates it.
    const place = yield* Admin.place
    yield* Effect.scoped(Layer.build(Store.layer(place)))
    yield* Console.log(`${Admin.placeText(place)} is up to date`)
  })
).pipe(Command.withDescription("Migrate the database to this version's schema; safe to repeat"))
