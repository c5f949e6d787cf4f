/**
 * `outdial demo`: a campaign on an embedded database, a simulated carrier and a receiver of its own, on a clock that runs fast, with
 * calling hours as every new account has them.
 */
import { Engine, Recordings, SimulatedTelephony } from "@outdial/core"
import { verifyWebhook } from "@outdial/core/webhooks"
import { GatedTransport } from "@outdial/node"
import { Clock, Console, DateTime, Duration, Effect, Layer, Logger, Redacted, Schema, Terminal } from "effect"
import { Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Campaign from "./Campaign.ts"
import * as FastClock from "./FastClock.ts"
import * as Progress from "./Progress.ts"
import * as View from "./View.ts"
import * as EngineLayer from "../serve/EngineLayer.ts"
import * as HttpListener from "../serve/HttpListener.ts"

/** Only this machine can reach it. */
const host = "127.0.0.1"

/** The campaign broke a guarantee. */
export class DemoFailed extends Schema.TaggedError<DemoFailed>()("DemoFailed", {
  faults: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The campaign broke a guarantee: ${this.faults.join("; ")}`
  }
}

export const demo = Command.make(
  "demo",
  {
    speed: Flag.Finite("speed").pipe(
      Flag.withDescription("How many times faster than real time the clock runs"),
      Flag.withDefault(60),
      Flag.withSchema(Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 120 })))
    )
  },
  ({ speed }) => {
    const rings: Array<SimulatedTelephony.Ring> = []
    const services = engine((ring) => Effect.sync(() => rings.push(ring))).pipe(
      Layer.provideMerge(HttpListener.layer({ host, port: 0 })),
      Layer.provideMerge(FastClock.layer({ start: Campaign.start, speed })),
      // The campaign has carrier failures on purpose. Their log lines would break the live table.
      Layer.provideMerge(Logger.layer([]))
    )
    return Effect.scoped(run(rings, speed)).pipe(Effect.provide(services))
  }
).pipe(Command.withDescription("Watch a campaign of 300 simulated callees in three cities; takes about two minutes"))

const engine = (onRing: (ring: SimulatedTelephony.Ring) => Effect.Effect<unknown>) =>
  Layer.unwrap(Effect.gen(function*() {
    const random = yield* SecureRandom.SecureRandom
    return EngineLayer.layer({
      location: { _tag: "Memory" },
      publicUrl: `http://${host}`,
      secretKeys: { key: Redacted.make(Base64.encode(yield* random.randomBytes(32))) },
      telephony: SimulatedTelephony.layer({ onRing: (ring) => Effect.asVoid(onRing(ring)) }),
      recordings: Recordings.Recordings.layerMemory,
      transport: GatedTransport.layer({ allow: [], loopback: true })
    })
  })).pipe(Layer.provide(SecureRandom.layerWebCrypto))

/** The clinic's own receiver: verifies each event and counts repeated ones. */
const makeReceiver = Effect.sync(() => {
  const seen = new Set<string>()
  const counts = { received: 0, repeated: 0, refused: 0 }
  const receive = (secret: string) =>
    Effect.gen(function*() {
      const { headers, text } = yield* HttpServerRequest.HttpServerRequest
      const body = yield* text
      const now = yield* Clock.currentTimeMillis
      const event = yield* Effect.tryPromise(() => verifyWebhook({ body, headers, secret, now }))
      counts[seen.has(event.id) ? "repeated" : "received"] += 1
      seen.add(event.id)
      return HttpServerResponse.empty()
    }).pipe(Effect.catch(() => {
      counts.refused += 1
      return Effect.succeed(HttpServerResponse.empty({ status: 400 }))
    }))
  return { receive, counts: () => ({ ...counts }) }
})

const run = Effect.fnUntraced(function*(rings: ReadonlyArray<SimulatedTelephony.Ring>, speed: number) {
  const terminal = yield* Terminal.Terminal
  const isTerminal = process.stdout.isTTY
  const receiver = yield* makeReceiver
  const campaign = yield* Campaign.begin(`http://${host}:${yield* HttpListener.port}/events`)
  yield* HttpServer.serveEffect(receiver.receive(campaign.webhookSecret))
  yield* Console.log(`A Tuesday in three cities, ${speed} times faster than life. No real phone rings.\n`)
  const { run: work } = yield* Engine.Engine
  yield* Effect.forkScoped(work)

  const startedAt = yield* Clock.monotonicTimeNanos
  const readProgress = Effect.gen(function*() {
    return yield* Progress.read(campaign, { at: yield* DateTime.now, events: receiver.counts(), rings: [...rings] })
  })
  let drawn = 0
  const show = Effect.fnUntraced(function*(progress: Progress.Progress) {
    if (!isTerminal) return yield* Console.log(View.line(progress))
    const lines = View.picture(progress)
    yield* terminal.display(
      `${drawn === 0 ? "" : `\u001b[${drawn}A`}${lines.map((line) => `\u001b[2K${line}\n`).join("")}`
    )
    drawn = lines.length
  })
  const every = Duration.times(isTerminal ? Duration.millis(250) : Duration.seconds(5), speed)
  const ended = yield* Effect.tap(readProgress, show).pipe(
    Effect.delay(every),
    Effect.repeat({ until: Progress.isFinished })
  )
  const seconds = Math.round(Number((yield* Clock.monotonicTimeNanos) - startedAt) / 1e9 / speed)
  yield* Console.log(View.summary(ended, seconds).join("\n"))
  const faults = View.faults(ended)
  if (faults.length > 0) return yield* new DemoFailed({ faults })
})
