/**
 * A Twilio for tests, over real HTTP and WebSockets: the part of its API that places calls, signed callbacks, and the relay that turns a
 * call into text. It says which phones rang. Its faults are those that a network and a carrier have.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { createHmac, randomBytes } from "node:crypto"
import { byLastDigit } from "../fake-carrier/Callee.ts"
import * as FakeCalls from "../fake-carrier/FakeCalls.ts"
import * as Contact from "../fake-carrier/FakeContact.ts"
import * as FakeServer from "../fake-carrier/FakeServer.ts"
import * as Stream from "../fake-carrier/FakeStream.ts"
import * as Lifelike from "../fake-carrier/Lifelike.ts"
import * as Tones from "../voice/Tones.ts"
import * as CallForm from "./CallForm.ts"

export { type Callee, lifelike, quick, type Timings } from "../fake-carrier/Callee.ts"
export type { Delivery, Fault, Progress } from "../fake-carrier/FakeCalls.ts"
export type { Condition, Exchange } from "../fake-carrier/FakeServer.ts"

/** A call, with the form that asked for it. */
export type FakeCall = FakeCalls.FakeCall<URLSearchParams>

export interface FakeTwilioOptions extends FakeCalls.FakeCallsOptions<URLSearchParams> {
  readonly accountSid?: string
  readonly authToken?: string
  /** An API key of the account, which requests may use in place of the auth token. Default: none. */
  readonly apiKey?: { readonly sid: string; readonly secret: string }
  /** The numbers that calls may show: they are the account's. Default: any. */
  readonly callerIds?: ReadonlyArray<string>
  /** Whether nothing is heard in its recordings, so that there are none. Default: `false`. */
  readonly isSilent?: boolean
  /** Is given each request to the API and the response to it, such as to check them. Default: nothing is. */
  readonly observe?: (exchange: FakeServer.Exchange) => void
  /** The sound of a contact's line in Media Streams, in mu-law. Default: a tone of 300 Hz, 20 ms for each character. */
  readonly voice?: (text: string) => Uint8Array
}

export class FakeTwilio extends Context.Service<
  FakeTwilio,
  & FakeCalls.Controls<URLSearchParams>
  & FakeServer.FakeServer
  & {
    readonly accountSid: string
    readonly authToken: string
    /** The signature of a request with this form; of a socket, without one. */
    readonly sign: (url: string, form?: URLSearchParams) => string
  }
>()("@outdial/testkit/fake-twilio/FakeTwilio") {
  static readonly layer = (options: FakeTwilioOptions = {}): Layer.Layer<FakeTwilio> =>
    Layer.effect(FakeTwilio, make(options))
}

/**
 * A fake to try, until the scope closes: its contacts talk as people do, and the last digits of a number choose what becomes of a call.
 * Returns the variables with which `outdial serve` calls over it.
 */
export const start = (
  options: Lifelike.StartOptions = {}
): Effect.Effect<Readonly<Record<string, string>>, never, Scope.Scope> =>
  Effect.map(make(Lifelike.options(options)), ({ accountSid, authToken, url }) => ({
    TWILIO_ACCOUNT_SID: accountSid,
    TWILIO_AUTH_TOKEN: authToken,
    TWILIO_API_URL: url,
    TWILIO_CALLER_ID: Lifelike.callerId
  }))

/**
 * How Twilio repeats a callback: once, and only if it could not connect, unless the fragment of the address says otherwise. The retry
 * policies that the fake knows are `ct`, the default, and `all`.
 * https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides
 */
const retriesOf = (fragment: string): Pick<FakeCalls.Message, "accepts" | "retriesAfter"> => {
  const overrides = new URLSearchParams(fragment)
  return {
    retriesAfter: Array.from({ length: Number(overrides.get("rc") ?? 1) }, () => 0),
    accepts: overrides.get("rp") === "all" ? (status) => status >= 200 && status < 400 : (status) => status > 0
  }
}

const make = Effect.fnUntraced(
  function*(
    { accountSid = `AC${"0".repeat(32)}`, authToken = "token of the fake", ...options }: FakeTwilioOptions
  ): Effect.fn.Return<FakeTwilio["Service"], never, Scope.Scope> {
    const account = `/2010-04-01/Accounts/${accountSid}`

    const sequences = new Map<string, number>()
    /** The number of the next callback of the call's status, from 0. */
    const sequenceOf = ({ id }: FakeCall): number => {
      const next = sequences.get(id) ?? 0
      sequences.set(id, next + 1)
      return next
    }

    /** How long calls wait that say so, in milliseconds. */
    const waits = new Map<string, number>()

    /** The calls whose recording was stopped. */
    const unrecorded = new Set<string>()
    const isRecorded = ({ id, request }: FakeCall) => request.get("Record") === "true" && !unrecorded.has(id)

    const sign = (url: string, form: URLSearchParams = new URLSearchParams()) => {
      const keys = [...new Set(form.keys())].sort()
      const fields = keys.map((key) => [...new Set(form.getAll(key))].sort().map((value) => key + value).join("")).join(
        ""
      )
      return createHmac("sha1", authToken).update(url + fields).digest("base64")
    }

    const messageOf = (address: string, form: URLSearchParams): FakeCalls.Message => {
      const [url = "", fragment = ""] = address.split("#")
      return {
        url,
        body: form.toString(),
        headers: () => ({
          "content-type": "application/x-www-form-urlencoded",
          "x-twilio-signature": sign(url, form)
        }),
        ...retriesOf(fragment)
      }
    }

    const fieldsOf = (call: FakeCall) => ({
      AccountSid: accountSid,
      CallSid: call.id,
      CallStatus: call.status,
      To: call.to,
      From: call.from,
      Direction: "outbound-api"
    })

    const write = (call: FakeCall, progress: FakeCalls.Progress, at: Date): FakeCalls.Message | undefined => {
      const address = call.request.get(addresses[progress] ?? "StatusCallback")
      // It waits with its verdict for the end of the greeting, and tells of the session when it asks what follows.
      if (address === null || progress === "greeting_ended" || progress === "session_ended") return undefined
      if (progress === "recorded") {
        return messageOf(
          address,
          new URLSearchParams({
            AccountSid: accountSid,
            CallSid: call.id,
            RecordingSid: recordingOf(call),
            RecordingStatus: options.isSilent === true ? "absent" : "completed",
            RecordingUrl: `https://api.twilio.com${account}/Recordings/${recordingOf(call)}`,
            RecordingChannels: "2"
          })
        )
      }
      const form = new URLSearchParams({
        ...fieldsOf(call),
        ...(progress === "initiated" && { CallStatus: "initiated" }),
        ...(progress === "verdict"
          ? { AnsweredBy: answeredBy(call) ?? "unknown" }
          : {
            CallbackSource: "call-progress-events",
            SequenceNumber: String(sequenceOf(call)),
            Timestamp: at.toUTCString()
          }),
        ...(progress === "ended" && {
          CallDuration: String(durationOf(call)),
          ...(call.answeredBy !== undefined && { AnsweredBy: answeredBy(call) ?? "unknown" })
        })
      })
      return messageOf(address, form)
    }

    /** Calls another number for the contact, whose callee decides what becomes of it. Returns what follows. */
    const transfer = (call: FakeCall, { action, from, to }: Transfer) => {
      const { _tag } = (options.callee ?? byLastDigit)(to)
      const status = _tag === "Busy" ? "busy" : _tag === "NeverAnswers" ? "no-answer" : "completed"
      call.transfers.push({ to, from, status })
      return fake.post(messageOf(action, new URLSearchParams({ ...fieldsOf(call), DialCallStatus: status })))
    }

    /** Instructions that replace those of a call, and end its session. */
    const instructed = new Map<string, string>()

    /** Exchanges sound until the socket is closed; what follows then, unless the call has ended. */
    const listen = async (call: FakeCall, { redirect, url }: Streamed) => {
      const streamSid = `MZ${randomBytes(16).toString("hex")}`
      const over = await fake.hold(call, ({ hangsUp, reply, says, words }) =>
        Stream.make({
          hangsUp,
          reply,
          says,
          words,
          url,
          streamSid,
          heard: call.heard,
          voice: options.voice ?? ((text) => Tones.tone({ format: "mulaw", hertz: 300, millis: 20 * text.length })),
          headers: { "x-twilio-signature": sign(url) },
          start: {
            streamSid,
            accountSid,
            callSid: call.id,
            tracks: ["inbound"],
            customParameters: {},
            mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 1 }
          }
        }))
      if (call.endedAt !== undefined) return undefined
      if (over._tag === "Said") {
        await fake.finish(call, "completed")
        return undefined
      }
      const replaced = instructed.get(call.id)
      instructed.delete(call.id)
      if (replaced !== undefined) return replaced
      const next = await fake.post(messageOf(redirect, new URLSearchParams(fieldsOf(call))))
      if (next.status === 200) return next.text
      await fake.finish(call, "completed")
      return undefined
    }

    /** Follows the instructions, and what the application answers when a session or a call to another number has ended. */
    const converse = async (call: FakeCall) => {
      for (let instructions = call.request.get("Twiml") ?? ""; call.endedAt === undefined;) {
        const stream = streamOf(instructions)
        if (stream !== undefined) {
          const next = await listen(call, stream)
          if (next === undefined) return
          instructions = next
          continue
        }
        const other = transferOf(instructions)
        if (other !== undefined) {
          const next = await transfer(call, other)
          if (next.status !== 200) return fake.finish(call, "failed")
          instructions = next.text
          continue
        }
        const connection = connectionOf(instructions)
        if (connection === undefined) {
          await new Promise((resolve) => setTimeout(resolve, pauseOf(instructions) * fake.timings.retry).unref())
          return fake.finish(call, "completed")
        }
        const over = await fake.hold(call, (contact) =>
          Contact.make({
            ...contact,
            url: connection.url,
            headers: { "x-twilio-signature": sign(connection.url) },
            setup: {
              type: "setup",
              sessionId: `VX${call.id.slice(2)}`,
              accountSid,
              callSid: call.id,
              from: call.from,
              to: call.to
            },
            reportsPlayed: true
          }))
        if (call.endedAt !== undefined) return
        if (over._tag === "Said") return fake.finish(call, "completed")
        const form = new URLSearchParams({
          ...fieldsOf(call),
          SessionStatus: over._tag === "Ended" ? "ended" : "failed",
          ...(over._tag === "Ended" && over.handoffData !== undefined && { HandoffData: over.handoffData })
        })
        const next = await fake.post(messageOf(connection.action, form))
        // It says that an application error has occurred, and hangs up.
        if (next.status !== 200) return fake.finish(call, "completed")
        instructions = next.text
      }
    }

    const fake: FakeCalls.FakeCalls<URLSearchParams> = yield* FakeCalls.make<URLSearchParams>(options, {
      newId: () => `CA${randomBytes(16).toString("hex")}`,
      write,
      records: isRecorded,
      converse
    })

    const resource = (call: FakeCall) => ({
      sid: call.id,
      account_sid: accountSid,
      to: call.to,
      from: call.from,
      status: call.status,
      direction: "outbound-api",
      date_created: call.createdAt.toUTCString(),
      start_time: call.answeredAt?.toUTCString() ?? null,
      end_time: call.endedAt?.toUTCString() ?? null,
      duration: call.endedAt === undefined ? null : String(durationOf(call)),
      answered_by: answeredBy(call) ?? null,
      price: call.price === undefined ? null : `-${call.price}`,
      price_unit: "USD",
      queue_time: String(waits.get(call.id) ?? 0)
    })

    const failed = (status: number, code: number, message: string): FakeServer.ApiAnswer => ({
      status,
      body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }
    })

    const create = (form: URLSearchParams): FakeServer.ApiAnswer => {
      const asked = { to: form.get("To") ?? "", from: form.get("From") ?? "", request: form }
      const refusal = CallForm.refusalOf(form)
      if (refusal !== undefined) return failed(400, refusal.code, refusal.message)
      const fault = fake.nextFault(asked.to)
      switch (fault) {
        case "reset":
          return FakeServer.lost
        case "refused":
          return failed(400, 21211, "The phone number is not valid")
        case "too_many":
          return failed(429, 20429, "Too many requests")
        case "unauthorized":
          return failed(401, 20003, "Authenticate")
        default: {
          const ringsAfter = typeof fault === "object" && "ringsAfter" in fault ? fault.ringsAfter : 0
          const call = fake.place(asked, ringsAfter)
          if (typeof fault === "object" && "isAnnounced" in fault) waits.set(call.id, ringsAfter)
          if (fault === "response_lost") return FakeServer.lost
          if (fault === "error_500") return { status: 500, body: {} }
          if (fault === "html") return { status: 502, body: "<html>Bad gateway</html>" }
          if (fault === "error_200") {
            return { status: 200, body: failed(400, 21211, "The phone number is not valid").body }
          }
          if (fault === "twin") return { status: 201, body: resource(fake.place(asked)) }
          const isCut = typeof fault === "object" && "cutAfter" in fault
          return { status: 201, body: resource(call), ...(isCut && { cutAfter: fault.cutAfter }) }
        }
      }
    }

    const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
    const credentials = [
      basic(accountSid, authToken),
      ...options.apiKey === undefined ? [] : [basic(options.apiKey.sid, options.apiKey.secret)]
    ]
    const isCreate = ({ method, path }: { readonly method: string; readonly path: string }) =>
      method === "POST" && path === `${account}/Calls.json`

    const respond = async (request: FakeServer.ApiRequest): Promise<FakeServer.ApiAnswer> => {
      const { headers, isUnauthorized, method, path, query } = request
      if (isUnauthorized || !credentials.includes(headers.authorization ?? "")) {
        return failed(401, 20003, "Authenticate")
      }
      if (path === `${account}.json`) return { status: 200, body: { sid: accountSid, status: "active", type: "Full" } }
      if (path === `${account}/IncomingPhoneNumbers.json` || path === `${account}/OutgoingCallerIds.json`) {
        const number = query.get("PhoneNumber") ?? ""
        const isOurs = path.includes("Incoming") && (options.callerIds ?? [number]).includes(number)
        const list = path.includes("Incoming") ? "incoming_phone_numbers" : "outgoing_caller_ids"
        return { status: 200, body: { [list]: isOurs ? [{ phone_number: number }] : [] } }
      }
      if (isCreate(request)) return create(new URLSearchParams(request.body))
      if (path === `${account}/Calls.json`) {
        const found = fake.calls.filter(({ from, to }) =>
          to === (query.get("To") ?? to) && from === (query.get("From") ?? from)
        )
        return { status: 200, body: { calls: found.toReversed().map(resource) } }
      }
      const [, recording] = /\/Recordings\/RE([0-9a-f]{32})\.(?:wav|json)$/.exec(path) ?? []
      if (recording !== undefined) {
        const audio = fake.recordings.get(`CA${recording}`)
        if (audio === undefined) return failed(404, 20404, "The requested resource was not found")
        if (method !== "DELETE") return { status: 200, body: audio }
        fake.recordings.delete(`CA${recording}`)
        return { status: 204, body: "" }
      }
      const stopped = /\/Calls\/(CA[0-9a-f]{32})\/Recordings\/Twilio\.CURRENT\.json$/.exec(path)?.[1]
      if (stopped !== undefined && method === "POST") {
        const call = fake.calls.find(({ endedAt, id }) => id === stopped && endedAt === undefined)
        if (call === undefined || !isRecorded(call)) return failed(404, 20404, "The requested resource was not found")
        unrecorded.add(call.id)
        void fake.record(call)
        return { status: 200, body: { call_sid: stopped, status: "stopped" } }
      }
      const sid = /\/Calls\/(CA[0-9a-f]{32})\.json$/.exec(path)?.[1]
      const call = fake.calls.find(({ id }) => id === sid)
      if (call === undefined) return failed(404, 20404, "The requested resource was not found")
      if (method === "POST") {
        if (call.endedAt !== undefined) return failed(400, 21220, "Invalid call state")
        const twiml = new URLSearchParams(request.body).get("Twiml")
        if (twiml === null) await fake.hangUp(call)
        else {
          instructed.set(call.id, twiml)
          fake.cutSocket(call.id)
        }
      }
      return { status: 200, body: resource(call) }
    }

    const server = yield* FakeServer.make(respond, {
      cutRequestAfter: (request) => isCreate(request) ? fake.nextCut() : undefined,
      observe: options.observe
    })
    return FakeTwilio.of({ ...server, ...FakeCalls.controls(fake), accountSid, authToken, sign })
  }
)

/** The fields with the addresses of callbacks; of all others, `StatusCallback`. */
const addresses: Partial<Record<FakeCalls.Progress, string>> = {
  verdict: "AsyncAmdStatusCallback",
  recorded: "RecordingStatusCallback"
}

const recordingOf = ({ id }: FakeCall) => `RE${id.slice(2)}`

const answeredBy = (call: FakeCall) => call.answeredBy === "machine" ? "machine_end_beep" : call.answeredBy

const seconds = (date: Date) => Math.floor(date.getTime() / 1000)

const durationOf = ({ answeredAt, endedAt }: FakeCall) =>
  answeredAt === undefined || endedAt === undefined ? 0 : seconds(endedAt) - seconds(answeredAt)

/** A call to another number for the contact. */
interface Transfer {
  readonly to: string
  readonly from: string | undefined
  /** Where to ask what follows. */
  readonly action: string
}

/** The call to another number in TwiML, if there is one. */
const transferOf = (twiml: string): Transfer | undefined => {
  const [, attributes = "", to] = /<Dial([^>]*)>\s*<Number>([^<]*)<\/Number>/.exec(twiml) ?? []
  const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1]?.replaceAll("&amp;", "&")
  const action = attribute("action")
  return to === undefined || action === undefined ? undefined : { to, from: attribute("callerId"), action }
}

/** How long nothing happens, in milliseconds. */
const pauseOf = (twiml: string): number => Number(/<Pause length="(\d+)"/.exec(twiml)?.[1] ?? 0) * 1_000

/** A socket for sound. */
interface Streamed {
  readonly url: string
  /** Where to ask what follows. */
  readonly redirect: string
}

/** The address of the socket for sound in TwiML, if there is one. */
const streamOf = (twiml: string): Streamed | undefined => {
  const [, url] = /<Stream url="([^"]*)"/.exec(twiml) ?? []
  const [, redirect] = /<Redirect[^>]*>([^<]*)<\/Redirect>/.exec(twiml) ?? []
  return url === undefined || redirect === undefined
    ? undefined
    : { url: url.replaceAll("&amp;", "&"), redirect: redirect.replaceAll("&amp;", "&") }
}

/** The relay's address in TwiML, and where to ask what follows; `undefined` when the call is to end. */
const connectionOf = (twiml: string): { readonly url: string; readonly action: string } | undefined => {
  const attribute = (element: string, name: string) =>
    new RegExp(`<${element}[^>]* ${name}="([^"]*)"`).exec(twiml)?.[1]?.replaceAll("&amp;", "&")
  const [url, action] = [attribute("ConversationRelay", "url"), attribute("Connect", "action")]
  return url === undefined || action === undefined ? undefined : { url, action }
}
