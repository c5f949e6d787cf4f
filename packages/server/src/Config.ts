/**
 * What the server takes from its environment. Everything it reads is here, with its default and its meaning; a wrong value
 * stops the start with a message that names it.
 */
import { Config, Option, Redacted, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { Result } from "effect"

/** Where everything is kept: a Postgres, or a folder with an embedded one. `DATABASE_URL` wins. */
export const store = Config.all({
  databaseUrl: Config.option(Config.Redacted("DATABASE_URL")),
  data: Config.option(Config.NonEmptyString("OUTDIAL_DATA"))
})

/** A JSON file of time zones that the deployment knows better than our table or the runtime. */
export const timeZones = Config.option(Config.NonEmptyString("OUTDIAL_TIME_ZONES"))

const SecretKey = Schema.String.check(Schema.makeFilter((text: string) => {
  const bytes = Base64.decode(text)
  return (Result.isSuccess(bytes) && bytes.success.length === 32) ||
    "must be 32 bytes in base64; make one with: openssl rand -base64 32"
}))

export const serve = Config.all({
  port: Config.Port("PORT").pipe(Config.withDefault(4010)),
  store,
  /** The root under which users reach the server; links to recordings begin with it. */
  publicUrl: Config.option(Config.schema(
    Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/, {
      message: "must be an address such as https://calls.example.com"
    })),
    "OUTDIAL_PUBLIC_URL"
  )),
  /** Signs and encrypts what the operator alone may read. */
  secretKey: Config.schema(SecretKey, "OUTDIAL_SECRET_KEY").pipe(
    Config.map((text) => Redacted.make(text)),
    Config.option
  ),
  /** `host:port` of webhook receivers that are not public, separated by commas. */
  webhookAllow: Config.schema(
    Schema.String.check(Schema.isPattern(/^\s*[^\s,:/]+:\d{1,5}\s*(,\s*[^\s,:/]+:\d{1,5}\s*)*$/, {
      message: "must be host:port, several of them separated by commas"
    })),
    "OUTDIAL_WEBHOOK_ALLOW"
  ).pipe(
    Config.option,
    Config.map(Option.match({ onNone: () => [], onSome: (list) => list.split(",").map((entry) => entry.trim()) }))
  )
})
