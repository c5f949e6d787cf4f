/** The contract of telephony over a fake carrier. The callbacks reach the provider without an engine. */
import {
  CarrierRoutes,
  CarrierTokens,
  Conversations,
  PhoneNumber,
  SecretBox,
  Telephony,
  WebCrypto
} from "@outdial/core"
import type { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { TelephonyContract } from "@outdial/testkit/contracts"
import { Effect, Exit, Layer, Schedule } from "effect"
import { createServer, type IncomingMessage } from "node:http"
import * as FreePort from "./FreePort.ts"

export const callerId = PhoneNumber.PhoneNumber.make("+14155550999")

/** The behaviour of a number is in its last two digits, and each number is used once: a look-up may find calls by their numbers. */
const behaviours = [
  "talks",
  "voicemail",
  "busy",
  "never_answers",
  "refused",
  "unavailable",
  "unknown_rings",
  "error_rings",
  "unknown_lost",
  "last_report_lost"
] as const satisfies ReadonlyArray<TelephonyContract.Behaviour>

const behaviourOf = (to: string) => behaviours[Number(to.slice(-2))] ?? "talks"

const freshNumbers = () => {
  let used = 0
  const numberOf = (index: number) => `+1415${String(used++).padStart(5, "0")}${String(index).padStart(2, "0")}`
  const numbers: Partial<Record<TelephonyContract.Behaviour, string>> = {}
  for (const [index, behaviour] of behaviours.entries()) {
    Object.defineProperty(numbers, behaviour, { get: () => numberOf(index) })
  }
  return numbers as Readonly<Record<TelephonyContract.Behaviour, string>>
}

const faults: Partial<Record<TelephonyContract.Behaviour, FakeTwilio.Fault>> = {
  refused: "refused",
  unavailable: "too_many",
  unknown_rings: "response_lost",
  error_rings: "error_500",
  unknown_lost: "reset"
}

/** How the fake behaves towards the numbers of the contract. */
export const behaviour = {
  connects: false,
  callee: (to: string) => ({
    _tag: "Waits" as const,
    isMachine: behaviourOf(to) === "voicemail",
    isBusy: behaviourOf(to) === "busy"
  }),
  fault: (to: string) => faults[behaviourOf(to)],
  delivery: ({ to }: { readonly to: string }, progress: FakeTwilio.Progress) =>
    progress === "ended" && behaviourOf(to) === "last_report_lost" ? "lost" as const : "sent" as const
}

const bodyOf = async (request: IncomingMessage) => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) chunks.push(chunk as Uint8Array)
  return new Uint8Array(Buffer.concat(chunks))
}

/** Serves the callbacks of the provider, once there is one. */
const listening = Effect.gen(function*() {
  let routes: CarrierRoutes.Routes | undefined
  const server = createServer((request, response) =>
    void bodyOf(request).then(async (body) => {
      const url = request.url ?? ""
      const path = url.replace(/^\/carriers\/[^/]*/, "").split("?")[0] ?? ""
      const callback = routes?.callbacks.find((one) => path.startsWith(`${one.path}/`))
      if (callback === undefined) return response.writeHead(404).end()
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      const rest = path.slice(callback.path.length + 1).split("/")
      const exit = await Effect.runPromiseExit(callback.handle({ url, rest, headers, method: "POST", body }))
      response.writeHead(Exit.isSuccess(exit) ? exit.value.status : 503).end()
    })
  )
  const port = yield* FreePort.listen(server)
  return {
    publicUrl: `http://127.0.0.1:${port}`,
    serve: (given: Telephony.Telephony["Service"]) => {
      routes = given.routes?.[0]
    }
  }
})

/** What the contract needs of a fake. */
interface Fake {
  readonly calls: ReadonlyArray<{ readonly id: string; readonly from: string; readonly status: string }>
  readonly answer: (id: string) => Effect.Effect<void>
  readonly end: (id: string) => Effect.Effect<void>
  readonly setCondition: (condition: TelephonyContract.Condition) => Effect.Effect<void>
  readonly waiting: () => number
}

const carrierOf = <F extends Fake>(
  fake: F,
  { authorizes, callIdOf, refusal }: {
    /** Whether the provider tells that the carrier refuses the account. */
    readonly authorizes?: boolean
    /** Our id of the call. */
    readonly callIdOf: (call: F["calls"][number]) => string
    readonly refusal: { readonly code: string; readonly message: string }
  }
) => {
  const found = (callId: string) => fake.calls.find((call) => callIdOf(call) === callId)
  const until = (isSo: () => boolean) =>
    Effect.asVoid(Effect.repeat(Effect.sync(isSo), { until: (so) => so, schedule: Schedule.spaced("5 millis") }))
  const known = (callId: string) => {
    const call = found(callId)
    return call === undefined ? Effect.die(new Error(`${callId} was not placed`)) : Effect.succeed(call)
  }
  return TelephonyContract.Carrier.of({
    numbers: freshNumbers(),
    defaultCallerId: callerId,
    authorizes,
    records: false,
    refusal,
    rings: Effect.sync(() => fake.calls.map(callIdOf)),
    callerIdOf: (callId: string) => Effect.map(known(callId), ({ from }) => from),
    answer: Effect.fnUntraced(function*(callId: string) {
      const call = yield* known(callId)
      yield* until(() => call.status !== "queued")
      yield* fake.answer(call.id)
    }),
    end: (callId: string) => Effect.flatMap(known(callId), ({ id }) => fake.end(id)),
    setCondition: fake.setCondition,
    untilWaiting: (requests: number) => until(() => fake.waiting() === requests)
  })
}

/** Runs the contract against a provider and a fake. */
export const run = <I, F extends Fake, E>(name: string, { fake, layer, provider, ...about }: {
  readonly fake: Effect.Effect<F, never, I>
  readonly layer: Layer.Layer<I, E>
  readonly provider: (
    fake: F,
    publicUrl: string
  ) => Layer.Layer<Telephony.Telephony, unknown, Telephony.CarrierServices>
  readonly authorizes?: boolean
  readonly callIdOf: (call: F["calls"][number]) => string
  readonly refusal: { readonly code: string; readonly message: string }
}) => {
  const carrier = Layer.effect(TelephonyContract.Carrier, Effect.map(fake, (one) => carrierOf(one, about)))
  const served = Layer.effect(
    Telephony.Telephony,
    Effect.gen(function*() {
      const { publicUrl, serve } = yield* listening
      const built = yield* Effect.flatMap(fake, (one) => Effect.orDie(Layer.build(provider(one, publicUrl))))
      const telephony = built.mapUnsafe.get(Telephony.Telephony.key) as Telephony.Telephony["Service"]
      serve(telephony)
      return telephony
    })
  ).pipe(
    Layer.provide([
      CarrierTokens.CarrierTokens.layer().pipe(
        Layer.provide([SecretBox.SecretBox.layerMemory, WebCrypto.layerWebCrypto])
      ),
      // No call is connected here.
      Layer.succeed(Conversations.Conversations, { hold: () => Effect.never, holding: () => Effect.succeed("held") })
    ])
  )
  TelephonyContract.contract(name, Layer.merge(carrier, served).pipe(Layer.provide(layer)))
}
