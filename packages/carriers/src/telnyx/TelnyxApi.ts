/**
 * The requests to Telnyx's API (Call Control), over plain HTTP: each is sent once, and nothing below repeats it.
 * https://developers.telnyx.com/api-reference/call-commands/dial
 */
import type { Recordings, Telephony } from "@outdial/core"
import { Effect, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as SingleRequest from "../request/SingleRequest.ts"
import * as TelnyxErrors from "./TelnyxErrors.ts"
import { type PastEvent, pastEventOf } from "./TelnyxEvents.ts"

/** Telnyx's id of a call: the call control id. */
export const CallControlId = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,255}$/))

const Call = Schema.Struct({
  call_control_id: CallControlId,
  call_leg_id: Schema.String,
  client_state: Schema.optionalKey(Schema.NullOr(Schema.String)),
  is_alive: Schema.optionalKey(Schema.Boolean),
  /** ISO 8601; only of a call that has ended. */
  end_time: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Seconds. */
  call_duration: Schema.optionalKey(Schema.NullOr(Schema.Finite))
})
export type Call = typeof Call.Type

const Application = Schema.Struct({
  active: Schema.optionalKey(Schema.Boolean),
  application_name: Schema.optionalKey(Schema.String),
  outbound: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ outbound_voice_profile_id: Schema.optionalKey(Schema.NullOr(Schema.String)) }))
  )
})
export type Application = typeof Application.Type

/** https://developers.telnyx.com/api-reference/outbound-voice-profiles/retrieve-an-outbound-voice-profile */
const Profile = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  enabled: Schema.optionalKey(Schema.Boolean),
  /** How many calls it takes at once. */
  concurrent_call_limit: Schema.optionalKey(Schema.NullOr(Schema.Int))
})
export type Profile = typeof Profile.Type

const PastEntry = Schema.Struct({
  name: Schema.String,
  event_timestamp: Schema.String,
  call_leg_id: Schema.String,
  metadata: Schema.optionalKey(Schema.Unknown)
})

/** The API has not answered as it should: nothing is known. */
export class TelnyxUnreachable extends Schema.TaggedError<TelnyxUnreachable>()("TelnyxUnreachable", {
  cause: Schema.Defect()
}) {}

export interface TelnyxApiOptions {
  readonly apiKey: Redacted.Redacted
  /** The Call Control application. */
  readonly connectionId: string
  /** Without a slash at the end. */
  readonly apiUrl: string
}

/** How many entries a page of a list has, the most that Telnyx gives. */
const pageSize = 250

/** Far more than the calls that an account may have at once, and the webhooks of a number in a day. */
const mostPages = 40

export interface TelnyxApi {
  /** Asks for a call. Its failure says what is certain. */
  readonly dial: (command: Readonly<Record<string, unknown>>) => Effect.Effect<Call, Telephony.DialFailed>
  /** None when Telnyx does not know the call, or not any more: it forgets a call ten minutes after its end. */
  readonly get: (callControlId: string) => Effect.Effect<Option.Option<Call>, TelnyxUnreachable>
  /** The calls of the application that live. */
  readonly active: Effect.Effect<ReadonlyArray<Call>, TelnyxUnreachable>
  /** The webhooks of a call, or of the last day's calls to a number, oldest first. */
  readonly past: (
    of: { readonly legId: string } | { readonly to: string }
  ) => Effect.Effect<ReadonlyArray<PastEvent>, TelnyxUnreachable>
  /** Ends the call in whatever state it is; safe to repeat. */
  readonly hangUp: (callControlId: string) => Effect.Effect<void, TelnyxUnreachable>
  /** Connects an answered call with a relay. The same `command_id` again does nothing. */
  readonly startRelay: (
    callControlId: string,
    command: Readonly<Record<string, unknown>>
  ) => Effect.Effect<void, TelnyxUnreachable>
  /**
   * Calls a number, and connects the answered call with it. Its failure says what is certain, as that of a dial.
   * https://developers.telnyx.com/api-reference/call-commands/transfer-call
   */
  readonly transfer: (
    callControlId: string,
    command: Readonly<Record<string, unknown>>
  ) => Effect.Effect<void, Telephony.DialFailed>
  readonly stopRecording: (callControlId: string) => Effect.Effect<void, TelnyxUnreachable>
  /** The audio at the address of a webhook. It is signed, and needs no key. */
  readonly recording: (
    url: string
  ) => Effect.Effect<Recordings.Recording, TelnyxUnreachable | SingleRequest.RecordingTooLong>
  /** Deletes the recordings of a call; safe to repeat. */
  readonly removeRecordings: (legId: string) => Effect.Effect<void, TelnyxUnreachable>
  /** The Call Control application; none when it does not exist. */
  readonly application: Effect.Effect<Option.Option<Application>, TelnyxUnreachable>
  /** The outbound voice profile; none when it does not exist. */
  readonly profile: (id: string) => Effect.Effect<Option.Option<Profile>, TelnyxUnreachable>
  /** Whether calls may show this number: it is the account's, or verified by it. */
  readonly isCallerId: (number: string) => Effect.Effect<boolean, TelnyxUnreachable>
  /** How far our clock is ahead of Telnyx's, in milliseconds, give or take a second; none if Telnyx does not say. */
  readonly clockAhead: Effect.Effect<number | undefined, TelnyxUnreachable>
  /** What the account may still spend, in its currency; none when the key may not see it. */
  readonly credit: Effect.Effect<Option.Option<number>, TelnyxUnreachable>
}

export const make = Effect.fnUntraced(function*({ apiKey, apiUrl, connectionId }: TelnyxApiOptions): Effect.fn.Return<
  TelnyxApi,
  never,
  HttpClient.HttpClient
> {
  const client = yield* HttpClient.HttpClient
  const base = `${apiUrl}/v2`
  const callUrl = (callControlId: string, action = "") => `${base}/calls/${encodeURIComponent(callControlId)}${action}`

  const send = (request: HttpClientRequest.HttpClientRequest) =>
    SingleRequest.send(HttpClientRequest.bearerToken(request, Redacted.value(apiKey))).pipe(
      Effect.provideService(HttpClient.HttpClient, client)
    )

  const ask = (request: HttpClientRequest.HttpClientRequest) => Effect.mapError(send(request), unreachable)

  const post = (url: string, body: Readonly<Record<string, unknown>>) =>
    HttpClientRequest.post(url).pipe(HttpClientRequest.bodyJsonUnsafe(body))

  const get = Effect.fnUntraced(function*<A>(
    url: string,
    decode: (body: string) => Effect.Effect<A, unknown>
  ) {
    const answer = yield* ask(HttpClientRequest.get(url))
    if (isUnknown(answer)) return Option.none<A>()
    if (answer.status !== 200) return yield* refused(answer)
    return Option.some(yield* Effect.mapError(decode(answer.body), unreachable))
  })

  /** All entries of a list, page by page. */
  const list = Effect.fnUntraced(function*<A>(
    url: string,
    query: Readonly<Record<string, string>>,
    decode: (body: string) => Effect.Effect<Page<A>, unknown>
  ) {
    const entries: Array<A> = []
    let next: Readonly<Record<string, string>> | undefined = {}
    for (let page = 1; next !== undefined; page++) {
      const answer: SingleRequest.Answer = yield* ask(
        HttpClientRequest.get(url).pipe(
          HttpClientRequest.setUrlParams({ ...query, "page[size]": String(pageSize), ...next })
        )
      )
      if (answer.status !== 200) return yield* refused(answer)
      const { data, meta }: Page<A> = yield* Effect.mapError(decode(answer.body), unreachable)
      entries.push(...data)
      next = data.length === 0 ? undefined : following(meta, page)
      // What is in no page may live.
      if (next !== undefined && page === mostPages) return yield* unreachable(new Error("Too long a list"))
    }
    return entries
  })

  const command = Effect.fnUntraced(function*(url: string, body: Readonly<Record<string, unknown>>) {
    const answer = yield* ask(post(url, body))
    if (isUnknown(answer) || isOver(answer)) return
    if (answer.status !== 200) return yield* refused(answer)
    // A page of a proxy, or an error inside, has done nothing.
    yield* Effect.mapError(decodeDone(answer.body), unreachable)
  })

  return {
    dial: Effect.fnUntraced(function*(body) {
      const answer = yield* Effect.mapError(send(post(`${base}/calls`, body)), TelnyxErrors.failureWithout)
      if (answer.status !== 200 && answer.status !== 201) {
        return yield* TelnyxErrors.failureOf(answer.status, answer.body)
      }
      // A success that cannot be read may still ring.
      return yield* Effect.mapError(decodeCall(answer.body), TelnyxErrors.failureWithout)
    }),
    get: (callControlId) => get(callUrl(callControlId), decodeCall),
    active: list(`${base}/connections/${encodeURIComponent(connectionId)}/active_calls`, {}, decodeCalls),
    past: (of) =>
      Effect.map(
        list(`${base}/call_events`, {
          "filter[type]": "webhook",
          ...("legId" in of
            ? { "filter[leg_id]": of.legId }
            : { "filter[to]": of.to, "filter[product]": "call_control" })
        }, decodePast),
        (entries) =>
          entries.map(pastEventOf).sort((one, other) =>
            (one.at?.epochMilliseconds ?? 0) - (other.at?.epochMilliseconds ?? 0)
          )
      ),
    hangUp: (callControlId) => command(callUrl(callControlId, "/actions/hangup"), {}),
    startRelay: (callControlId, body) => command(callUrl(callControlId, "/actions/conversation_relay_start"), body),
    transfer: Effect.fnUntraced(function*(callControlId, body) {
      const request = post(callUrl(callControlId, "/actions/transfer"), body)
      const answer = yield* Effect.mapError(send(request), TelnyxErrors.failureWithout)
      if (answer.status !== 200) return yield* TelnyxErrors.failureOf(answer.status, answer.body)
    }),
    stopRecording: (callControlId) => command(callUrl(callControlId, "/actions/record_stop"), {}),
    recording: (url) =>
      SingleRequest.download(HttpClientRequest.get(url)).pipe(
        Effect.provideService(HttpClient.HttpClient, client),
        Effect.mapError((cause) => cause._tag === "RecordingTooLong" ? cause : unreachable(cause))
      ),
    removeRecordings: Effect.fnUntraced(function*(legId) {
      const found = yield* list(`${base}/recordings`, { "filter[call_leg_id]": legId }, decodeRecordings)
      if (found.length === 0) return yield* unreachable(new Error("There is no such recording"))
      for (const { id } of found) {
        const answer = yield* ask(HttpClientRequest.delete(`${base}/recordings/${encodeURIComponent(id)}`))
        if (answer.status !== 200 && answer.status !== 204 && !isUnknown(answer)) return yield* refused(answer)
      }
    }),
    profile: (id) => get(`${base}/outbound_voice_profiles/${encodeURIComponent(id)}`, decodeProfile),
    isCallerId: Effect.fnUntraced(function*(number) {
      const owned = yield* list(`${base}/phone_numbers`, { "filter[phone_number]": number }, decodeNumbers)
      if (owned.some((one) => one.phone_number === number)) return true
      const answer = yield* ask(HttpClientRequest.get(`${base}/verified_numbers/${encodeURIComponent(number)}`))
      if (answer.status !== 200 && answer.status !== 404) return yield* refused(answer)
      return answer.status === 200
    }),
    clockAhead: Effect.map(
      ask(HttpClientRequest.get(`${base}/call_control_applications/${encodeURIComponent(connectionId)}`)),
      ({ clockAhead }) => clockAhead
    ),
    application: get(`${base}/call_control_applications/${encodeURIComponent(connectionId)}`, decodeApplication),
    credit: Effect.gen(function*() {
      const answer = yield* ask(HttpClientRequest.get(`${base}/balance`))
      if (answer.status === 403 && TelnyxErrors.decodeError(answer.body) !== undefined) return Option.none()
      if (answer.status !== 200) return yield* refused(answer)
      const { data } = yield* Effect.mapError(decodeBalance(answer.body), unreachable)
      return Option.some(data.available_credit)
    })
  }
})

const unreachable = (cause: unknown) =>
  new TelnyxUnreachable({
    cause: cause instanceof TelnyxErrors.TelnyxError ? cause : TelnyxErrors.withoutRequest(cause)
  })

const refused = ({ body, status }: SingleRequest.Answer) =>
  new TelnyxUnreachable({ cause: TelnyxErrors.failureOf(status, body).cause })

/** 10005, not found; 90015, no valid id of a call. */
const unknownCodes: ReadonlySet<string> = new Set(["10005", "90015"])

const isUnknown = ({ body, status }: SingleRequest.Answer) =>
  (status === 404 || status === 422) && unknownCodes.has(TelnyxErrors.decodeError(body)?.code ?? "")

/** 90018: the call has ended already. */
const isOver = ({ body }: SingleRequest.Answer) => TelnyxErrors.decodeError(body)?.code === "90018"

const Meta = Schema.Struct({
  total_pages: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  cursors: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ after: Schema.optionalKey(Schema.NullOr(Schema.String)) }))
  )
})

interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly meta?: typeof Meta.Type | undefined
}

/** Some of Telnyx's lists count their pages, and some have cursors. */
const following = (
  meta: Page<unknown>["meta"],
  page: number
): Readonly<Record<string, string>> | undefined => {
  const after = meta?.cursors?.after ?? ""
  if (after !== "") return { "page[after]": after }
  return page < (meta?.total_pages ?? 0) ? { "page[number]": String(page + 1) } : undefined
}

const decodeCallIn = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ data: Call })))
const decodeCall = (body: string) => Effect.map(decodeCallIn(body), ({ data }) => data)

/** https://developers.telnyx.com/api-reference/call-commands/hangup-call */
const decodeDone = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ data: Schema.Struct({ result: Schema.optionalKey(Schema.String) }) }))
)

const decodeApplicationIn = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ data: Application })))
const decodeApplication = (body: string) => Effect.map(decodeApplicationIn(body), ({ data }) => data)

const decodeProfileIn = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ data: Profile })))
const decodeProfile = (body: string) => Effect.map(decodeProfileIn(body), ({ data }) => data)

const Numbered = Schema.Struct({ phone_number: Schema.String })
/**
 * A decimal number as text: the balance and the limit of the credit together.
 * https://developers.telnyx.com/api-reference/billing/get-user-balance-details
 */
const Balance = Schema.Struct({ available_credit: Schema.FiniteFromString })

const decodeBalance = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ data: Balance })))

const pageOf = <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  Schema.decodeUnknownEffect(
    Schema.fromJsonString(Schema.Struct({ data: Schema.Array(schema), meta: Schema.optionalKey(Meta) }))
  )

const decodeCalls = pageOf(Call)
const decodeNumbers = pageOf(Numbered)
const decodePast = pageOf(PastEntry)
const decodeRecordings = pageOf(Schema.Struct({ id: Schema.String }))
