/** `outdial serve`: the standalone server, configured by its environment. Several may run on one Postgres. */
import { AgentPorts, Engine, KeyRotation, TimeZones } from "@outdial/core"
import { Console as OutdialConsole } from "@outdial/console"
import { Routes } from "@outdial/http"
import { FileRecordings, GatedTransport } from "@outdial/node"
import { type Config as EffectConfig, Console, Context, Effect, Layer, Option, Path, Scope } from "effect"
import { Command } from "effect/cli"
import type { IncomingMessage } from "node:http"
import * as Config from "../config/Config.ts"
import * as ConfiguredCarrier from "./ConfiguredCarrier.ts"
import * as ConsoleLink from "./ConsoleLink.ts"
import * as GracefulShutdown from "./GracefulShutdown.ts"
import * as EngineLayer from "./EngineLayer.ts"
import * as HttpListener from "./HttpListener.ts"
import * as Logging from "../observe/Logging.ts"
import * as MetricsRoute from "./MetricsRoute.ts"
import { Signals } from "./Signals.ts"
import * as Tracing from "../observe/Tracing.ts"
import { version } from "./Version.ts"
import * as WorkerRoutes from "./WorkerRoutes.ts"
import * as Admin from "../cli/Admin.ts"
import * as ConfigModule from "../cli/ConfigModule.ts"
import * as ConfiguredModel from "../cli/ConfiguredModel.ts"
import * as ConfiguredVoice from "../cli/ConfiguredVoice.ts"
import type { ServerConfig } from "../config/ServerConfig.ts"
import * as SecretKeys from "../config/SecretKeys.ts"
import { UsageError } from "../config/UsageError.ts"

type ServeConfig = EffectConfig.Success<typeof Config.serve>

export const serve = Command.make(
  "serve",
  { config: ConfigModule.flag },
  Effect.fnUntraced(function*({ config: file }) {
    const config = yield* Admin.readable(Config.serve)
    const secretKeys = yield* SecretKeys.required(config.secretKeys)
    const location = yield* Admin.location
    if (config.role !== "all" && location._tag !== "Postgres") {
      return yield* new UsageError({
        message:
          `OUTDIAL_ROLE=${config.role} needs DATABASE_URL: a data folder belongs to one process, which must have the role all`
      })
    }
    const paths = yield* Path.Path
    const module = yield* ConfigModule.load(file)
    const { recordings, tools } = module
    const model = yield* ConfiguredModel.read
    const voiceAgent = yield* ConfiguredVoice.voiceAgent(module)
    yield* ConfiguredVoice.check(config, { voiceAgent, isOfModule: module.voiceAgent !== undefined })
    const publicUrl = Config.rootUrl(config)
    const textAgent = yield* ConfiguredModel.textAgent(module, model)
    const outcomes = ConfiguredModel.outcomes(module, model)
    const engine = EngineLayer.layer({
      location,
      publicUrl,
      secretKeys,
      telephony: yield* ConfiguredCarrier.telephonyOf(module, config),
      textAgent,
      voiceAgent,
      tools,
      outcomes,
      recordings: recordings === undefined
        ? FileRecordings.layer({ directory: Config.recordingsIn(config.store.data, paths) })
        : ConfigModule.part("recordings", recordings),
      transport: GatedTransport.layer({ allow: config.webhookAllow, loopback: false })
    })
    const isTerminal = process.stderr.isTTY === true
    return yield* Effect.scoped(run(publicUrl, config, module, model)).pipe(
      Effect.provideService(AgentPorts.AgentPorts, { textAgent, tools, outcomes }),
      Effect.provide(
        engine.pipe(
          Layer.provideMerge(Tracing.layer(config.traces, { version })),
          Layer.provideMerge(Logging.layer(config.logs, { isTerminal }))
        )
      )
    )
  })
).pipe(Command.withDescription("Run the server; the configuration reference lists its environment variables"))

const host = "::"

/** Serves until the scope closes. */
const listen = Effect.fnUntraced(function*(
  listening: Scope.Scope,
  options: Omit<HttpListener.Options, "host">,
  httpEffect: Routes.HttpEffect
) {
  const server = yield* Layer.buildWithScope(HttpListener.layer({ host, ...options }), listening)
  yield* Effect.provideContext(HttpListener.serve(httpEffect), Context.add(server, Scope.Scope, listening))
})

const run = Effect.fnUntraced(
  function*(
    publicUrl: string,
    { carriers, console, draining, metrics, port, role, store, webhookAllow }: ServeConfig,
    {
      outcomes: _,
      recordings: __,
      telephony: ___,
      textAgent: ____,
      tools: _____,
      voiceAgent: ______,
      ...access
    }: ServerConfig,
    model: Option.Option<ConfiguredModel.ConfiguredModel>
  ) {
    const secrets = yield* KeyRotation.KeyRotation
    yield* SecretKeys.explained(secrets.check)
    const listening = yield* Scope.make()
    yield* Effect.addFinalizer((exit) => Scope.close(listening, exit))
    const whole = access.authenticate === undefined
      ? yield* Routes.make
      : yield* ConfigModule.accessExplained(Routes.makeAt<IncomingMessage>(access))
    const hasConsole = console === "on" && role !== "worker"
    const api = role === "worker"
      ? WorkerRoutes.make(whole)
      : hasConsole
      ? ConsoleLink.beside(whole, yield* OutdialConsole.effect({ publicUrl }))
      : whole
    const isBeside = Option.isNone(metrics.port) && Option.isSome(metrics.token)
    const shutdownTimeout = draining.bound
    yield* listen(listening, { port, shutdownTimeout }, isBeside ? yield* MetricsRoute.make(metrics.token, api) : api)
    if (Option.isSome(metrics.port)) {
      yield* listen(
        listening,
        { port: metrics.port.value, shutdownTimeout, variable: "OUTDIAL_METRICS_PORT" },
        yield* MetricsRoute.make(metrics.token, MetricsRoute.onlyMetrics)
      )
    }
    if (carriers.includes("simulated") && role !== "api") {
      yield* Effect.logWarning("OUTDIAL_CARRIER=simulated: phones are simulated and no phone rings")
    }
    if (Option.isSome(model)) {
      yield* Effect.logInfo(`The language model ${model.value.name} talks with the contacts and makes the outcomes`)
    }
    if (webhookAllow.length > 0) {
      yield* Effect.logWarning(`Webhooks may also go to ${webhookAllow.join(", ")}, which may be private addresses`)
    }
    const { tzdata, version } = yield* TimeZones.TimeZones
    yield* Effect.logInfo("Time zones").pipe(Effect.annotateLogs({ tzdata, version }))
    yield* Console.log(role === "worker" ? "Outdial dials and delivers" : `Outdial serves ${publicUrl}`)
    if (hasConsole && Option.isNone(store.databaseUrl) && Option.isSome(store.data)) {
      yield* ConsoleLink.announce(publicUrl, {
        folder: store.data.value,
        isTerminal: process.stdout.isTTY === true
      })
    }
    const engine = yield* Engine.Engine
    const loops = yield* Effect.forkScoped(role === "api" ? Effect.never : engine.run)
    yield* yield* Signals
    const isDone = yield* GracefulShutdown.drain({ ...draining, loops, listening })
    // Work in flight would delay the exit.
    if (!isDone) yield* Effect.sync((): void => process.exit(0))
  }
)
