/**
 * The requests to Asterisk's REST interface: each is sent once, and nothing below repeats it. At most six are open at once, because
 * Asterisk's listening socket queues ten connections, and more of them wait for seconds.
 */
import { type Cause, Effect, Option, type Redacted, Schema, Semaphore } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"
import * as SingleRequest from "../request/SingleRequest.ts"
import * as AriEvents from "./AriEvents.ts"
import * as EndRecord from "./EndRecord.ts"

/** Asterisk has not answered as it should: nothing is known. */
export class AsteriskUnreachable extends Schema.TaggedError<AsteriskUnreachable>()("AsteriskUnreachable", {
  cause: Schema.Defect(),
  /** The status of its response, if it had one. */
  status: Schema.optionalKey(Schema.Int)
}) {}

export interface AriOptions {
  /** Such as `http://127.0.0.1:8088/ari`. */
  readonly ariUrl: string
  readonly user: string
  readonly password: Redacted.Redacted
}

/** The trunk as Asterisk sees it. */
const Endpoint = Schema.Struct({
  /** `online`, `offline`, or `unknown` where Asterisk does not ask whether the trunk lives. */
  state: Schema.optionalKey(Schema.String),
  channel_ids: Schema.Array(Schema.String)
})
export type Endpoint = typeof Endpoint.Type

/** An application, of a node: also one whose node is gone, as long as it has channels. */
const Application = Schema.Struct({
  name: Schema.String,
  channel_ids: Schema.Array(Schema.String),
  bridge_ids: Schema.Array(Schema.String)
})
export type Application = typeof Application.Type

const Info = Schema.Struct({ system: Schema.Struct({ version: Schema.String }) })

const decodeEndpoint = Schema.decodeUnknownEffect(Schema.fromJsonString(Endpoint))
const decodeApplications = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Application)))
const decodeInfo = Schema.decodeUnknownEffect(Schema.fromJsonString(Info))
const decodeRecordings = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Array(Schema.Struct({ name: Schema.String })))
)
const decodeBridges = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Array(Schema.Struct({ id: Schema.String, channels: Schema.Array(Schema.String) })))
)
const decodeValue = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ value: Schema.String })))
const decodeModule = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ status: Schema.String })))
const decodeMedia = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({
    channelvars: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
  }))
)

type Query = Readonly<Record<string, string>>
type SendError = HttpClientError.HttpClientError | Cause.TimeoutError

/** How long Asterisk may take for a request. It answers within milliseconds, unless it stands still. */
const timeout = "3 seconds"

const mostAtOnce = 6

export type AriApi = Effect.Success<ReturnType<typeof make>>

export const make = Effect.fnUntraced(function*({ ariUrl, password, user }: AriOptions) {
  const client = yield* HttpClient.HttpClient
  const slots = yield* Semaphore.make(mostAtOnce)

  /** The response, whatever its status. `before` is run right before the request is sent. */
  const send = <E = never>(
    request: HttpClientRequest.HttpClientRequest,
    before: Effect.Effect<unknown, E> = Effect.void
  ): Effect.Effect<SingleRequest.Answer, E | SendError> =>
    SingleRequest.send(HttpClientRequest.basicAuth(request, user, password)).pipe(
      Effect.provideService(HttpClient.HttpClient, client),
      Effect.timeout(timeout),
      (sent) => Effect.andThen(before, sent),
      slots.withPermit
    )

  const urlOf = (path: ReadonlyArray<string>) => `${ariUrl}/${path.map(encodeURIComponent).join("/")}`
  const get = (...path: ReadonlyArray<string>) => HttpClientRequest.get(urlOf(path))
  const post = (path: ReadonlyArray<string>, query: Query = {}) =>
    HttpClientRequest.setUrlParams(HttpClientRequest.post(urlOf(path)), query)
  const remove = (...path: ReadonlyArray<string>) => HttpClientRequest.delete(urlOf(path))

  /** The body of a success; none when Asterisk does not know what the request names. */
  const find = Effect.fnUntraced(function*(request: HttpClientRequest.HttpClientRequest) {
    const answer = yield* Effect.mapError(send(request), unreachable)
    if (answer.status === 404) return Option.none<string>()
    return answer.status >= 200 && answer.status < 300 ? Option.some(answer.body) : yield* unexpected(answer)
  })

  const ask = Effect.fnUntraced(function*(request: HttpClientRequest.HttpClientRequest) {
    const found = yield* find(request)
    return Option.isSome(found) ? found.value : yield* unexpected({ status: 404, body: "" })
  })

  const decoded = <A>(body: string, decode: (body: string) => Effect.Effect<A, unknown>) =>
    Effect.mapError(decode(body), unreachable)

  const valueOf = (request: HttpClientRequest.HttpClientRequest) =>
    Effect.map(
      Effect.flatMap(
        find(request),
        Option.match({ onNone: () => Effect.succeed({ value: "" }), onSome: (body) => decoded(body, decodeValue) })
      ),
      ({ value }) => value
    )

  const ended = (...path: ReadonlyArray<string>) => Effect.asVoid(find(remove(...path)))

  return {
    /** Creates a channel, which rings no phone. */
    create: (channel: Readonly<Record<string, unknown>>) =>
      send(HttpClientRequest.bodyJsonUnsafe(post(["channels", "create"]), channel)),

    /** Rings the phone of a channel that was created. */
    dial: <E>(channelId: string, timeoutSeconds: number, before: Effect.Effect<unknown, E>) =>
      send(post(["channels", channelId, "dial"], { timeout: String(timeoutSeconds) }), before),

    /** None when there is no such channel, or not any more. */
    channel: Effect.fnUntraced(function*(channelId: string) {
      const found = yield* find(get("channels", channelId))
      return Option.isNone(found)
        ? Option.none<AriEvents.Channel>()
        : Option.some(yield* decoded(found.value, AriEvents.decodeChannel))
    }),

    channels: Effect.flatMap(ask(get("channels")), (body) => decoded(body, AriEvents.decodeChannels)),

    /** Ends a channel; safe to repeat. */
    hangUp: (channelId: string) => ended("channels", channelId),

    /** What was written of a call's end; none when nothing was, or when it was deleted. */
    record: Effect.fnUntraced(function*(callId: string) {
      const found = yield* find(get("recordings", "stored", EndRecord.nameOf(callId), "file"))
      if (Option.isNone(found)) return Option.none<EndRecord.EndRecord>()
      const record = EndRecord.decode(found.value)
      return Option.isSome(record) ? record : yield* unreachable(new Error("The record of a call cannot be read"))
    }),

    /** The ids of the calls that have a record. */
    recorded: Effect.map(
      Effect.flatMap(ask(get("recordings", "stored")), (body) => decoded(body, decodeRecordings)),
      (all) => all.map(({ name }) => EndRecord.callIdOf(name)).filter((id) => id !== undefined)
    ),

    /** Safe to repeat. */
    removeRecord: (callId: string) => ended("recordings", "stored", EndRecord.nameOf(callId)),

    /** Sends a channel through the dialplan, unless it is over. */
    continueIn: Effect.fnUntraced(function*(channelId: string, context: string, extension: string) {
      const answer = yield* Effect.mapError(
        send(post(["channels", channelId, "continue"], { context, extension, priority: "1" })),
        unreachable
      )
      // It is about to end.
      if (answer.status === 404 || answer.status === 409) return
      if (answer.status !== 204) return yield* unexpected(answer)
    }),

    /** Gives a channel to another application, which is told so. None when it is over. */
    move: (channelId: string, app: string) =>
      find(post(["channels", channelId, "move"], { app, appArgs: AriEvents.moved })),

    /** The application gets the events of the channel. None when it is over. */
    subscribe: Effect.fnUntraced(function*(app: string, channelId: string) {
      const answer = yield* Effect.mapError(
        send(post(["applications", app, "subscription"], { eventSource: `channel:${channelId}` })),
        unreachable
      )
      if (answer.status === 404 || answer.status === 422) return false
      return answer.status === 200 ? true : yield* unexpected(answer)
    }),

    /** The application gets no events of the channel any more. */
    unsubscribe: (app: string, channelId: string) =>
      find(
        HttpClientRequest.delete(urlOf(["applications", app, "subscription"])).pipe(
          HttpClientRequest.setUrlParams({ eventSource: `channel:${channelId}` })
        )
      ),

    /** Presses digits. */
    press: (channelId: string, digits: string) =>
      find(post(["channels", channelId, "dtmf"], { dtmf: digits, duration: "100", between: "100" })),

    /** Listens to what comes from the callee, on a channel of its own. */
    snoop: (channelId: string, snoopId: string, app: string) =>
      find(post(["channels", channelId, "snoop"], { spy: "in", app, snoopId })),

    /** Makes a channel that exchanges its sound over a WebSocket, and returns the variables of it. */
    externalMedia: (media: Readonly<Record<string, unknown>>) =>
      Effect.map(
        Effect.flatMap(
          ask(HttpClientRequest.bodyJsonUnsafe(post(["channels", "externalMedia"]), media)),
          (body) => decoded(body, decodeMedia)
        ),
        ({ channelvars = {} }) => channelvars
      ),

    /** Makes a bridge, unless it is there. */
    bridge: Effect.fnUntraced(function*(bridgeId: string) {
      const answer = yield* Effect.mapError(send(post(["bridges"], { type: "mixing", bridgeId })), unreachable)
      if (answer.status !== 200 && answer.status !== 409) return yield* unexpected(answer)
    }),
    addToBridge: (bridgeId: string, channelIds: ReadonlyArray<string>) =>
      ask(post(["bridges", bridgeId, "addChannel"], { channel: channelIds.join(",") })),
    bridges: Effect.flatMap(ask(get("bridges")), (body) => decoded(body, decodeBridges)),
    removeBridge: (bridgeId: string) => ended("bridges", bridgeId),

    /** None when it is not configured. */
    endpoint: Effect.fnUntraced(function*(technology: string, resource: string) {
      const found = yield* find(get("endpoints", technology, resource))
      return Option.isNone(found) ? Option.none<Endpoint>() : Option.some(yield* decoded(found.value, decodeEndpoint))
    }),

    applications: Effect.flatMap(ask(get("applications")), (body) => decoded(body, decodeApplications)),

    /** Leaves out the events that nobody reads. */
    filterEvents: (app: string) =>
      ask(
        HttpClientRequest.put(urlOf(["applications", app, "eventFilter"])).pipe(
          HttpClientRequest.bodyJsonUnsafe({ disallowed: [{ type: "ChannelVarset" }, { type: "ChannelDialplan" }] })
        )
      ),

    /** An event that comes back on the event socket of the application. None when it has none. */
    heartbeat: (app: string) => find(post(["events", "user", "heartbeat"], { application: app })),

    version: Effect.map(
      Effect.flatMap(ask(get("asterisk", "info")), (body) => decoded(body, decodeInfo)),
      ({ system }) => system.version
    ),

    /** The value of a global variable; empty when it is not set. */
    variable: (variable: string) => valueOf(HttpClientRequest.setUrlParams(get("asterisk", "variable"), { variable })),
    setVariable: (variable: string, value: string) => ask(post(["asterisk", "variable"], { variable, value })),

    /** The value of a variable, or of a function of the dialplan, on a channel. */
    variableOf: (channelId: string, variable: string) =>
      valueOf(HttpClientRequest.setUrlParams(get("channels", channelId, "variable"), { variable })),

    /** Whether the module is loaded and runs. */
    hasModule: (module: string) =>
      Effect.flatMap(
        find(get("asterisk", "modules", module)),
        Option.match({
          onNone: () => Effect.succeed(false),
          onSome: (body) => Effect.map(decoded(body, decodeModule), ({ status }) => status === "Running")
        })
      )
  }
})

const unreachable = (cause: unknown): AsteriskUnreachable =>
  new AsteriskUnreachable({ cause: SingleRequest.withoutRequest("Asterisk", cause) })

const unexpected = ({ body, status }: Pick<SingleRequest.Answer, "body" | "status">): AsteriskUnreachable =>
  new AsteriskUnreachable({
    status,
    cause: new Error(`Asterisk has answered with status ${status}${messageOf(body)}`)
  })

const decodeMessage = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({ message: Schema.optionalKey(Schema.String), error: Schema.optionalKey(Schema.String) })
  )
)

/** What Asterisk says in the body of an error, for logs: `: Channel not found`. */
export const messageOf = (body: string): string => {
  const { error, message = error } = Option.getOrElse(
    decodeMessage(body),
    (): { readonly message?: string; readonly error?: string } => ({})
  )
  return message === undefined ? "" : `: ${SingleRequest.withoutDetails(message)}`
}
