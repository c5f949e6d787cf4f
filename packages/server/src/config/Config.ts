/**
 * What the server takes from its environment. Everything it reads is here, with its default and its meaning; a wrong value
 * stops the start with a message that names it.
 */
import { SecretBox } from "@outdial/core"
import { Config, Duration, Option, type Path, Redacted, Schema } from "effect"

/** A variable that must look a certain way; the message follows on from its name. */
const matching = (name: string, pattern: RegExp, message: string) =>
  Config.schema(Schema.String.check(Schema.isPattern(pattern, { message })), name)

/** A whole number between the bounds. */
const whole = (name: string, { least, most }: { readonly least: number; readonly most: number }) =>
  Config.schema(
    Schema.String.check(
      Schema.makeFilter((text: string) => {
        const isWithin = /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most
        return isWithin || `must be a whole number from ${least} to ${most}`
      })
    ),
    name
  ).pipe(Config.map(Number))

const seconds = (name: string, most: number) => Config.map(whole(name, { least: 0, most }), Duration.seconds)

const oneOf = <const Choices extends ReadonlyArray<string>>(name: string, choices: Choices) =>
  Config.schema(
    Schema.String.check(
      Schema.makeFilter((text: string) => choices.includes(text) || `must be one of ${choices.join(", ")}`)
    ),
    name
    // What was checked is one of them.
  ).pipe(Config.map((text) => text as Choices[number]))

const port = (name: string) => whole(name, { least: 1, most: 65_535 })

/** With a port up to 65535. */
const hostAndPort = "[^\\s,:/]+:(?:\\d{1,4}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])"

const address = /^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/

/** Variables that are read together, and one by one where it is to be told which of them are wrong. */
const group = <const Parts extends Readonly<Record<string, Config.Config<unknown>>>>(parts: Parts) =>
  Object.assign(Config.all(parts), { parts })

/** Where everything is kept: a Postgres, or a folder with an embedded one. `DATABASE_URL` wins. */
export const store = group({
  databaseUrl: matching(
    "DATABASE_URL",
    /^postgres(ql)?:\/\/[^\s/]+\/?\S*$/,
    "must be the address of a Postgres, such as postgres://user:password@host:5432/database"
  ).pipe(Config.map((url) => Redacted.make(url)), Config.option),
  /** The schema in that Postgres, as `postgres({ schema })` of the library has it. */
  schema: Config.option(
    matching("OUTDIAL_SCHEMA", /^(?!pg_)[^\p{Cc}]{1,63}$/u, "must be the name of a schema, of up to 63 characters")
  ),
  data: Config.option(Config.NonEmptyString("OUTDIAL_DATA"))
})

/** The folder of the recordings, which stand beside the embedded database, or where that would be. */
export const recordingsIn = (data: Option.Option<string>, paths: Path.Path): string =>
  paths.join(Option.getOrElse(data, () => ".outdial"), "recordings")

/** A JSON file of time zones that the deployment knows better than our table or the runtime. */
export const timeZones = Config.option(Config.NonEmptyString("OUTDIAL_TIME_ZONES"))

const howToMake = "32 bytes in base64; make one with: openssl rand -base64 32"

const SecretKey = Schema.String.check(
  Schema.makeFilter((text: string) => SecretBox.isKey(text) || `must be ${howToMake}`)
)

const parts = (list: string) => list.split(",").map((entry) => entry.trim())

/** The keys that webhook secrets are sealed under. */
export const secretKeys = group({
  /** Signs and encrypts what the operator alone may read. */
  secretKey: Config.schema(SecretKey, "OUTDIAL_SECRET_KEY").pipe(
    Config.map((text) => Redacted.make(text)),
    Config.option
  ),
  /** Keys of before, separated by commas, which only open what they sealed. */
  secretKeyPrevious: Config.schema(
    Schema.String.check(
      Schema.makeFilter((list: string) => parts(list).every(SecretBox.isKey) || `must be keys, each ${howToMake}`)
    ),
    "OUTDIAL_SECRET_KEY_PREVIOUS"
  ).pipe(
    Config.option,
    Config.map(Option.match({ onNone: () => [], onSome: parts })),
    Config.map((keys) => keys.map((key) => Redacted.make(key)))
  )
})

/** What is written of what happens. */
export const logs = group({
  /** Lines for programs or for people; JSON unless somebody reads along. */
  format: Config.option(oneOf("OUTDIAL_LOG_FORMAT", ["json", "pretty"])),
  level: oneOf("OUTDIAL_LOG_LEVEL", ["debug", "info", "warn", "error"]).pipe(Config.withDefault("info" as const))
})

/** Where traces are sent, by the names that OpenTelemetry has for it; nowhere without an endpoint. */
export const traces = group({
  endpoint: Config.option(
    matching("OTEL_EXPORTER_OTLP_ENDPOINT", address, "must be an address such as http://collector:4318")
  ),
  /** Such as a key of the collector's. */
  headers: matching(
    "OTEL_EXPORTER_OTLP_HEADERS",
    /^\s*[^\s=,]+=[^,]+(,\s*[^\s=,]+=[^,]+)*\s*$/,
    "must be name=value, several of them separated by commas"
  ).pipe(Config.map((list) => Redacted.make(list)), Config.option),
  serviceName: Config.withDefault(Config.NonEmptyString("OTEL_SERVICE_NAME"), "outdial")
})

/** Who may read the metrics; nobody unless one of the two is set, as figures of a deployment are not for everybody. */
export const metrics = group({
  /** A port of its own, which needs no token unless one is set. */
  port: Config.option(port("OUTDIAL_METRICS_PORT")),
  /** What a reader shows as `Authorization: Bearer …`. */
  token: matching(
    "OUTDIAL_METRICS_TOKEN",
    /^[\x21-\x7e]{16,}$/,
    "must be at least 16 characters without spaces; make one with: openssl rand -hex 32"
  ).pipe(Config.map((token) => Redacted.make(token)), Config.option)
})

/** How the server ends when it is asked to. */
export const draining = group({
  /** How long it still takes requests while it already says that it is not ready. */
  delay: Config.withDefault(seconds("OUTDIAL_DRAIN_DELAY_SECONDS", 300), Duration.seconds(3)),
  /** How long what is in flight may take after that. */
  bound: Config.withDefault(seconds("OUTDIAL_DRAIN_SECONDS", 3600), Duration.seconds(30))
})

/** A module with the parts of the server that are code (`ServerConfig`). */
export const configModule = Config.option(Config.NonEmptyString("OUTDIAL_CONFIG"))

const serveParts = {
  /** What this process does: everything, only serve `/v1`, or only the work. */
  role: oneOf("OUTDIAL_ROLE", ["all", "api", "worker"]).pipe(Config.withDefault("all" as const)),
  port: Config.withDefault(port("PORT"), 4010),
  store,
  /** The root under which users reach the server; links to recordings begin with it. */
  publicUrl: Config.option(
    matching("OUTDIAL_PUBLIC_URL", address, "must be an address such as https://calls.example.com")
  ),
  secretKeys,
  /** `host:port` of webhook receivers that are not public, separated by commas. */
  webhookAllow: matching(
    "OUTDIAL_WEBHOOK_ALLOW",
    new RegExp(`^\\s*${hostAndPort}\\s*(,\\s*${hostAndPort}\\s*)*$`),
    "must be host:port, several of them separated by commas"
  ).pipe(
    Config.option,
    Config.map(Option.match({ onNone: () => [], onSome: (list) => parts(list.toLowerCase()) }))
  ),
  logs,
  traces,
  metrics,
  draining,
  configModule
}

export const serve = Config.all(serveParts)

/** Each variable of `serve` by itself. */
export const variables: ReadonlyArray<Config.Config<unknown>> = Object.values(serveParts).flatMap(
  (part): ReadonlyArray<Config.Config<unknown>> => "parts" in part ? Object.values(part.parts) : [part]
)
