/** `outdial migrate` */
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import * as Store from "../Store.ts"
import * as Admin from "./Admin.ts"

export const migrate = Command.make(
  "migrate",
  {},
  Effect.fnUntraced(function*() {
    // Opening the storage migrates it.
    yield* Effect.scoped(Layer.build(Store.layer(yield* Admin.place)))
    yield* Console.log("The database is up to date")
  })
).pipe(Command.withDescription("Bring the database to this version's schema; safe to repeat"))
