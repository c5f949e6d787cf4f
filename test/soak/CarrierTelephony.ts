/**
 * The `Telephony` of the nodes: sends HTTP requests to the carrier and receives its reports on a separate port. It reports
 * `unavailable` only if there was no connection or the carrier said so; in doubt it reports `unknown`.
 */
import { type CarrierEvent, Ids, LineReports, SimulatedTelephony, Telephony } from "@outdial/core"
import { DateTime, Duration, Effect, Layer, Schema } from "effect"
import { createServer, type IncomingMessage } from "node:http"
import * as Carrier from "./Carrier.ts"
import * as Timeline from "./Timeline.ts"

export interface Options {
  readonly timeline: Timeline.Timeline
  readonly node: string
  readonly carrierPort: number
  readonly callbackPort: number
}

/** Timeout of requests to the carrier. */
const requestTimeout = "4 seconds"

const Instant = Schema.DateTimeUtcFromMillis
const Turn = Schema.Struct({ speaker: Schema.Literals(["agent", "contact"]), text: Schema.String })
const Ended = Schema.Struct({
  _tag: Schema.Literal("Ended"),
  at: Instant,
  result: Schema.Literals(["hung_up", "no_answer", "busy", "failed"]),
  answeredAt: Schema.optionalKey(Instant),
  answeredBy: Schema.optionalKey(Schema.Literals(["human", "voicemail"])),
  transcript: Schema.Array(Turn)
})
const Answered = Schema.Struct({
  _tag: Schema.Literal("Answered"),
  at: Instant,
  by: Schema.Literals(["human", "voicemail"])
})
const View = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("Live") }),
  Schema.Struct({
    _tag: Schema.Literal("Ended"),
    event: Ended
  })
])
const Report = Schema.Struct({
  accountId: Ids.AccountId,
  callId: Ids.CallId,
  event: Schema.Union([Answered, Ended])
})

const decodeAccepted = Schema.decodeUnknownEffect(Schema.Struct({ carrierCallId: Ids.CarrierCallId }))
const decodeView = Schema.decodeUnknownEffect(View)
const decodeReport = Schema.decodeUnknownEffect(Schema.fromJsonString(Report))

/** The engine's type of a carrier report, without recordings. */
const toLineEvent = (event: typeof Answered.Type | typeof Ended.Type): CarrierEvent.CarrierEvent =>
  event._tag === "Ended" ? { ...event, recorded: false } : event

export const layer = (
  { callbackPort, carrierPort, node, timeline }: Options
): Layer.Layer<Telephony.Telephony, never, LineReports.LineReports> =>
  Layer.effect(
    Telephony.Telephony,
    Effect.gen(function*() {
      const reports = yield* LineReports.LineReports
      const run = Effect.runForkWith(yield* Effect.context())
      const url = (path: string) => `http://127.0.0.1:${carrierPort}/${path}`
      const ask = (path: string, init: RequestInit) =>
        Effect.tryPromise((signal) => fetch(url(path), { ...init, signal }))

      yield* Effect.acquireRelease(
        Effect.sync(() =>
          createServer((request, response) => {
            run(
              Effect.gen(function*() {
                const { event, ...call } = yield* decodeReport(yield* Effect.promise(() => text(request)))
                const instruction = yield* reports.report({ ...call, event: toLineEvent(event) })
                response.end(JSON.stringify({ instruction }))
              }).pipe(Effect.catchCause(() => Effect.sync(() => response.writeHead(503).end("{}"))))
            )
          }).listen(callbackPort, "127.0.0.1")
        ),
        (server) => Effect.sync(() => server.close())
      )

      const failed = (reason: Telephony.DialFailed["reason"]) => (cause: unknown) =>
        new Telephony.DialFailed({ reason, cause })

      return Telephony.Telephony.of({
        // Its calls have no turns, so their outcomes are samples.
        name: SimulatedTelephony.carrier,
        notFoundLag: Duration.millis(2 * Carrier.oldest),
        dial: Effect.fn("CarrierTelephony.dial")(function*({ accountId, callId, callerId, dialBy, phoneNumber }) {
          if (DateTime.isLessThanOrEqualTo(dialBy, yield* DateTime.now)) {
            return yield* failed("unavailable")("It is too late to dial")
          }
          const dial: Carrier.Dial = {
            accountId,
            callId,
            phoneNumber,
            ...(callerId !== undefined && { callerId }),
            node,
            sentAt: Timeline.now(timeline)
          }
          const response = yield* ask("dials", { method: "POST", body: JSON.stringify(dial) }).pipe(
            Effect.timeout(requestTimeout),
            Effect.mapError((error) => failed(neverConnected(error) ? "unavailable" : "unknown")(error))
          )
          switch (response.status) {
            case 200: {
              const answer = yield* Effect.tryPromise(() => response.json()).pipe(
                Effect.flatMap(decodeAccepted),
                Effect.mapError(failed("unknown"))
              )
              return answer.carrierCallId
            }
            case 422:
              return yield* failed("refused")("The carrier refuses the number")
            case 503:
              return yield* failed("unavailable")("The carrier has no room")
            default:
              return yield* failed("unknown")(`The carrier answers ${response.status}`)
          }
        }),
        lookUp: Effect.fn("CarrierTelephony.lookUp")(({ callId }) =>
          Effect.gen(function*(): Effect.fn.Return<Telephony.CarrierView, unknown> {
            const response = yield* ask(`calls/${callId}`, {})
            if (response.status === 404) return { _tag: "NotFound" }
            const view = yield* decodeView(yield* Effect.tryPromise(() => response.json()))
            return view._tag === "Live" ? view : { _tag: "Ended", event: { ...view.event, recorded: false } }
          }).pipe(
            Effect.timeout(requestTimeout),
            Effect.orElseSucceed((): Telephony.CarrierView => ({ _tag: "Unreachable" }))
          )
        ),
        hangUp: Effect.fn("CarrierTelephony.hangUp")(({ callId }) =>
          ask(`calls/${callId}`, { method: "DELETE" }).pipe(
            Effect.filterOrFail(({ ok, status }) => ok || status === 404, ({ status }) => ({ status })),
            Effect.timeout(requestTimeout),
            Effect.retry({ times: 3 }),
            Effect.catch((error) => Effect.logWarning(`${callId} could not be hung up`, error))
          )
        )
      })
    })
  )

/** Without a listener nothing can have been sent. */
const neverConnected = (error: unknown): boolean =>
  error instanceof Error &&
  ("code" in error && error.code === "ECONNREFUSED" || neverConnected(error.cause))

const text = async (request: IncomingMessage) => {
  let body = ""
  for await (const chunk of request.setEncoding("utf8")) body += chunk
  return body
}
