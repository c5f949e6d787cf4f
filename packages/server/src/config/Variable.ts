/** Environment variables with their documentation, and the formats that several of them have. */
import { Config, Duration, Option, Redacted, Schema } from "effect"

/** The documentation of a variable. */
export interface Documentation {
  readonly default: string
  readonly meaning: string
}

export type Documented<C> = C & { readonly variable: string; readonly documentation: Documentation }

export const variable = <A>(
  name: string,
  documentation: Documentation,
  read: (name: string) => Config.Config<A>
): Documented<Config.Config<A>> => Object.assign(read(name), { variable: name, documentation })

/** A variable with a format. The message follows its name. */
export const matching = (name: string, pattern: RegExp, message: string) =>
  Config.schema(Schema.String.check(Schema.isPattern(pattern, { message })), name)

/** A whole number between the bounds. */
export const whole = (name: string, { least, most }: { readonly least: number; readonly most: number }) =>
  Config.schema(
    Schema.String.check(
      Schema.makeFilter((text: string) => {
        const isWithin = /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most
        return isWithin || `must be a whole number from ${least} to ${most}`
      })
    ),
    name
  ).pipe(Config.map(Number))

export const seconds = (name: string, most: number) => Config.map(whole(name, { least: 0, most }), Duration.seconds)

export const oneOf = <const Choices extends ReadonlyArray<string>>(name: string, choices: Choices) =>
  Config.schema(
    Schema.String.check(
      Schema.makeFilter((text: string) => choices.includes(text) || `must be one of ${choices.join(", ")}`)
    ),
    name
    // The check has proved that it is one of them.
  ).pipe(Config.map((text) => text as Choices[number]))

export const port = (name: string) => whole(name, { least: 1, most: 65_535 })

/** With a port up to 65535. */
export const hostAndPort = "[^\\s,:/]+:(?:\\d{1,4}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])"

export const address = /^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/

/** Variables that are read together, or one by one to report every invalid one. */
export const group = <const Parts extends Readonly<Record<string, Documented<Config.Config<unknown>>>>>(parts: Parts) =>
  Object.assign(Config.all(parts), { parts })

/** A value that is not shown. */
export const secret = (name: string) =>
  Config.map(Config.option(Config.NonEmptyString(name)), Option.map((text) => Redacted.make(text)))
