/**
 * A configuration of `outdial serve` whose carrier is the test's, at `TEST_CARRIER_URL`. Its lines are WebSockets that the carrier opens to
 * any node: a line that has lost its node comes to another one.
 */
import { CarrierRoutes, CarrierTokens, Conversation, Conversations, Ids, LineReports, Telephony } from "@outdial/core"
import { defineServer } from "@outdial/server/config"
import { DateTime, Duration, Effect, Layer, Option, Schema, Sink, Stream } from "effect"
import * as Frames from "./Frames.ts"

const url = process.env["TEST_CARRIER_URL"] ?? ""

const carrier = Ids.CarrierName.make(Frames.name)

const Instant = Schema.DateTimeUtcFromMillis

const Ended = Schema.TaggedStruct("Ended", {
  at: Instant,
  result: Schema.Literals(["busy", "hung_up", "no_answer"]),
  answeredAt: Schema.optionalKey(Instant),
  recorded: Schema.Literal(false)
})

const decodeReport = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Union([
    Schema.TaggedStruct("Answered", { at: Instant, by: Schema.Literal("human") }),
    Ended
  ]))
)
const decodeEnded = Schema.decodeUnknownEffect(Schema.fromJsonString(Ended))
const decodeEvent = Schema.decodeUnknownEffect(Schema.fromJsonString(Conversation.LineEvent))

const ask = (path: string, init: RequestInit = {}) =>
  Effect.tryPromise(async (signal) => {
    const response = await fetch(url + path, { ...init, signal })
    return { status: response.status, text: await response.text() }
  }).pipe(Effect.timeout("4 seconds"))

const lineOver = (
  { close, send }: CarrierRoutes.Socket,
  messages: CarrierRoutes.Socket["messages"]
): Conversations.TextLine => {
  const tell = (command: Frames.LineCommand) => send(JSON.stringify(command))
  return {
    events: Stream.mapEffect(messages, (message) => Effect.orDie(decodeEvent(message))),
    resumed: () => tell({ type: "resumed" }),
    speak: ({ id, text }) => tell({ type: "speak", id, text }),
    stopSpeaking: tell({ type: "stop" }),
    press: () => Effect.void,
    hangUp: Effect.andThen(tell({ type: "hang_up" }), close()),
    release: close()
  }
}

const telephony = Layer.effect(
  Telephony.Telephony,
  Effect.gen(function*() {
    const tokens = yield* CarrierTokens.CarrierTokens
    const { hold } = yield* Conversations.Conversations
    const { report } = yield* LineReports.LineReports

    const callOf = Effect.fnUntraced(function*({ rest }: CarrierRoutes.Handshake, purpose: "line" | "report") {
      const call = yield* tokens.check(rest.join("/"), purpose)
      return Option.isSome(call) ? call.value : yield* new CarrierRoutes.Refused({ reason: "forbidden" })
    })

    const callback: CarrierRoutes.Callback = {
      method: "POST",
      path: "/report",
      handle: Effect.fnUntraced(function*(request) {
        const call = yield* callOf(request, "report")
        const event = yield* Effect.mapError(
          decodeReport(new TextDecoder().decode(request.body)),
          () => new CarrierRoutes.Refused({ reason: "malformed" })
        )
        return { status: 200, body: yield* report({ ...call, event }) }
      })
    }

    const socket: CarrierRoutes.SocketRoute = {
      path: "/line",
      accept: Effect.fnUntraced(function*(request) {
        const call = yield* callOf(request, "line")
        return (socket) =>
          Effect.gen(function*() {
            // Not before its first frame: the line may have gone elsewhere while this process was suspended.
            const [first, messages] = yield* Stream.peel(socket.messages, Sink.head())
            if (Option.isNone(first)) return
            yield* hold({ ...call, takesOver: true, line: lineOver(socket, messages) })
          }).pipe(Effect.scoped)
      })
    }

    const failed = (reason: Telephony.DialFailed["reason"]) => (cause: unknown) =>
      new Telephony.DialFailed({ reason, cause })

    return Telephony.Telephony.of({
      name: carrier,
      notFoundLag: Duration.seconds(5),
      routes: [{ carrier, callbacks: [callback], sockets: [socket] }],
      dial: Effect.fnUntraced(function*({ accountId, callId, dialBy, phoneNumber }) {
        const now = yield* DateTime.now
        const tokenFor = (purpose: "line" | "report") =>
          tokens.make({ accountId, callId, purpose, expiresAt: DateTime.add(now, { hours: 1 }) })
        const dial: Frames.Dial = {
          callId,
          phoneNumber,
          reportToken: yield* tokenFor("report"),
          lineToken: yield* tokenFor("line")
        }
        // The process may have been suspended.
        if (DateTime.isLessThanOrEqualTo(dialBy, yield* DateTime.now)) return yield* failed("unavailable")("Too late")
        const { status, text } = yield* Effect.mapError(
          ask("/dials", { method: "POST", body: JSON.stringify(dial) }),
          failed("unknown")
        )
        return status === 200 ? Ids.CarrierCallId.make(text) : yield* failed("unknown")(status)
      }),
      lookUp: ({ callId }) =>
        Effect.gen(function*(): Effect.fn.Return<Telephony.CarrierView, unknown> {
          const { status, text } = yield* ask(`/calls/${callId}`)
          if (status === 404) return { _tag: "NotFound" }
          return status === 204 ? { _tag: "Live" } : { _tag: "Ended", event: yield* decodeEnded(text) }
        }).pipe(Effect.orElseSucceed((): Telephony.CarrierView => ({ _tag: "Unreachable" }))),
      hangUp: ({ callId }) => Effect.ignore(ask(`/calls/${callId}`, { method: "DELETE" }))
    })
  })
)

export default defineServer({ telephony })
