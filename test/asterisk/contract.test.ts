/** The contract of telephony, over a real Asterisk. */
import { AsteriskTelephony } from "@outdial/carriers/asterisk"
import { CarrierTokens, Conversations, LineReports, SecretBox, Telephony, WebCrypto } from "@outdial/core"
import { TelephonyContract } from "@outdial/testkit/contracts"
import { Context, Effect, Layer, Redacted, Schedule, Stream } from "effect"
import * as AriGate from "./AriGate.ts"
import * as Calls from "./Calls.ts"
import * as Pbx from "./Pbx.ts"
import * as SipPhone from "./SipPhone.ts"

/** By the last digits of the number. */
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

const behaviourOf = (number: string) => behaviours[Number(number.slice(-2))] ?? "talks"

const numbers = Object.fromEntries(
  behaviours.map((behaviour, index) => [behaviour, `+1415555${String(index).padStart(4, "0")}`])
) as Readonly<Record<TelephonyContract.Behaviour, string>>

/** What becomes of the creation of a channel, once for each call, and of its dial. */
const creations: Partial<Record<TelephonyContract.Behaviour, AriGate.Treatment>> = {
  refused: { before: 400 },
  unavailable: { before: 500 },
  unknown_lost: { before: "lose" }
}
const dials: Partial<Record<TelephonyContract.Behaviour, AriGate.Treatment>> = {
  unknown_rings: { after: "lose" },
  error_rings: { after: 500 }
}

const conditions: Readonly<Record<TelephonyContract.Condition, AriGate.Treatment>> = {
  well: {},
  unreachable: { before: "lose" },
  faulty: { before: 500 },
  silent: { before: "hold" },
  unauthorized: { before: 401 }
}

/** What is asked of a call, and of the credentials; not what the provider does by itself to stay connected and to remove what is left. */
const isOfOperator = ({ method, path }: AriGate.Asked) =>
  /\/channels\/(create$|call_)|\/asterisk\/info$/.test(path) ||
  method === "GET" && path.includes("/recordings/stored/call-")

/** What a test waits for; a report that is never taken is not waited for. */
const soon = (isSo: () => boolean) =>
  Effect.asVoid(
    Effect.repeat(Effect.sync(isSo), { until: (so) => so, times: 100, schedule: Schedule.spaced("20 millis") })
  )

/** Until the line is closed. */
const conversations = Layer.succeed(Conversations.Conversations, {
  holding: () => Effect.die(new Error("Asterisk needs not ask")),
  hold: ({ line }) => Effect.as(Stream.runDrain<unknown, never, never>(line.events), "over")
})

const tokens = CarrierTokens.CarrierTokens.layer({ signingKey: Redacted.make("key") }).pipe(
  Layer.provide([SecretBox.SecretBox.layerMemory, WebCrypto.layerWebCrypto])
)

const make = Effect.gen(function*() {
  const phones = yield* SipPhone.make
  const pbx = yield* Pbx.make({ phones: phones.port })
  const gate = yield* AriGate.make(pbx.ariUrl)
  phones.behave((number) => behaviourOf(number) === "busy" ? { refuses: "486 Busy Here" } : {})

  /** The behaviours of calls, by their ids, once they were created. */
  const placed = new Map<string, TelephonyContract.Behaviour>()
  let condition: TelephonyContract.Condition = "well"
  /** Of the list of channels, which would show an end that is to be missed. */
  let listedFrom = 0
  gate.treat((asked) => {
    const { body, path } = asked
    if (isOfOperator(asked) && condition !== "well") return conditions[condition]
    if (path.endsWith("/channels") && Date.now() < listedFrom) return { before: 503 }
    if (path.endsWith("/channels/create")) {
      const { channelId, endpoint } = JSON.parse(body)
      const behaviour = behaviourOf(String(endpoint).replace(/@.*$/, ""))
      const isFirst = !placed.has(channelId)
      placed.set(channelId, behaviour)
      return isFirst ? creations[behaviour] ?? {} : {}
    }
    const [, dialed = ""] = /\/(call_\w+)\/dial/.exec(path) ?? []
    return dials[placed.get(dialed) ?? "talks"] ?? {}
  })
  gate.lose((event) =>
    /"type": ?"(ChannelDestroyed|StasisEnd)"/.test(event) &&
    Array.from(event.matchAll(/call_\w+/g)).some(([callId]) => placed.get(callId) === "last_report_lost")
  )

  /** What was reported and taken, and what was answered to it. */
  const taken: Array<{ readonly callId: string; readonly tag: string; readonly instruction: string }> = []
  const reports = yield* LineReports.LineReports
  const built = yield* Layer.build(
    AsteriskTelephony.layer({
      ariUrl: gate.ariUrl,
      user: pbx.user,
      password: pbx.password,
      endpoint: "PJSIP/{number}@trunk",
      callsPerSecond: 1000
    }).pipe(Layer.provide([
      tokens,
      conversations,
      Layer.succeed(LineReports.LineReports, {
        ...reports,
        report: (report) =>
          Effect.tap(
            reports.report(report),
            (instruction) =>
              Effect.sync(() => taken.push({ callId: report.callId, tag: report.event._tag, instruction }))
          )
      })
    ]))
  )
  const reported = (callId: string, tag: string) => taken.find((one) => one.callId === callId && one.tag === tag)
  const phoneOf = (callId: string) =>
    Calls.eventually(Effect.sync(() => phones.calls.find((call) => call.callId === callId)))
  const untilGone = (callId: string) =>
    Calls.eventually(
      Effect.promise(async () => (await pbx.ask("GET", `/channels/${callId}`)).status === 404 ? true : undefined)
    )

  const carrier = TelephonyContract.Carrier.of({
    numbers,
    authorizes: true,
    provesUnsent: true,
    tellsWhoAnswered: false,
    records: false,
    rings: Effect.sync(() => phones.calls.map(({ callId }) => callId)),
    callerIdOf: (callId) => Effect.map(phoneOf(callId), ({ from }) => from === "" ? undefined : from),
    answer: Effect.fnUntraced(function*(callId) {
      const phone = yield* phoneOf(callId)
      phones.answer(phone.id)
      yield* soon(() => reported(callId, "Answered") !== undefined || phone.state === "over")
      if (reported(callId, "Answered")?.instruction === "hang_up") yield* untilGone(callId)
    }),
    end: Effect.fnUntraced(function*(callId) {
      const { id, state } = yield* phoneOf(callId)
      const isLost = placed.get(callId) === "last_report_lost"
      if (isLost) listedFrom = Date.now() + 2_000
      if (state !== "over") phones.hangUp(id)
      yield* untilGone(callId)
      if (!isLost) yield* soon(() => reported(callId, "Ended") !== undefined)
    }),
    setCondition: (given) =>
      Effect.sync(() => {
        condition = given
      }),
    untilWaiting: (requests) =>
      Effect.sync(() => gate.held() === requests).pipe(
        Effect.repeat({ until: (so) => so, schedule: Schedule.spaced("5 millis") }),
        Effect.asVoid
      )
  })
  const telephony = Context.get(built, Telephony.Telephony)
  /** On a busy machine Asterisk may be slower than a dial waits, which rings nothing: the engine would dial again, too. */
  const isSlow = ({ dialBy, phoneNumber }: Telephony.DialRequest) =>
    condition === "well" && creations[behaviourOf(phoneNumber)] === undefined && dialBy.epochMilliseconds > Date.now()
  const patient = {
    ...telephony,
    dial: (request: Telephony.DialRequest) =>
      Effect.retry(telephony.dial(request), {
        while: ({ reason }) => reason === "unavailable" && isSlow(request),
        times: 5,
        schedule: Schedule.spaced("1 second")
      })
  }
  return Context.add(
    Context.make(Telephony.Telephony, patient),
    TelephonyContract.Carrier,
    carrier
  )
})

TelephonyContract.contract("Asterisk", Layer.effectContext(make))
