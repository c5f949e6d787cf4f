/**
 * What Telnyx's documentation says of the command that dials, as far as a carrier of Outdial may use it. Telnyx may ignore fields that it does
 * not know, and the fake does not: they are mistakes.
 * https://developers.telnyx.com/api-reference/call-commands/dial
 */

export interface Refusal {
  readonly code: string
  readonly detail: string
}

type IsValid = (value: unknown) => boolean

const text = (pattern: RegExp): IsValid => (value) => typeof value === "string" && pattern.test(value)
const oneOf = (...values: ReadonlyArray<unknown>): IsValid => (value) => values.includes(value)
const between = (least: number, most: number): IsValid => (value) =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const number = text(/^\+[1-9]\d{6,14}$/)
const base64 = text(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)
const interruptible = oneOf("none", "dtmf", "speech", "any")

const relay: Readonly<Record<string, IsValid>> = {
  url: text(/^wss?:\/\//),
  dtmf_detection: oneOf(true, false),
  greeting: text(/^/),
  interruptible,
  interruptible_greeting: interruptible,
  language: text(/^[A-Za-z]{2,3}(-\w+)*$/),
  voice: text(/./)
}

/** At most five delays, of a minute in all. */
const isRetryPolicy = (value: unknown): boolean => {
  const delays = isObject(value) ? value["retries_ms"] : undefined
  return Array.isArray(delays) && delays.length <= 5 && delays.every(between(0, 60_000)) &&
    delays.reduce((sum: number, delay: number) => sum + delay, 0) <= 60_000
}

/** What every command may have. */
const command: Readonly<Record<string, IsValid>> = { command_id: text(/^.{1,255}$/), client_state: base64 }

/** What a command has that calls a number. */
const calling: Readonly<Record<string, IsValid>> = {
  ...command,
  // Several numbers would all ring.
  to: number,
  from: number,
  webhook_url: text(/^https?:\/\//),
  webhook_url_method: oneOf("POST", "GET"),
  webhook_retries_policies: (value) => isObject(value) && Object.values(value).every(isRetryPolicy),
  timeout_secs: between(5, 600),
  time_limit_secs: between(1, 14_400)
}

const dial: Readonly<Record<string, IsValid>> = {
  ...calling,
  connection_id: text(/./),
  retry_on_timeout: oneOf(true, false),
  answering_machine_detection: oneOf("premium", "detect", "detect_beep", "detect_words", "greeting_end", "disabled"),
  conversation_relay_config: (value) => isObject(value) && refusalIn(relay, ["url"], value) === undefined,
  record: oneOf("record-from-answer"),
  record_channels: oneOf("single", "dual"),
  record_format: oneOf("wav", "mp3")
}

const refusalIn = (
  fields: Readonly<Record<string, IsValid>>,
  needed: ReadonlyArray<string>,
  given: Readonly<Record<string, unknown>>
): Refusal | undefined => {
  const missing = needed.find((name) => !(name in given))
  if (missing !== undefined) return { code: "10004", detail: `${missing} is missing` }
  const wrong = Object.keys(given).find((name) => fields[name]?.(given[name]) !== true)
  if (wrong === undefined) return undefined
  return { code: wrong === "to" || wrong === "from" ? "10016" : "10015", detail: `${wrong} is not valid` }
}

/** Why Telnyx would refuse the command that dials. */
export const refusalOfDial = (given: Readonly<Record<string, unknown>>): Refusal | undefined =>
  refusalIn(dial, ["connection_id", "to", "from"], given)

type Refuses = (given: Readonly<Record<string, unknown>>) => Refusal | undefined

/** Why Telnyx would refuse a command on a call, by the name of its action. */
export const refusalOf: Readonly<Record<string, Refuses>> = {
  hangup: (given) => refusalIn(command, [], given),
  record_stop: (given) => refusalIn(command, [], given),
  conversation_relay_start: (given) => refusalIn({ ...relay, ...command }, ["url"], given),
  // https://developers.telnyx.com/api-reference/call-commands/transfer-call
  transfer: (given) => refusalIn({ ...calling, target_leg_client_state: base64 }, ["to"], given)
}
