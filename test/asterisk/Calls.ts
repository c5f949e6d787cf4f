/** Calls over a real Asterisk, without an engine: what is reported of them is kept, and conversations last until their line is closed. */
import { AsteriskTelephony } from "@outdial/carriers/asterisk"
import {
  type AudioLine,
  type CarrierEvent,
  CarrierTokens,
  Conversations,
  Ids,
  LineReports,
  PhoneNumber,
  Recordings,
  SecretBox,
  Telephony,
  WebCrypto
} from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Context, DateTime, Duration, Effect, Exit, Layer, Redacted, Schedule, Scope, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { NotYet } from "../support/DevProcess.ts"
import type { Pbx } from "./Pbx.ts"

/** A conversation that was held. */
export interface Held {
  readonly callId: string
  readonly takesOver: boolean
  readonly line: AudioLine.AudioLine
  isOver: boolean
  readonly heard: Array<Uint8Array>
  digits: string
}

export interface Node {
  readonly telephony: Telephony.Telephony["Service"]
  readonly reports: ReadonlyArray<LineReports.Report>
  readonly held: ReadonlyArray<Held>
  readonly recordings: Recordings.Recordings["Service"]
  /** How reports are answered from now on. Default: `continue`. */
  readonly answerWith: (instruction: LineReports.Instruction) => void
  /** Ends the node as its process would. */
  readonly close: Effect.Effect<void>
}

type Options = Partial<Omit<AsteriskTelephony.AsteriskOptions, "password" | "user">>

/** Where an Asterisk is, and whom it obeys. */
export type Reached = Pick<Pbx, "ariUrl" | "password" | "user">

/** `onEvent` is called with what a line reports. */
export const node = Effect.fnUntraced(function*(
  pbx: Reached,
  options: Options = {},
  onEvent: (held: Held, event: AudioLine.AudioEvent) => Effect.Effect<void> = () => Effect.void
) {
  const reports: Array<LineReports.Report> = []
  const held: Array<Held> = []
  let instruction: LineReports.Instruction = "continue"
  const recordings = Context.get(yield* Layer.build(Recordings.Recordings.layerMemory), Recordings.Recordings)
  const services = Layer.mergeAll(
    CarrierTokens.CarrierTokens.layer({ signingKey: Redacted.make("key") }).pipe(
      Layer.provide([SecretBox.SecretBox.layerMemory, WebCrypto.layerWebCrypto])
    ),
    Layer.succeed(LineReports.LineReports, {
      report: (report) =>
        Effect.sync(() => {
          reports.push(report)
          return instruction
        }),
      isOfAnother: () => Effect.succeed(false),
      uncharged: () => Effect.succeed([]),
      callToEnd: (call) => Effect.succeed(call)
    }),
    Layer.succeed(Conversations.Conversations, {
      holding: () => Effect.die(new Error("Asterisk needs not ask")),
      hold: Effect.fnUntraced(function*(
        { callId, line, takesOver }: Parameters<Conversations.Conversations["Service"]["hold"]>[0]
      ) {
        if (!("play" in line)) return yield* Effect.die(new Error("Asterisk's lines exchange sound"))
        const one: Held = { callId, line, takesOver, isOver: false, heard: [], digits: "" }
        held.push(one)
        yield* Stream.runForEach(line.events, (event) =>
          Effect.suspend(() => {
            if (event._tag === "Audio") one.heard.push(event.audio)
            if (event._tag === "Digits") one.digits += event.digits
            return onEvent(one, event)
          }))
        one.isOver = true
        return "over" as const
      })
    }),
    Layer.succeed(Recordings.Recordings, recordings)
  )
  const scope = yield* Scope.fork(yield* Effect.scope)
  const built = yield* Scope.provide(
    Layer.build(
      AsteriskTelephony.layer({
        ariUrl: pbx.ariUrl,
        user: pbx.user,
        password: pbx.password,
        endpoint: "PJSIP/{number}@trunk",
        callsPerSecond: 1000,
        ...options
      }).pipe(Layer.provide(services))
    ),
    scope
  )
  const one: Node = {
    telephony: Context.get(built, Telephony.Telephony),
    reports,
    held,
    recordings,
    answerWith: (given) => {
      instruction = given
    },
    close: Scope.close(scope, Exit.void)
  }
  return one
})

const ulid = SecureRandom.SecureRandom.pipe(
  Effect.flatMap(({ ulid }) => ulid),
  Effect.provide(SecureRandom.layerWebCrypto)
)

type NewCall = Pick<Telephony.PlacedCall, "accountId" | "callId" | "phoneNumber">

export const newCall = (number: string): Effect.Effect<NewCall> =>
  Effect.map(ulid, (id) => ({
    accountId: Ids.AccountId.make("acct_1"),
    callId: Ids.CallId.make(`call_${id}`),
    phoneNumber: PhoneNumber.PhoneNumber.make(number)
  }))

/** Dials a number. */
export const dial = Effect.fnUntraced(function*(node: Node, number: string, within: Duration.Input = "10 seconds") {
  return yield* dialCall(node, yield* newCall(number), within)
})

/** Dials a call, which may have been dialed before. */
export const dialCall = Effect.fnUntraced(function*(
  { telephony }: Node,
  { accountId, callId, phoneNumber }: NewCall,
  within: Duration.Input = "10 seconds"
) {
  const call = { accountId, callId, phoneNumber, submittedAt: yield* DateTime.now }
  const answer = yield* Effect.result(telephony.dial({
    ...call,
    callerId: PhoneNumber.PhoneNumber.make("+15550009999"),
    contact: { name: "Grace" },
    agent: Factories.agentBrief(),
    dialBy: DateTime.addDuration(call.submittedAt, within)
  }))
  return { ...call, verdict: answer._tag === "Success" ? "taken" as const : answer.failure.reason, answer }
})

/** Dials a number until the call is taken. On a busy machine Asterisk may be slower than a dial waits, which rings nothing. */
export const dialUntilTaken = Effect.fnUntraced(function*(node: Node, number: string) {
  const call = yield* newCall(number)
  return yield* dialCall(node, call).pipe(
    Effect.flatMap((dialed) =>
      dialed.answer._tag === "Success"
        ? Effect.succeed(dialed)
        : Effect.fail(dialed.answer.failure)
    ),
    Effect.retry({ while: ({ reason }) => reason === "unavailable", times: 20, schedule: Schedule.spaced("1 second") }),
    Effect.orDie
  )
})

/** What it returns once it returns something. Fails after a minute. */
export const eventually = <A, E>(find: Effect.Effect<A | undefined, E>): Effect.Effect<A> =>
  find.pipe(
    Effect.orElseSucceed(() => undefined),
    Effect.repeat({ until: (found) => found !== undefined, times: 3_000, schedule: Schedule.spaced("20 millis") }),
    Effect.flatMap((found) =>
      found === undefined ? Effect.die(new Error("It did not happen in time")) : Effect.succeed(found)
    )
  )

/** The events that were reported of a call. */
export const eventsOf = ({ reports }: Node, callId: string): ReadonlyArray<CarrierEvent.CarrierEvent> =>
  reports.filter((report) => report.callId === callId).map(({ event }) => event)

/** The end of a call, once it is reported. */
export const endOf = (node: Node, callId: string) =>
  eventually(Effect.sync(() => eventsOf(node, callId).find((event) => event._tag === "Ended")))

/** What calls have left at Asterisk. */
const left = (pbx: Pbx) =>
  Effect.promise(async () => {
    const all = await Promise.all(["/channels", "/bridges", "/recordings/stored"].map((path) => pbx.ask("GET", path)))
    return all.map(({ body }) => body).join("")
  })

/** Waits until nothing of any call is left at Asterisk. Records stay for ten seconds. */
export const untilClean = (pbx: Pbx) =>
  left(pbx).pipe(
    Effect.filterOrFail((text) => text === "[][][]", (text) => new NotYet({ seen: text })),
    Effect.retry({ times: 50, schedule: Schedule.spaced("500 millis") })
  )
