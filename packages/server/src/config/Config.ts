/**
 * The environment variables of the server, each with its default and its meaning. An invalid value stops the start with a
 * message that names it.
 */
import { TelnyxSignature } from "@outdial/carriers/telnyx"
import { PhoneNumber, SecretBox } from "@outdial/core"
import { Config, Duration, Option, type Path, Redacted, Schema } from "effect"
import {
  address,
  type Documentation,
  type Documented,
  group,
  hostAndPort,
  matching,
  oneOf,
  port,
  seconds,
  secret,
  variable,
  whole
} from "./Variable.ts"
import { asterisk, trunkPassword } from "./AsteriskConfig.ts"
import { voice } from "./VoiceConfig.ts"

/** The storage: a Postgres, or a folder with an embedded one. `DATABASE_URL` wins. */
export const store = group({
  databaseUrl: variable("DATABASE_URL", {
    default: "none",
    meaning: "The address of the Postgres for all data: `postgres://user:password@host:5432/database`. Append " +
      "`?sslmode=require` to use TLS. Takes precedence over `OUTDIAL_DATA`."
  }, (name) =>
    matching(
      name,
      /^postgres(ql)?:\/\/[^\s/]+\/?\S*$/,
      "must be the address of a Postgres, such as postgres://user:password@host:5432/database"
    ).pipe(Config.map((url) => Redacted.make(url)), Config.option)),
  schema: variable("OUTDIAL_SCHEMA", {
    default: "the first schema of the role's search path, usually `public`",
    meaning: "The schema in Postgres for all tables; the same as `postgres({ schema })` in the library. `outdial " +
      "migrate` and `outdial serve` create it. Every other command refuses a schema without Outdial's tables, " +
      "and names the schemas that have them."
  }, (name) =>
    Config.option(
      matching(name, /^(?!pg_)[^\p{Cc}]{1,63}$/u, "must be the name of a schema, of up to 63 characters")
    )),
  data: variable("OUTDIAL_DATA", {
    default: "none",
    meaning:
      "The folder for all data if there is no Postgres, for one process at a time. With a Postgres, the folder " +
      "whose subfolder `recordings` holds recordings; then the default is `.outdial`."
  }, (name) => Config.option(Config.NonEmptyString(name)))
})

/** The folder of the recordings, in the folder of the embedded database. */
export const recordingsIn = (data: Option.Option<string>, paths: Path.Path): string =>
  paths.join(Option.getOrElse(data, () => ".outdial"), "recordings")

export const timeZones = variable("OUTDIAL_TIME_ZONES", {
  default: "none",
  meaning: "A JSON file that corrects the time zone data. See [time zone " +
    "data](../concepts/scheduling.md#time-zone-data)."
}, (name) => Config.option(Config.NonEmptyString(name)))

const howToMake = "32 bytes in base64; make one with: openssl rand -base64 32"

const SecretKey = Schema.String.check(
  Schema.makeFilter((text: string) => SecretBox.isKey(text) || `must be ${howToMake}`)
)

const parts = (list: string) => list.split(",").map((entry) => entry.trim())

/** The keys that webhook secrets are sealed under. */
export const secretKeys = group({
  secretKey: variable("OUTDIAL_SECRET_KEY", {
    default: "none; required by `serve`",
    meaning: "The key that seals webhook secrets and signs links to recordings: 32 bytes in base64, created with " +
      "`openssl rand -base64 32`, the same in every process. See [secret keys](../guides/secret-keys.md)."
  }, (name) =>
    Config.schema(SecretKey, name).pipe(
      Config.map((text) => Redacted.make(text)),
      Config.option
    )),
  secretKeyPrevious: variable("OUTDIAL_SECRET_KEY_PREVIOUS", {
    default: "none",
    meaning: "Previous keys, separated by commas. They only open what they sealed."
  }, (name) =>
    Config.schema(
      Schema.String.check(
        Schema.makeFilter((list: string) => parts(list).every(SecretBox.isKey) || `must be keys, each ${howToMake}`)
      ),
      name
    ).pipe(
      Config.option,
      Config.map(Option.match({ onNone: () => [], onSome: parts })),
      Config.map((keys) => keys.map((key) => Redacted.make(key)))
    ))
})

/** Logging. */
export const logs = group({
  format: variable("OUTDIAL_LOG_FORMAT", {
    default: "`pretty` on a terminal, else `json`",
    meaning: "`json`, one object per line, or `pretty`. Logs go to standard error."
  }, (name) => Config.option(oneOf(name, ["json", "pretty"]))),
  level: variable("OUTDIAL_LOG_LEVEL", {
    default: "info",
    meaning: "The lowest level that is logged: `debug`, `info`, `warn` or `error`."
  }, (name) => oneOf(name, ["debug", "info", "warn", "error"]).pipe(Config.withDefault("info" as const)))
})

/** Tracing, by OpenTelemetry's variables. Without an endpoint no traces are sent. */
export const traces = group({
  endpoint: variable("OTEL_EXPORTER_OTLP_ENDPOINT", {
    default: "none",
    meaning: "The URL to which traces are sent by OTLP over HTTP, such as `http://collector:4318`; `/v1/traces` is " +
      "appended."
  }, (name) =>
    Config.option(
      matching(name, address, "must be an address such as http://collector:4318")
    )),
  headers: variable("OTEL_EXPORTER_OTLP_HEADERS", {
    default: "none",
    meaning: "Headers of these requests, as `name=value`, separated by commas; values are percent-encoded."
  }, (name) =>
    matching(
      name,
      /^\s*[^\s=,]+=[^,]+(,\s*[^\s=,]+=[^,]+)*\s*$/,
      "must be name=value, several of them separated by commas"
    ).pipe(Config.map((list) => Redacted.make(list)), Config.option)),
  serviceName: variable(
    "OTEL_SERVICE_NAME",
    { default: "outdial", meaning: "The service name in traces." },
    (name) => Config.withDefault(Config.NonEmptyString(name), "outdial")
  )
})

/** Access to the metrics. They are not served unless one of the two variables is set, because they are not public. */
export const metrics = group({
  port: variable("OUTDIAL_METRICS_PORT", {
    default: "none",
    meaning: "A separate port for `GET /metrics`. It needs no token unless one is set, so do not expose it publicly."
  }, (name) => Config.option(port(name))),
  token: variable("OUTDIAL_METRICS_TOKEN", {
    default: "none",
    meaning:
      "At least 16 characters that clients of `GET /metrics` send as `Authorization: Bearer …`. If this is set " +
      "without a separate port, metrics are served on `PORT`."
  }, (name) =>
    matching(
      name,
      /^[\x21-\x7e]{16,}$/,
      "must be at least 16 characters without spaces; make one with: openssl rand -hex 32"
    ).pipe(Config.map((token) => Redacted.make(token)), Config.option))
})

/** Graceful shutdown. */
export const draining = group({
  delay: variable("OUTDIAL_DRAIN_DELAY_SECONDS", {
    default: "3",
    meaning: "How long a server that is shutting down reports that it is not ready and still accepts requests, 0 to " +
      "300. Set it to the time that the load balancer takes to notice."
  }, (name) => Config.withDefault(seconds(name, 300), Duration.seconds(3))),
  bound: variable("OUTDIAL_DRAIN_SECONDS", {
    default: "30",
    meaning: "How long work in flight may take after that, 0 to 3600, before the process exits in any case."
  }, (name) => Config.withDefault(seconds(name, 3600), Duration.seconds(30)))
})

export const configModule = variable("OUTDIAL_CONFIG", {
  default: "none",
  meaning: "A module with your carrier, outcome source, recording store and users. The flag `--config` of `serve`, " +
    "`doctor` and `erase` takes precedence. See [write a " +
    "provider](../guides/write-a-provider.md#in-the-server)."
}, (name) => Config.option(Config.NonEmptyString(name)))

/** The language model that talks with the contacts and makes the outcomes. */
export const model = group({
  name: variable("OUTDIAL_MODEL", {
    default: "`scripted`",
    meaning: "What talks with the contacts and makes the outcomes. `scripted`: the scripted agent, without a model. " +
      "`openai:NAME`, `anthropic:NAME`, `google:NAME`: a model of that provider, such as `openai:gpt-5-mini`. `NAME`: a model at " +
      "`OUTDIAL_MODEL_URL`. Agents may name it in their field `model`, as it is written here. See [language " +
      "models](../guides/language-models.md#in-the-server)."
  }, (name) => Config.option(matching(name, /^\S{1,255}$/u, "must be scripted, or a model such as openai:gpt-5-mini"))),
  url: variable("OUTDIAL_MODEL_URL", {
    default: "the provider's",
    meaning:
      "The address of an OpenAI-compatible API, such as `http://localhost:11434/v1`; with `anthropic:` and `google:`, of " +
      "that provider's API."
  }, (name) => Config.option(matching(name, address, "must be an address such as http://localhost:11434/v1"))),
  key: variable("OUTDIAL_MODEL_KEY", {
    default: "none; required without `OUTDIAL_MODEL_URL`",
    meaning: "The API key of the provider."
  }, (name) => Config.map(Config.option(Config.NonEmptyString(name)), Option.map((key) => Redacted.make(key))))
})

const callerIdNamed = (name: string) =>
  Config.map(
    Config.option(matching(name, /^\+[1-9]\d{6,14}$/, "must be a number such as +14155550100")),
    Option.map((number) => PhoneNumber.PhoneNumber.make(number))
  )

const recordingNamed = (name: string) => oneOf(name, ["off", "copy", "move"]).pipe(Config.withDefault("off" as const))

/** The account at Twilio, for `OUTDIAL_CARRIER=twilio`. */
export const twilio = group({
  accountSid: variable("TWILIO_ACCOUNT_SID", {
    default: "none; required with `OUTDIAL_CARRIER=twilio`",
    meaning: "The account at Twilio, `AC…`. See [Twilio](../guides/twilio.md)."
  }, (name) => Config.option(matching(name, /^AC[0-9a-fA-F]{32}$/, "must be AC and 32 hexadecimal digits"))),
  authToken: variable("TWILIO_AUTH_TOKEN", {
    default: "none; required with `OUTDIAL_CARRIER=twilio`",
    meaning:
      "The auth token of the account. It verifies the signatures of Twilio's callbacks, also when an API key is given."
  }, (name) => secret(name)),
  apiKeySid: variable("TWILIO_API_KEY_SID", {
    default: "none",
    meaning: "An API key, `SK…`, for requests in place of the auth token. It needs `TWILIO_API_KEY_SECRET`."
  }, (name) => Config.option(matching(name, /^SK[0-9a-fA-F]{32}$/, "must be SK and 32 hexadecimal digits"))),
  apiKeySecret: variable("TWILIO_API_KEY_SECRET", {
    default: "none",
    meaning: "The secret of the API key."
  }, (name) => secret(name)),
  callerId: variable("TWILIO_CALLER_ID", {
    default: "none",
    meaning:
      "The number that agents without a `caller_id` call from, such as `+14155550100`: one of the account, or one that it has verified."
  }, callerIdNamed),
  callsPerSecond: variable("TWILIO_CALLS_PER_SECOND", {
    default: "1",
    meaning: "How many calls Twilio starts per second for this account. All processes share it."
  }, (name) => Config.withDefault(whole(name, { least: 1, most: 1_000 }), 1)),
  media: variable("TWILIO_MEDIA", {
    default: "relay",
    meaning:
      "What is exchanged with Twilio in a conversation. `relay`: text, which Twilio recognizes and speaks. `stream`: sound, " +
      "which needs `OUTDIAL_VOICE`. See [voice](../guides/voice.md)."
  }, (name) => Config.withDefault(oneOf(name, ["relay", "stream"]), "relay" as const)),
  recording: variable("TWILIO_RECORDING", {
    default: "off",
    meaning:
      "`copy`: calls are recorded, in two channels, and the recordings are copied; Twilio keeps its own. `move`: they are then " +
      "deleted at Twilio. `own`: they are recorded here, which needs `TWILIO_MEDIA=stream`. Where contacts must consent to it, let " +
      "the agent's `disclosure` say so."
  }, (name) => Config.withDefault(oneOf(name, ["off", "copy", "move", "own"]), "off" as const)),
  apiUrl: variable("TWILIO_API_URL", {
    default: "`https://api.twilio.com`",
    meaning:
      "Another address of Twilio's API, such as that of a fake one in tests. `OUTDIAL_PUBLIC_URL` may then be `http`."
  }, (name) => Config.option(matching(name, address, "must be an address such as https://api.twilio.com")))
})

/** The account at Telnyx, for `OUTDIAL_CARRIER=telnyx`. */
export const telnyx = group({
  apiKey: variable("TELNYX_API_KEY", {
    default: "none; required with `OUTDIAL_CARRIER=telnyx`",
    meaning: "An API key of the account at Telnyx, `KEY…`. See [Telnyx](../guides/telnyx.md)."
  }, (name) => secret(name)),
  connectionId: variable(
    "TELNYX_CONNECTION_ID",
    {
      default: "none; required with `OUTDIAL_CARRIER=telnyx`",
      meaning: "The id of the Voice API application that places the calls. It needs an outbound voice profile."
    },
    (name) =>
      Config.option(matching(name, /^[\w-]{1,64}$/, "must be the id of an application, such as 1494404757140276705"))
  ),
  publicKey: variable("TELNYX_PUBLIC_KEY", {
    default: "none; required with `OUTDIAL_CARRIER=telnyx`",
    meaning: "The public key of the account, in base64. It verifies the signatures of Telnyx's webhooks."
  }, (name) =>
    Config.option(
      Config.schema(
        Schema.String.check(
          Schema.makeFilter((text: string) =>
            TelnyxSignature.isPublicKey(text) || "must be 32 bytes in base64, as Telnyx's portal shows the public key"
          )
        ),
        name
      )
    )),
  callerId: variable("TELNYX_CALLER_ID", {
    default: "none",
    meaning: "The number that agents without a `caller_id` call from, such as `+14155550100`: one of the account."
  }, callerIdNamed),
  callsPerSecond: variable("TELNYX_CALLS_PER_SECOND", {
    default: "5",
    meaning:
      "How many calls are placed per second. Telnyx rejects more than the account may place. All processes share it."
  }, (name) => Config.withDefault(whole(name, { least: 1, most: 1_000 }), 5)),
  recording: variable("TELNYX_RECORDING", {
    default: "off",
    meaning:
      "`copy`: calls are recorded, in two channels, and the recordings are copied; Telnyx keeps its own. `move`: they are then " +
      "deleted at Telnyx. Where contacts must consent to it, let the agent's `disclosure` say so."
  }, recordingNamed),
  apiUrl: variable("TELNYX_API_URL", {
    default: "`https://api.telnyx.com`",
    meaning:
      "Another address of Telnyx's API, such as that of a fake one in tests. `OUTDIAL_PUBLIC_URL` may then be `http`."
  }, (name) => Config.option(matching(name, address, "must be an address such as https://api.telnyx.com")))
})

/** A carrier that `OUTDIAL_CARRIER` can name. */
export type CarrierChoice = "asterisk" | "simulated" | "telnyx" | "twilio"

const serverPort = variable(
  "PORT",
  { default: "4010", meaning: "The port that the server listens on." },
  (name) => Config.withDefault(port(name), 4010)
)

const publicUrl = variable("OUTDIAL_PUBLIC_URL", {
  default: "`http://localhost:PORT`",
  meaning:
    "The root URL under which users reach the server, such as `https://calls.example.com`. Links to recordings " +
    "begin with it, and carriers call it back."
}, (name) =>
  Config.option(
    matching(name, address, "must be an address such as https://calls.example.com")
  ))

/** The root URL of the server, without a slash at the end. */
export const rootUrl = (options: { readonly port: number; readonly publicUrl: Option.Option<string> }): string =>
  Option.getOrElse(options.publicUrl, () => `http://localhost:${options.port}`).replace(/\/+$/, "")

/** The root URL of the server that has this environment. */
export const servedAt = Config.map(Config.all({ port: serverPort, publicUrl }), rootUrl)

const serveParts = {
  store,
  port: serverPort,
  role: variable("OUTDIAL_ROLE", {
    default: "all",
    meaning: "What the server does. `all`: everything. `api`: it serves `/v1` and leaves dialing, outcomes and " +
      "deliveries to other processes on the same Postgres. `worker`: it does that work, and serves only " +
      "`/healthz`, `/readyz`, metrics, and the callbacks and WebSockets of the carrier below `/carriers`."
  }, (name) => oneOf(name, ["all", "api", "worker"]).pipe(Config.withDefault("all" as const))),
  carriers: variable("OUTDIAL_CARRIER", {
    default: "none",
    meaning:
      "`simulated`: phones are simulated and no phone rings, for trials. `twilio`: calls over Twilio, with the " +
      "`TWILIO_…` variables and `OUTDIAL_PUBLIC_URL`. `telnyx`: over Telnyx, with the `TELNYX_…` variables. `asterisk`: over your " +
      "own Asterisk, with the `ASTERISK_…` variables. `twilio,telnyx`, or any of these three in any order: over several, see " +
      "[several carriers](../guides/several-carriers.md). A server that dials " +
      "does not start without a carrier: give this variable, or `telephony` in the module of `--config`."
  }, (name) =>
    matching(
      name,
      /^\s*(simulated|(asterisk|telnyx|twilio)(\s*,\s*(?!\2\b)(asterisk|telnyx|twilio)(\s*,\s*(?!\2\b|\4\b)(asterisk|telnyx|twilio))?)?)\s*$/,
      "must be simulated, or one or more of asterisk, telnyx and twilio, separated by commas"
    ).pipe(
      Config.option,
      // The names are those of the expression.
      Config.map((list): ReadonlyArray<CarrierChoice> =>
        Option.isNone(list) ? [] : parts(list.value) as ReadonlyArray<CarrierChoice>
      )
    )),
  routes: variable("OUTDIAL_ROUTES", {
    default: "all calls go over the first carrier",
    meaning:
      "A JSON file that says which calls go over which carrier; with `[]`, all go over the first. See [several " +
      "carriers](../guides/several-carriers.md#routes)."
  }, (name) => Config.option(Config.NonEmptyString(name))),
  asterisk,
  telnyx,
  twilio,
  publicUrl,
  secretKeys,
  webhookAllow: variable("OUTDIAL_WEBHOOK_ALLOW", {
    default: "none",
    meaning:
      "`host:port` of webhook receivers that are not public, separated by commas. See [webhook network](../guides/webhook-network.md)."
  }, (name) =>
    matching(
      name,
      new RegExp(`^\\s*${hostAndPort}\\s*(,\\s*${hostAndPort}\\s*)*$`),
      "must be host:port, several of them separated by commas"
    ).pipe(
      Config.option,
      Config.map(Option.match({ onNone: () => [], onSome: (list) => parts(list.toLowerCase()) }))
    )),
  console: variable("OUTDIAL_CONSOLE", {
    default: "on",
    meaning:
      "`on`: the server serves the [console](../guides/console.md) at `/console`, unless its role is `worker`. `off`: it does not."
  }, (name) => oneOf(name, ["on", "off"]).pipe(Config.withDefault("on" as const))),
  configModule,
  model,
  voice,
  logs,
  metrics,
  traces,
  draining
}

export const serve = Config.all(serveParts)

/** The running server that `outdial call` asks. */
export const client = group({
  url: variable("OUTDIAL_URL", {
    default: "the address of `npm start` in the folder",
    meaning: "The address of the running server that `outdial call` asks, such as `https://calls.example.com`."
  }, (name) => Config.option(matching(name, address, "must be an address such as https://calls.example.com"))),
  apiKey: variable("OUTDIAL_API_KEY", {
    default: "the key of `npm start` in the folder",
    meaning:
      "The API key with which `outdial call` asks that server. It needs the scopes `calls:write` and `calls:read`."
  }, (name) => Config.map(Config.option(Config.NonEmptyString(name)), Option.map((key) => Redacted.make(key))))
})

type Part = Documented<Config.Config<unknown>> | {
  readonly parts: Readonly<Record<string, Documented<Config.Config<unknown>>>>
}

const documented = (parts: ReadonlyArray<Part>) =>
  parts.flatMap((part) => "parts" in part ? Object.values(part.parts) : [part])

/** Each variable of `serve`. */
export const variables = documented(Object.values(serveParts))

/** The documentation of each variable. */
export const reference: Readonly<Record<string, Documentation>> = Object.fromEntries(
  documented(Object.values({ ...serveParts, timeZones, client, trunkPassword })).map((
    { documentation, variable }
  ) => [variable, documentation])
)
