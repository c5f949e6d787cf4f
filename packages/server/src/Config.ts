/**
 * What the server takes from its environment. Everything it reads is here, with its default and its meaning; a wrong value
 * stops the start with a message that names it.
 */
import { SecretBox } from "@outdial/core"
import { Config, Option, Redacted, Schema } from "effect"

/** Where everything is kept: a Postgres, or a folder with an embedded one. `DATABASE_URL` wins. */
export const store = Config.all({
  databaseUrl: Config.option(Config.Redacted("DATABASE_URL")),
  data: Config.option(Config.NonEmptyString("OUTDIAL_DATA"))
})

/** A JSON file of time zones that the deployment knows better than our table or the runtime. */
export const timeZones = Config.option(Config.NonEmptyString("OUTDIAL_TIME_ZONES"))

const howToMake = "32 bytes in base64; make one with: openssl rand -base64 32"

const SecretKey = Schema.String.check(
  Schema.makeFilter((text: string) => SecretBox.isKey(text) || `must be ${howToMake}`)
)

const parts = (list: string) => list.split(",").map((entry) => entry.trim())

/** The keys that webhook secrets are sealed under. */
export const secretKeys = Config.all({
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
  secretKeys,
  /** `host:port` of webhook receivers that are not public, separated by commas. */
  webhookAllow: Config.schema(
    Schema.String.check(Schema.isPattern(/^\s*[^\s,:/]+:\d{1,5}\s*(,\s*[^\s,:/]+:\d{1,5}\s*)*$/, {
      message: "must be host:port, several of them separated by commas"
    })),
    "OUTDIAL_WEBHOOK_ALLOW"
  ).pipe(
    Config.option,
    Config.map(Option.match({ onNone: () => [], onSome: (list) => parts(list.toLowerCase()) }))
  )
})
