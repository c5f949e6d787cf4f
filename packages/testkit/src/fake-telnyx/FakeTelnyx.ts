/**
 * A Telnyx for tests, over real HTTP and WebSockets: the part of Call Control that places calls, signed webhooks, and the relay that turns
 * a call into text. It says which phones rang. Its faults are those that a network and a carrier have.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { generateKeyPairSync, randomBytes, sign as signBytes } from "node:crypto"
import * as FakeCalls from "../fake-carrier/FakeCalls.ts"
import * as Contact from "../fake-carrier/FakeContact.ts"
import * as FakeServer from "../fake-carrier/FakeServer.ts"
import * as Lifelike from "../fake-carrier/Lifelike.ts"
import { failed, paged } from "./Answers.ts"
import * as CommandRules from "./CommandRules.ts"
import { type Webhook, webhookFor } from "./Webhooks.ts"

export { type Callee, lifelike, quick, type Timings } from "../fake-carrier/Callee.ts"
export type { Delivery, Fault, Progress } from "../fake-carrier/FakeCalls.ts"
export type { Condition } from "../fake-carrier/FakeServer.ts"

/** The command that dials, as far as the fake reads it. */
export interface DialCommand {
  readonly connection_id: string
  readonly to: string
  readonly from: string
  readonly command_id?: string
  readonly client_state?: string
  readonly webhook_url?: string
  readonly webhook_retries_policies?: Readonly<Record<string, { readonly retries_ms?: ReadonlyArray<number> }>>
  readonly retry_on_timeout?: boolean
  readonly answering_machine_detection?: string
  readonly record?: string
  readonly conversation_relay_config?: RelayConfig
}

interface RelayConfig {
  readonly url: string
}

/** The command that transfers a call, as far as the fake reads it. */
interface TransferCommand extends Pick<DialCommand, "webhook_retries_policies" | "webhook_url"> {
  readonly to: string
  readonly from?: string
  readonly target_leg_client_state?: string
}

/** A call, with the command that asked for it. */
export type FakeCall = FakeCalls.FakeCall<DialCommand>

export interface FakeTelnyxOptions extends FakeCalls.FakeCallsOptions<DialCommand> {
  readonly apiKey?: string
  readonly connectionId?: string
  /** The numbers that calls may show: they are the account's. Default: any. */
  readonly callerIds?: ReadonlyArray<string>
  /** The list of call events has empty metadata, as in Telnyx's example of it. Default: the webhooks. */
  readonly hidesMetadata?: boolean
}

/** The account at Telnyx, which a test may change. */
export interface FakeAccount {
  /** A decimal number of dollars. Without it, calls and transfers are refused. */
  credit: string
  /** Whether the application exists. Without it, calls are refused. */
  hasApplication: boolean
  /** How many calls its outbound voice profile takes at once, as it says; the fake takes any number. */
  concurrentCalls: number | null
  /** Whether the list of call events can be read. */
  listsEvents: boolean
}

export class FakeTelnyx extends Context.Service<
  FakeTelnyx,
  & FakeCalls.Controls<DialCommand>
  & FakeServer.FakeServer
  & {
    readonly apiKey: string
    readonly connectionId: string
    /** In base64, as the portal shows it. */
    readonly publicKey: string
    readonly account: FakeAccount
    /** The headers of a webhook with this body, sent at `at`. */
    readonly sign: (body: string, at?: Date) => Record<string, string>
    /** The body of a webhook of the call. */
    readonly webhookOf: (call: FakeCall, type: string, payload?: Readonly<Record<string, unknown>>) => string
  }
>()("@outdial/testkit/fake-telnyx/FakeTelnyx") {
  static readonly layer = (options: FakeTelnyxOptions = {}): Layer.Layer<FakeTelnyx> =>
    Layer.effect(FakeTelnyx, make(options))
}

/**
 * A fake to try, until the scope closes: its contacts talk as people do, and the last digits of a number choose what becomes of a call.
 * Returns the variables with which `outdial serve` calls over it.
 */
export const start = (
  options: Lifelike.StartOptions = {}
): Effect.Effect<Readonly<Record<string, string>>, never, Scope.Scope> =>
  Effect.map(make(startOptions(options)), ({ apiKey, connectionId, publicKey, url }) => ({
    TELNYX_API_KEY: apiKey,
    TELNYX_CONNECTION_ID: connectionId,
    TELNYX_PUBLIC_KEY: publicKey,
    TELNYX_API_URL: url,
    TELNYX_CALLER_ID: Lifelike.callerId
  }))

/** The application estimates when the agent has finished, with a second or so of grace that no speed shortens. */
const startOptions = (options: Lifelike.StartOptions): FakeTelnyxOptions => {
  const { timings, ...others } = Lifelike.options(options)
  return { ...others, timings: { ...timings, reply: 1_000 } }
}

const profileId = "1293384261075731499"

/** Within this time a command with the same `command_id` is ignored. */
const duplicatesFor = 60_000

/** How long a call can be asked for after its end. */
const forgottenAfter = 600_000

/** A webhook that was made, as the list of call events shows it. */
interface PastEvent {
  readonly call: FakeCall
  readonly type: string
  readonly at: Date
  readonly webhook: unknown
}

const make = Effect.fnUntraced(
  function*(
    { apiKey = "key of the fake", connectionId = "1494404757140276705", hidesMetadata = false, ...options }:
      FakeTelnyxOptions
  ): Effect.fn.Return<FakeTelnyx["Service"], never, Scope.Scope> {
    const keys = generateKeyPairSync("ed25519")
    const past: Array<PastEvent> = []
    const account: FakeAccount = { credit: "100.00", hasApplication: true, concurrentCalls: null, listsEvents: true }
    /** What the latest command has given. */
    const states = new Map<string, string>()
    const relays = new Map<string, RelayConfig>()
    const commands = new Set<string>()
    /** The contact's calls, by those to the numbers that they are transferred to. */
    const contacts = new Map<FakeCall, FakeCall>()
    /** The calls whose recording was stopped. */
    const stopped = new Set<string>()

    const sign = (body: string, at = new Date()) => {
      const timestamp = String(Math.floor(at.getTime() / 1000))
      return {
        "content-type": "application/json",
        "telnyx-timestamp": timestamp,
        "telnyx-signature-ed25519": signBytes(null, Buffer.from(`${timestamp}|${body}`), keys.privateKey).toString(
          "base64"
        )
      }
    }

    const eventOf = (call: FakeCall, type: string, at: Date, payload: Readonly<Record<string, unknown>>) => ({
      data: {
        record_type: "event",
        event_type: type,
        id: randomBytes(16).toString("hex"),
        occurred_at: at.toISOString(),
        payload: {
          call_control_id: call.id,
          call_leg_id: legOf(call),
          call_session_id: legOf(call),
          client_state: states.get(call.id) ?? call.request.client_state ?? null,
          connection_id: connectionId,
          from: call.from,
          to: call.to,
          ...payload
        }
      },
      meta: { attempt: 1, delivered_to: call.request.webhook_url }
    })

    /** The webhook of a recording names the leg alone. Its address needs no key. */
    const recordedIn = (call: FakeCall, progress: FakeCalls.Progress) =>
      progress === "recorded"
        ? {
          type: "call.recording.saved",
          payload: {
            call_control_id: undefined,
            channels: "dual",
            recording_urls: { wav: `${server.url}/recordings/${encodeURIComponent(call.id)}` }
          }
        }
        : undefined

    const write: FakeCalls.Wire<DialCommand>["write"] = (call, progress, at, reason) => {
      const described = webhookFor(call, progress, reason) ?? recordedIn(call, progress)
      return described === undefined ? undefined : messageOf(call, described, at)
    }

    const messageOf = (call: FakeCall, { payload, type }: Webhook, at: Date): FakeCalls.Message | undefined => {
      const webhook = eventOf(call, type, at, payload)
      // Also those that go elsewhere, or are lost on their way.
      past.push({ call, type, at, webhook })
      const url = call.request.webhook_url
      if (url === undefined) return undefined
      const body = JSON.stringify(webhook)
      const { retries_ms: delays = [] } = call.request.webhook_retries_policies?.[type] ?? {}
      return { url, body, headers: () => sign(body), retriesAfter: delays.map((delay) => delay * fake.timings.retry) }
    }

    /** Holds a session of the relay after the other, each as it was last asked for. */
    const converse = async (call: FakeCall) => {
      const config = call.request.conversation_relay_config
      if (config !== undefined) await session(call, config)
      const contact = contacts.get(call)
      if (contact !== undefined) bridge(call, contact)
    }

    /** Connects the two calls. Who has taken the transferred one ends it after a word. */
    const bridge = (call: FakeCall, contact: FakeCall) => {
      for (const leg of [call, contact]) {
        const message = messageOf(leg, { type: "call.bridged", payload: {} }, new Date())
        if (message !== undefined) void fake.post(message)
      }
      if (fake.callee(call)._tag === "Waits") return
      setTimeout(() => void fake.finish(call, "completed"), fake.timings.reply).unref()
    }

    /** Calls a number for the contact. Webhooks report both calls. */
    const transfer = (call: FakeCall, command: TransferCommand) => {
      const { from = call.to, target_leg_client_state: state, to } = command
      const { webhook_retries_policies: policies, webhook_url: url = call.request.webhook_url } = command
      const request: DialCommand = {
        connection_id: connectionId,
        to,
        from,
        ...(state !== undefined && { client_state: state }),
        ...(policies !== undefined && { webhook_retries_policies: policies }),
        ...(url !== undefined && { webhook_url: url })
      }
      contacts.set(fake.place({ to, from, request }), call)
    }

    /** With the call to a number ends the contact's, if the two were connected; with the contact's ends every other one. */
    const onEnd = (call: FakeCall) => {
      const contact = contacts.get(call)
      if (contact !== undefined) {
        contact.transfers.push({ to: call.to, from: call.from, status: call.status })
        if (call.answeredAt !== undefined) void fake.finish(contact, "completed")
      }
      for (const [other, of] of contacts) {
        if (of === call) void fake.finish(other, other.answeredAt === undefined ? "canceled" : "completed")
      }
    }

    const session = async (call: FakeCall, { url }: RelayConfig) => {
      relays.set(call.id, { url })
      const over = await fake.hold(call, (contact) =>
        Contact.make({
          ...contact,
          url,
          setup: {
            type: "setup",
            sessionId: randomBytes(8).toString("hex"),
            accountSid: "account of the fake",
            callSid: call.id,
            callControlId: call.id,
            callLegId: legOf(call),
            callSessionId: legOf(call),
            from: call.from,
            to: call.to,
            direction: "outbound",
            callerName: "",
            callStatus: "active",
            customParameters: {}
          },
          reportsPlayed: false
        }))
      relays.delete(call.id)
      if (call.endedAt !== undefined) return
      if (over._tag === "Said") return fake.finish(call, "completed")
      await fake.tell(call, "session_ended", new Date(), over._tag === "Lost" ? "customer_disconnect" : "end")
    }

    const fake: FakeCalls.FakeCalls<DialCommand> = yield* FakeCalls.make<DialCommand>(options, {
      newId: () => `v3:${randomBytes(24).toString("base64url")}`,
      write,
      records: ({ id, request }) => request.record === "record-from-answer" && !stopped.has(id),
      converse,
      onEnd
    })

    const resource = (call: FakeCall) => ({
      record_type: "call",
      call_control_id: call.id,
      call_leg_id: legOf(call),
      call_session_id: legOf(call),
      client_state: states.get(call.id) ?? call.request.client_state ?? "",
      is_alive: call.endedAt === undefined && call.status !== "queued",
      ...(call.endedAt !== undefined && { end_time: call.endedAt.toISOString() }),
      ...(call.answeredAt !== undefined && {
        call_duration: Math.floor(((call.endedAt ?? new Date()).getTime() - call.answeredAt.getTime()) / 1000)
      })
    })

    const isRepeated = (key: string) => {
      if (commands.has(key)) return true
      commands.add(key)
      setTimeout(() => commands.delete(key), duplicatesFor).unref()
      return false
    }

    const dial = (command: DialCommand): FakeServer.ApiAnswer => {
      const fault = fake.nextFault(command.to)
      switch (fault) {
        case "reset":
          return FakeServer.lost
        case "refused":
          return failed(422, "10002", "Invalid phone number", "The phone number is invalid")
        case "too_many":
          // Whether Telnyx ignores what repeats a rejected command is not documented.
          if (command.command_id !== undefined) isRepeated(`dial ${command.command_id}`)
          return failed(429, "90103", "Too many dials per second")
        case "unauthorized":
          return failed(401, "10009", "Authentication failed")
        default: {
          const ringsAfter = typeof fault === "object" && "ringsAfter" in fault ? fault.ringsAfter : 0
          const findKnown = () =>
            fake.calls.find(({ request }) =>
              command.command_id !== undefined && request.command_id === command.command_id
            )
          const isKnown = command.command_id !== undefined && commands.has(`dial ${command.command_id}`)
          if (isKnown && findKnown() === undefined) {
            return failed(422, "10012", "Duplicate command")
          }
          const place = () => {
            const known = findKnown()
            if (known !== undefined && isRepeated(`dial ${command.command_id}`)) return known
            isRepeated(`dial ${command.command_id}`)
            return fake.place({ to: command.to, from: command.from, request: command }, ringsAfter)
          }
          const call = place()
          if (fault === "response_lost") return FakeServer.lost
          if (fault === "error_500") return { status: 500, body: {} }
          if (fault === "html") return { status: 502, body: "<html>Bad gateway</html>" }
          if (fault === "error_200") {
            return { ...failed(422, "10002", "Invalid phone number"), status: 200 }
          }
          // Its `command_id` is known by then.
          if (fault === "twin") return { status: 200, body: { data: resource(place()) } }
          const isCut = typeof fault === "object" && "cutAfter" in fault
          return {
            status: 200,
            body: { data: { ...resource(call), is_alive: false } },
            ...(isCut && { cutAfter: fault.cutAfter })
          }
        }
      }
    }

    const act = async (
      call: FakeCall,
      action: string,
      body: Readonly<Record<string, unknown>>
    ): Promise<FakeServer.ApiAnswer> => {
      if (call.endedAt !== undefined) return failed(422, "90018", "Call has already ended")
      const done = { status: 200, body: { data: { result: "ok" } } }
      const refusal = CommandRules.refusalOf[action]?.(body)
      if (refusal !== undefined) return failed(422, refusal.code, "Invalid command", refusal.detail)
      if (typeof body["command_id"] === "string" && isRepeated(`${call.id} ${body["command_id"]}`)) return done
      const isTransferred = [...contacts].some(([other, contact]) => contact === call && other.endedAt === undefined)
      const accepted = () => {
        if (typeof body["client_state"] === "string") states.set(call.id, body["client_state"])
        return done
      }
      switch (action) {
        case "hangup":
          await fake.hangUp(call)
          return accepted()
        case "conversation_relay_start":
          if (call.status !== "in-progress" || isTransferred || relays.has(call.id)) {
            return failed(422, "90034", "A relay cannot be started")
          }
          void session(call, { url: String(body["url"]) })
          return accepted()
        case "transfer":
          if (Number(account.credit) <= 0) return failed(402, "20100", "Insufficient funds")
          if (call.status !== "in-progress" || isTransferred) return failed(422, "90034", "It cannot be transferred")
          transfer(call, body as unknown as TransferCommand)
          return accepted()
        case "record_stop":
          if (call.status !== "in-progress" || call.request.record === undefined || stopped.has(call.id)) {
            return failed(422, "90034", "The call is not recorded")
          }
          stopped.add(call.id)
          void fake.record(call)
          return accepted()
        default:
          return failed(404, "10005", "Resource not found")
      }
    }

    const isDial = ({ method, path }: { readonly method: string; readonly path: string }) =>
      method === "POST" && path === "/v2/calls"

    const respond = async (request: FakeServer.ApiRequest): Promise<FakeServer.ApiAnswer> => {
      const { headers, isUnauthorized, method, path, query } = request
      const [, recording] = /^(?:\/v2)?\/recordings\/(.+)$/.exec(path) ?? []
      const recorded = decodeURIComponent(recording ?? "")
      if (recording !== undefined && !path.startsWith("/v2")) {
        const audio = fake.recordings.get(recorded)
        return audio === undefined ? failed(404, "10005", "Resource not found") : { status: 200, body: audio }
      }
      if (isUnauthorized || headers.authorization !== `Bearer ${apiKey}`) {
        return failed(401, "10009", "Authentication failed")
      }
      if (path === "/v2/balance") {
        const data = { record_type: "balance", available_credit: account.credit, currency: "USD" }
        return { status: 200, body: { data } }
      }
      if (path === `/v2/call_control_applications/${connectionId}` && account.hasApplication) {
        const outbound = { outbound_voice_profile_id: profileId }
        return {
          status: 200,
          body: { data: { id: connectionId, active: true, application_name: "outdial", outbound } }
        }
      }
      if (path === `/v2/outbound_voice_profiles/${profileId}`) {
        const data = { id: profileId, name: "outdial", enabled: true, concurrent_call_limit: account.concurrentCalls }
        return { status: 200, body: { data } }
      }
      if (path === "/v2/phone_numbers") {
        const number = query.get("filter[phone_number]") ?? ""
        const isOurs = (options.callerIds ?? [number]).includes(number)
        return paged(isOurs ? [{ phone_number: number, status: "active" }] : [], query)
      }
      if (path === `/v2/connections/${connectionId}/active_calls`) {
        const active = fake.calls.filter(({ endedAt }) => endedAt === undefined)
        return paged(active.map(resource), query)
      }
      if (path === "/v2/recordings") {
        const ids = [...fake.recordings.keys()].filter((id) => `leg of ${id}` === query.get("filter[call_leg_id]"))
        return paged(ids.map((id) => ({ record_type: "recording", id, call_leg_id: `leg of ${id}` })), query)
      }
      if (recording !== undefined && method === "DELETE") {
        return fake.recordings.delete(recorded)
          ? { status: 200, body: { data: { id: recorded } } }
          : failed(404, "10005", "Resource not found")
      }
      if (path === "/v2/call_events") {
        if (!account.listsEvents) return { status: 500, body: {} }
        const [to, legId] = [query.get("filter[to]"), query.get("filter[leg_id]")]
        const found = past.filter(({ call }) =>
          (to === null || call.to === to) && (legId === null || legOf(call) === legId)
        )
        return paged(found.map(listed).map((one) => hidesMetadata ? { ...one, metadata: {} } : one), query)
      }
      if (isDial(request)) {
        const command: DialCommand & Readonly<Record<string, unknown>> = JSON.parse(request.body)
        const refusal = CommandRules.refusalOfDial(command)
        if (refusal !== undefined) return failed(422, refusal.code, "Invalid command", refusal.detail)
        if (command.connection_id !== connectionId || !account.hasApplication) {
          return failed(422, "10015", "Bad Request", "The connection does not exist")
        }
        return Number(account.credit) > 0 ? dial(command) : failed(402, "20100", "Insufficient funds")
      }
      const [, id = "", action] = /^\/v2\/calls\/([^/]+)(?:\/actions\/(\w+))?$/.exec(path) ?? []
      const call = fake.calls.find((one) => one.id === decodeURIComponent(id))
      const isForgotten = call?.endedAt !== undefined && Date.now() - call.endedAt.getTime() > forgottenAfter
      if (call === undefined || isForgotten) return failed(404, "10005", "Resource not found")
      if (action !== undefined && method === "POST") return act(call, action, JSON.parse(request.body))
      return { status: 200, body: { data: resource(call) } }
    }

    const server: FakeServer.FakeServer = yield* FakeServer.make(respond, {
      cutRequestAfter: (request) => isDial(request) ? fake.nextCut() : undefined
    })
    return FakeTelnyx.of({
      ...server,
      ...FakeCalls.controls(fake),
      apiKey,
      connectionId,
      account,
      publicKey: keys.publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64"),
      sign,
      webhookOf: (call, type, payload = {}) => JSON.stringify(eventOf(call, type, new Date(), payload))
    })
  }
)

const legOf = ({ id }: FakeCall) => `leg of ${id}`

const listed = ({ at, call, type, webhook }: PastEvent) => ({
  record_type: "call_event",
  type: "webhook",
  name: type,
  call_leg_id: legOf(call),
  call_session_id: legOf(call),
  event_timestamp: at.toISOString(),
  metadata: webhook
})
