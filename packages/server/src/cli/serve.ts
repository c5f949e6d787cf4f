/** `outdial serve`: the standalone server, configured by its environment. Several may run on one Postgres. */
import { Engine, SimulatedTelephony, TimeZones, WebhookSecrets } from "@outdial/core"
import { Routes } from "@outdial/http"
import { FileRecordings, GatedTransport } from "@outdial/node"
import { Console, Effect, Layer, Option, Path } from "effect"
import { Command } from "effect/cli"
import { HttpServer } from "effect/http"
import * as Config from "../Config.ts"
import * as EngineStack from "../EngineStack.ts"
import * as HttpListener from "../HttpListener.ts"
import * as Admin from "./Admin.ts"
import * as SecretKeys from "./SecretKeys.ts"

export const serve = Command.make(
  "serve",
  {},
  Effect.fnUntraced(function*() {
    const config = yield* Admin.readable(Config.serve)
    const secretKeys = yield* SecretKeys.required(config.secretKeys)
    const place = yield* Admin.place
    const paths = yield* Path.Path
    const publicUrl = Option.getOrElse(config.publicUrl, () => `http://localhost:${config.port}`).replace(/\/+$/, "")
    const engine = EngineStack.layer({
      place,
      publicUrl,
      signingKey: secretKeys.key,
      secretKeys,
      telephony: SimulatedTelephony.layer(),
      recordings: FileRecordings.layer({
        directory: paths.join(Option.getOrElse(config.store.data, () => ".outdial"), "recordings")
      }),
      transport: GatedTransport.layer({ allow: config.webhookAllow, loopback: false })
    })
    return yield* Effect.scoped(run(publicUrl, config.webhookAllow)).pipe(
      Effect.provide(Layer.merge(engine, HttpListener.layer({ host: "::", port: config.port })))
    )
  })
).pipe(Command.withDescription("Run the server; see the environment variables in the configuration reference"))

const run = Effect.fnUntraced(function*(publicUrl: string, webhookAllow: ReadonlyArray<string>) {
  const secrets = yield* WebhookSecrets.WebhookSecrets
  yield* SecretKeys.explained(secrets.check)
  yield* Routes.serveDiscreetly(yield* Routes.make, (api) => HttpServer.serveEffect(api))
  yield* Effect.logWarning("No carrier is connected: phones are simulated, and none rings")
  if (webhookAllow.length > 0) {
    yield* Effect.logWarning(`Webhooks may also go to ${webhookAllow.join(", ")}, which need not be public`)
  }
  const { tzdata, version } = yield* TimeZones.TimeZones
  yield* Effect.logInfo("Time zones").pipe(Effect.annotateLogs({ tzdata, version }))
  yield* Console.log(`Outdial serves ${publicUrl}`)
  const { run } = yield* Engine.Engine
  return yield* run
})
