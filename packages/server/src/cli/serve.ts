/** `outdial serve`: the standalone server, configured by its environment. Several may run on one Postgres. */
import { Engine, Recordings } from "@outdial/core"
import { Routes } from "@outdial/http"
import { FileRecordings, GatedTransport } from "@outdial/node"
import { Console, Effect, Layer, Option, Path } from "effect"
import { Command } from "effect/cli"
import { HttpServer } from "effect/http"
import * as Config from "../Config.ts"
import * as EngineStack from "../EngineStack.ts"
import * as HttpListener from "../HttpListener.ts"
import * as Admin from "./Admin.ts"

export const serve = Command.make(
  "serve",
  {},
  Effect.fnUntraced(function*() {
    const config = yield* Config.serve.pipe(
      Effect.catchTag("ConfigError", (error) => new Admin.UsageError({ message: error.message }))
    )
    const place = yield* Admin.place
    const paths = yield* Path.Path
    const publicUrl = Option.getOrElse(config.publicUrl, () => `http://localhost:${config.port}`).replace(/\/+$/, "")
    const engine = EngineStack.layer({
      place,
      publicUrl,
      signingKey: config.secretKey,
      simulator: {},
      recordings: place._tag === "Folder"
        ? FileRecordings.layer({ directory: paths.join(place.path, "recordings") })
        : Recordings.Recordings.layerMemory,
      transport: GatedTransport.layer({ allow: config.webhookAllow, loopback: false })
    })
    return yield* Effect.scoped(run(publicUrl)).pipe(
      Effect.provide(Layer.merge(engine, HttpListener.layer({ host: "::", port: config.port })))
    )
  })
).pipe(Command.withDescription("Run the server; see the environment variables in the configuration reference"))

const run = Effect.fnUntraced(function*(publicUrl: string) {
  yield* HttpServer.serveEffect(yield* Routes.make)
  yield* Effect.logWarning("No carrier is connected: phones are simulated, and none rings")
  yield* Console.log(`Outdial serves ${publicUrl}`)
  const { run } = yield* Engine.Engine
  return yield* run
})
