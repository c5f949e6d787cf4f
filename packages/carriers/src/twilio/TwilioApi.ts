/**
 * The requests to Twilio's REST API, over plain HTTP: each is sent once, and nothing below repeats it.
 * https://www.twilio.com/docs/voice/api/call-resource
 */
import { Effect, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import type { Recordings, Telephony } from "@outdial/core"
import * as SingleRequest from "../request/SingleRequest.ts"
import * as TwilioErrors from "./TwilioErrors.ts"

/** The id of a call at Twilio. */
export const CallSid = Schema.String.check(Schema.isPattern(/^CA[0-9a-fA-F]{32}$/))

export const CallStatus = Schema.Literals([
  "queued",
  "initiated",
  "ringing",
  "in-progress",
  "completed",
  "busy",
  "no-answer",
  "failed",
  "canceled"
])
export type CallStatus = typeof CallStatus.Type

/** A call as Twilio shows it. Its times are in RFC 2822, by the second. */
const CallResource = Schema.Struct({
  sid: CallSid,
  account_sid: Schema.String,
  status: CallStatus,
  from: Schema.optionalKey(Schema.NullOr(Schema.String)),
  date_created: Schema.NullOr(Schema.String),
  end_time: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Seconds of the connection, as text. */
  duration: Schema.optionalKey(Schema.NullOr(Schema.String)),
  direction: Schema.optionalKey(Schema.NullOr(Schema.String)),
  answered_by: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** A negative decimal number, minutes after the end. */
  price: Schema.optionalKey(Schema.NullOr(Schema.String)),
  price_unit: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Milliseconds that the call waits for its turn, as an estimate. */
  queue_time: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type CallResource = typeof CallResource.Type

/** The API has not answered as it should: nothing is known. */
export class TwilioUnreachable extends Schema.TaggedError<TwilioUnreachable>()("TwilioUnreachable", {
  cause: Schema.Defect()
}) {}

export interface TwilioApiOptions {
  readonly accountSid: string
  /** The user and password of requests: the account's, or an API key's. */
  readonly user: string
  readonly password: Redacted.Redacted
  /** Without a slash at the end. */
  readonly apiUrl: string
}

export interface Account {
  /** Such as `active`. */
  readonly status: string
  /** `Full` or `Trial`. */
  readonly type: string
  /** How far our clock is ahead of Twilio's, in milliseconds, give or take a second; none if Twilio does not say. */
  readonly clockAhead: number | undefined
}

export type Form = ReadonlyArray<readonly [name: string, value: string]>

/** As many as a number that is called once at a time can have in the minutes around a dial. */
const listed = "50"

const Listed = Schema.Struct({ calls: Schema.Array(CallResource) })

export interface TwilioApi {
  /** Asks for a call. Its failure says what is certain. */
  readonly create: (form: Form) => Effect.Effect<CallResource, Telephony.DialFailed>
  /** None when Twilio does not know the call. */
  readonly get: (sid: string) => Effect.Effect<Option.Option<CallResource>, TwilioUnreachable>
  /** The newest calls between these numbers that were made by the API; from any number when `from` is absent. */
  readonly list: (numbers: { readonly to: string; readonly from?: string | undefined }) => Effect.Effect<
    ReadonlyArray<CallResource>,
    TwilioUnreachable
  >
  /** Asks for the account: whether the credentials are right, and it may call. */
  readonly account: Effect.Effect<Account, TwilioUnreachable>
  /** Whether calls may show this number: it is the account's, or verified by it. */
  readonly isCallerId: (number: string) => Effect.Effect<boolean, TwilioUnreachable>
  /** Ends the call in whatever state it is; safe to repeat. */
  readonly end: (sid: string) => Effect.Effect<void, TwilioUnreachable>
  /** Gives a call that goes on other instructions. Returns whether Twilio has taken them. */
  readonly instruct: (sid: string, twiml: string) => Effect.Effect<boolean, TwilioUnreachable>
  /** A recording, in two channels: the contact and the agent. */
  readonly recording: (
    sid: string
  ) => Effect.Effect<Recordings.Recording, TwilioUnreachable | SingleRequest.RecordingTooLong>
  /** Ends the recording of a call that goes on; safe to repeat. */
  readonly stopRecording: (callSid: string) => Effect.Effect<void, TwilioUnreachable>
  /** Deletes a recording; safe to repeat. */
  readonly removeRecording: (sid: string) => Effect.Effect<void, TwilioUnreachable>
}

export const make = Effect.fnUntraced(
  function*({ accountSid, apiUrl, password, user }: TwilioApiOptions): Effect.fn.Return<
    TwilioApi,
    never,
    HttpClient.HttpClient
  > {
    const client = yield* HttpClient.HttpClient
    const base = `${apiUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}`

    const authorized = HttpClientRequest.basicAuth(user, Redacted.value(password))

    const send = (request: HttpClientRequest.HttpClientRequest) =>
      Effect.provideService(SingleRequest.send(authorized(request)), HttpClient.HttpClient, client)

    const post = (path: string, form: Form) =>
      send(HttpClientRequest.post(base + path).pipe(HttpClientRequest.bodyUrlParams(form)))

    const ask = (request: HttpClientRequest.HttpClientRequest) =>
      Effect.mapError(send(request), (cause) => new TwilioUnreachable({ cause: TwilioErrors.withoutRequest(cause) }))

    const refused = ({ body, status }: SingleRequest.Answer) =>
      new TwilioUnreachable({ cause: TwilioErrors.failureOf(status, body).cause })

    const ours = (call: CallResource) =>
      call.account_sid === accountSid
        ? Effect.succeed(call)
        : Effect.fail(new TwilioUnreachable({ cause: new Error("Twilio has answered for another account") }))

    return {
      create: Effect.fnUntraced(function*(form) {
        const answer = yield* Effect.mapError(post("/Calls.json", form), TwilioErrors.failureWithout)
        if (answer.status !== 200 && answer.status !== 201) {
          return yield* TwilioErrors.failureOf(answer.status, answer.body)
        }
        // A success that cannot be read may still ring.
        return yield* Effect.flatMap(decodeCall(answer.body), ours).pipe(Effect.mapError(TwilioErrors.failureWithout))
      }),
      get: Effect.fnUntraced(function*(sid) {
        const answer = yield* ask(HttpClientRequest.get(`${base}/Calls/${encodeURIComponent(sid)}.json`))
        if (isUnknown(answer)) return Option.none()
        if (answer.status !== 200) return yield* refused(answer)
        return Option.some(yield* Effect.flatMap(unreadable(decodeCall(answer.body)), ours))
      }),
      list: Effect.fnUntraced(function*({ from, to }) {
        // Not by time: a filter may hide calls that wait in Twilio's queue.
        const answer = yield* ask(
          HttpClientRequest.get(`${base}/Calls.json`).pipe(
            HttpClientRequest.setUrlParams({ To: to, ...(from !== undefined && { From: from }), PageSize: listed })
          )
        )
        if (answer.status !== 200) return yield* refused(answer)
        const { calls } = yield* unreadable(decodeList(answer.body))
        return calls.filter((call) => call.account_sid === accountSid && call.direction === "outbound-api")
      }),
      account: Effect.gen(function*() {
        const answer = yield* ask(HttpClientRequest.get(`${base}.json`))
        if (answer.status !== 200) return yield* refused(answer)
        return { ...(yield* unreadable(decodeAccount(answer.body))), clockAhead: answer.clockAhead }
      }),
      isCallerId: Effect.fnUntraced(function*(number) {
        for (const list of ["IncomingPhoneNumbers", "OutgoingCallerIds"]) {
          const answer = yield* ask(
            HttpClientRequest.get(`${base}/${list}.json`).pipe(HttpClientRequest.setUrlParams({ PhoneNumber: number }))
          )
          if (answer.status !== 200) return yield* refused(answer)
          const found = yield* unreadable(decodeNumbers(answer.body))
          if (Object.values(found).flat().some((one) => one.phone_number === number)) return true
        }
        return false
      }),
      end: Effect.fnUntraced(function*(sid) {
        const answer = yield* Effect.mapError(
          post(`/Calls/${encodeURIComponent(sid)}.json`, [["Status", "completed"]]),
          (cause) => new TwilioUnreachable({ cause: TwilioErrors.withoutRequest(cause) })
        )
        if (isUnknown(answer) || isOver(answer)) return
        if (answer.status !== 200) return yield* refused(answer)
        // A page of a proxy, or an error inside, has ended nothing.
        yield* Effect.flatMap(unreadable(decodeCall(answer.body)), ours)
      }),
      instruct: Effect.fnUntraced(function*(sid, twiml) {
        const answer = yield* Effect.mapError(
          post(`/Calls/${encodeURIComponent(sid)}.json`, [["Twiml", twiml]]),
          (cause) => new TwilioUnreachable({ cause: TwilioErrors.withoutRequest(cause) })
        )
        if (answer.status >= 500) return yield* refused(answer)
        return answer.status === 200
      }),
      recording: (sid) =>
        SingleRequest.download(
          authorized(
            HttpClientRequest.get(`${base}/Recordings/${encodeURIComponent(sid)}.wav`).pipe(
              HttpClientRequest.setUrlParams({ RequestedChannels: "2" })
            )
          )
        ).pipe(
          Effect.provideService(HttpClient.HttpClient, client),
          Effect.mapError((cause) =>
            cause._tag === "RecordingTooLong"
              ? cause
              : new TwilioUnreachable({ cause: TwilioErrors.withoutRequest(cause) })
          )
        ),
      stopRecording: Effect.fnUntraced(function*(callSid) {
        const answer = yield* Effect.mapError(
          post(`/Calls/${encodeURIComponent(callSid)}/Recordings/Twilio.CURRENT.json`, [["Status", "stopped"]]),
          (cause) => new TwilioUnreachable({ cause: TwilioErrors.withoutRequest(cause) })
        )
        // There may be none, such as after it was stopped.
        if (answer.status !== 200 && !isUnknown(answer)) return yield* refused(answer)
      }),
      removeRecording: Effect.fnUntraced(function*(sid) {
        const answer = yield* ask(HttpClientRequest.delete(`${base}/Recordings/${encodeURIComponent(sid)}.json`))
        if (answer.status !== 204 && !isUnknown(answer)) return yield* refused(answer)
      })
    }
  }
)

/** Error 20404: there is no such call. */
const isUnknown = ({ body, status }: SingleRequest.Answer) =>
  status === 404 && Option.exists(TwilioErrors.decodeError(body), ({ code }) => code === 20404)

/** Error 21220: the call has ended already. */
const isOver = ({ body }: SingleRequest.Answer) =>
  Option.exists(TwilioErrors.decodeError(body), ({ code }) => code === 21220)

const decodeCall = Schema.decodeUnknownEffect(Schema.fromJsonString(CallResource))
const decodeAccount = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ status: Schema.String, type: Schema.String }))
)
/** The list has one of these names. */
const Numbers = Schema.optionalKey(Schema.Array(Schema.Struct({ phone_number: Schema.String })))
const decodeNumbers = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ incoming_phone_numbers: Numbers, outgoing_caller_ids: Numbers }))
)
const decodeList = Schema.decodeUnknownEffect(Schema.fromJsonString(Listed))

const unreadable = <A, E>(decoded: Effect.Effect<A, E>) =>
  Effect.mapError(decoded, (cause) => new TwilioUnreachable({ cause: TwilioErrors.withoutRequest(cause) }))
