/** One node: the server's own engine and interface, with a clock that is wrong, the carrier over HTTP, and faults at its seams. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Engine, Recordings } from "@outdial/core"
import { Routes } from "@outdial/http"
import { GatedTransport } from "@outdial/node"
import { EngineLayer } from "@outdial/server"
import { Clock, Effect, Layer, Logger, Redacted, Tracer } from "effect"
import { HttpServer } from "effect/http"
import { createServer } from "node:http"
import * as CarrierTelephony from "./CarrierTelephony.ts"
import * as SeededRandom from "./SeededRandom.ts"
import * as FaultPoints from "./FaultPoints.ts"
import * as RunSettings from "./Fixture.ts"
import * as Tenants from "./Tenants.ts"
import * as Timeline from "./Timeline.ts"

const settings = RunSettings.read()
const { carrierPort, databaseUrl, life, name, nodes, receiverPort, seed, timeline } = settings
const node = nodes.find((node) => node.name === name) ?? (() => {
  throw new Error(`There is no node ${name}`)
})()

const engine = EngineLayer.layer({
  ...Tenants.keys,
  location: { _tag: "Postgres", url: Redacted.make(databaseUrl) },
  telephony: CarrierTelephony.layer({ timeline, node: name, carrierPort, callbackPort: node.callbackPort }),
  recordings: Recordings.Recordings.layerMemory,
  transport: GatedTransport.layer({ allow: [`127.0.0.1:${receiverPort}`] })
})

const program = Effect.gen(function*() {
  yield* Routes.serveWithRedactedUrl(yield* Routes.make, (api) => HttpServer.serveEffect(api))
  RunSettings.ready()
  const { run } = yield* Engine.Engine
  return yield* run
}).pipe(
  Effect.scoped,
  Effect.provide(
    Layer.merge(engine, NodeHttpServer.layer(() => createServer(), { host: "127.0.0.1", port: node.port })).pipe(
      Layer.provideMerge([NodeServices.layer, Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])])
    )
  ),
  Effect.provideService(Clock.Clock, Timeline.clock(timeline, node.skew)),
  Effect.provideService(
    Tracer.Tracer,
    FaultPoints.tracer(SeededRandom.make(seed, `${name} ${life}`), () => RunSettings.isCalm(settings))
  )
)

NodeRuntime.runMain(program)
