/**
 * `outdial dev`: everything in one process, with an embedded database, a simulated or a fake carrier and an inbox for the events.
 * Prints every event.
 */
import { AgentPorts, Engine, Recordings, SimulatedTelephony, TimeZones } from "@outdial/core"
import { Console as OutdialConsole } from "@outdial/console"
import { Routes } from "@outdial/http"
import { FileRecordings, GatedTransport } from "@outdial/node"
import { Config, Console, Effect, Layer, Option, Path, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { HttpServerRequest } from "effect/http"
import * as CarrierJournal from "./CarrierJournal.ts"
import * as FakeCarrier from "./FakeCarrier.ts"
import * as SeedAccount from "./SeedAccount.ts"
import { DevFolder } from "./DevFolder.ts"
import * as Inbox from "./Inbox.ts"
import * as SpokenLines from "./SpokenLines.ts"
import * as Welcome from "./Welcome.ts"
import * as ConfiguredModel from "../cli/ConfiguredModel.ts"
import { UsageError } from "../config/UsageError.ts"
import * as EngineLayer from "../serve/EngineLayer.ts"
import * as ConsoleLink from "../serve/ConsoleLink.ts"
import * as HttpListener from "../serve/HttpListener.ts"

/** Only this machine can reach it: it prints an API key. */
const host = "127.0.0.1"

const flags = {
  carrier: Flag.Literals("carrier", ["simulated", ...FakeCarrier.names]).pipe(
    Flag.withDescription("simulated, or a fake carrier in this process, over HTTP and WebSockets"),
    Flag.withDefault("simulated" as const)
  ),
  data: Flag.String("data").pipe(
    Flag.withDescription(
      "Folder for all data, .outdial by default; :memory: stores nothing on disk, as always with a fake carrier"
    ),
    Flag.optional
  ),
  port: Flag.Int("port").pipe(
    Flag.withDescription("Port to listen on; 0 chooses a free one"),
    Flag.withFallbackConfig(Config.Int("PORT")),
    Flag.withDefault(4010),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 })))
  ),
  speed: Flag.Finite("speed").pipe(
    Flag.withDescription("How many times faster than real time simulated phones ring and people talk"),
    Flag.withDefault(1),
    Flag.withSchema(Schema.Finite.check(Schema.isGreaterThan(0)))
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one line of JSON when ready, and nothing else, on standard output"),
    Flag.withDefault(false)
  )
}

export const dev = Command.make(
  "dev",
  flags,
  Effect.fnUntraced(function*({ carrier, data: given, json, port, speed }) {
    // It forgets its calls with the process.
    if (carrier !== "simulated" && Option.exists(given, (data) => data !== ":memory:")) {
      return yield* new UsageError({
        message: `--carrier ${carrier} needs --data :memory:, because it forgets its calls`
      })
    }
    const data = Option.getOrElse(given, () => carrier === "simulated" ? ".outdial" : ":memory:")
    const folder = data === ":memory:"
      ? DevFolder.layerMemory
      : DevFolder.layer((yield* Path.Path).resolve(data))
    const parts = Layer.merge(folder, HttpListener.layer({ host, port }))
    const options = { carrier, json, speed, model: yield* ConfiguredModel.read }
    // On a disk, or a busy machine, it takes seconds until there is an address to show.
    yield* Console.error("Preparing the database …")
    return yield* Effect.scoped(run(options)).pipe(Effect.provide(engine(options).pipe(Layer.provideMerge(parts))))
  })
).pipe(Command.withDescription("Try Outdial: embedded database, simulated phones, no account needed"))

const url = Effect.map(HttpListener.port, (port) => `http://${host}:${port}`)

interface Options {
  readonly carrier: "simulated" | FakeCarrier.Name
  readonly json: boolean
  readonly speed: number
  readonly model: Option.Option<ConfiguredModel.ConfiguredModel>
}

/** Shows what happens to calls. Standard output is for the program that reads the JSON. */
const show = ({ json }: Pick<Options, "json">) => (line: string) => json ? Console.error(line) : Console.log(line)

/** The engine on the folder. */
const engine = (options: Options) =>
  Layer.unwrap(Effect.gen(function*() {
    const folder = yield* DevFolder
    const paths = yield* Path.Path
    const random = yield* SecureRandom.SecureRandom
    const secretKey = folder.saved.secretKey ?? Base64.encode(yield* random.randomBytes(32))
    const stack = EngineLayer.layer({
      location: folder.path === undefined ? { _tag: "Memory" } : { _tag: "Folder", path: folder.path },
      publicUrl: yield* url,
      secretKeys: { key: Redacted.make(secretKey) },
      textAgent: yield* ConfiguredModel.textAgent({}, options.model),
      outcomes: ConfiguredModel.outcomes({}, options.model),
      telephony: options.carrier === "simulated"
        ? SimulatedTelephony.layer({ speed: options.speed, ...(yield* CarrierJournal.make) })
        : yield* FakeCarrier.telephony(options.carrier, { publicUrl: yield* url, speed: options.speed }),
      onEntry: (held, entry) => Effect.forEach(SpokenLines.of(held, entry), show(options), { discard: true }),
      recordings: folder.path === undefined
        ? Recordings.Recordings.layerMemory
        : FileRecordings.layer({ directory: paths.join(folder.path, "recordings") }),
      transport: GatedTransport.layer({ allow: [], loopback: true })
    })
    // Saved once the stack is up and holds the lock of the folder: only one process may write there.
    return Layer.provideMerge(Layer.effectDiscard(folder.save({ secretKey })), stack)
  })).pipe(Layer.provide(SecureRandom.layerWebCrypto))

/** Serves and runs the loops until it is interrupted. */
const run = Effect.fnUntraced(function*(options: Options) {
  const { carrier, json, speed } = options
  const address = yield* url
  const folder = yield* DevFolder
  const seedAccount = yield* SeedAccount.ensure(address + Inbox.path)
  yield* folder.save({ url: address })
  const inbox = yield* Inbox.make(seedAccount.account.id, show(options))
  const console = yield* OutdialConsole.effect({ publicUrl: address }).pipe(
    Effect.provideService(AgentPorts.AgentPorts, {
      textAgent: yield* ConfiguredModel.textAgent({}, options.model),
      outcomes: ConfiguredModel.outcomes({}, options.model)
    })
  )
  const api = ConsoleLink.beside(yield* Routes.make, console)
  const all = Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) => Inbox.isFor(request) ? inbox : api
  )
  yield* HttpListener.serve(all)
  const { tzdata, version } = yield* TimeZones.TimeZones
  if (json) yield* Effect.logInfo("Time zones").pipe(Effect.annotateLogs({ tzdata, version }))
  const link = { role: "admin", name: "you" } as const
  const { url: consoleUrl } = yield* ConsoleLink.make(address, { actor: "outdial dev", link })
  const ready = { ...seedAccount, consoleUrl, carrier, url: address, folder: folder.path, speed, tzdata }
  yield* Console.log(json ? Welcome.json(ready) : Welcome.text(ready))
  const { run } = yield* Engine.Engine
  return yield* run
})
