/**
 * What Twilio's OpenAPI document and its documentation say of the form that asks for a call. Twilio ignores fields that it does not know,
 * and the fake does not: they are mistakes.
 * https://www.twilio.com/docs/voice/api/call-resource#create-a-call-resource
 */

export interface Refusal {
  readonly code: number
  readonly message: string
}

const anything = () => true
const oneOf = (...values: ReadonlyArray<string>) => (value: string) => values.includes(value)
const between = (least: number, most: number) => (value: string) =>
  /^\d+$/.test(value) && Number(value) >= least && Number(value) <= most
const method = oneOf("GET", "POST")

/** An address with a host without underscores. */
const isUrl = (value: string) => /^https?:$/.test(URL.parse(value)?.protocol ?? "") && !/^https?:\/\/[^/]*_/.test(value)

interface Field {
  readonly isValid: (value: string) => boolean
  /** The error of Twilio for another value. */
  readonly code: number
}

const field = (isValid: Field["isValid"], code: number): Field => ({ isValid, code })

const fields: Readonly<Record<string, Field>> = {
  To: field((value) => /^(\+[1-9]\d{6,14}|sip:.+|client:.+)$/.test(value), 21211),
  From: field((value) => /^(\+[1-9]\d{6,14}|client:.+)$/.test(value), 21212),
  Url: field(isUrl, 21205),
  Twiml: field((value) => value.length <= 4_000 && value.includes("<Response>"), 21205),
  ApplicationSid: field((value) => /^AP[0-9a-fA-F]{32}$/.test(value), 21218),
  Method: field(method, 21209),
  FallbackUrl: field(isUrl, 21205),
  FallbackMethod: field(method, 21209),
  StatusCallback: field(isUrl, 21205),
  StatusCallbackMethod: field(method, 21209),
  StatusCallbackEvent: field(oneOf("initiated", "ringing", "answered", "completed"), 21626),
  SipAuthUsername: field(anything, 20001),
  SipAuthPassword: field(anything, 20001),
  SendDigits: field((value) => /^[0-9*#wW]{1,32}$/.test(value), 21206),
  Timeout: field(between(1, 600), 21208),
  TimeLimit: field(between(1, 86_400), 21208),
  Record: field(oneOf("true", "false"), 20001),
  RecordingChannels: field(oneOf("mono", "dual"), 20001),
  RecordingConfigurationId: field(anything, 20001),
  RecordingTrack: field(oneOf("inbound", "outbound", "both"), 20001),
  RecordingStatusCallback: field(isUrl, 21205),
  RecordingStatusCallbackMethod: field(method, 21209),
  RecordingStatusCallbackEvent: field(oneOf("in-progress", "completed", "absent"), 20001),
  Trim: field(oneOf("trim-silence", "do-not-trim"), 20001),
  MachineDetection: field(oneOf("Enable", "DetectMessageEnd"), 21234),
  MachineDetectionTimeout: field(between(3, 59), 21234),
  MachineDetectionSpeechThreshold: field(between(1_000, 6_000), 21262),
  MachineDetectionSpeechEndThreshold: field(between(500, 5_000), 21263),
  MachineDetectionSilenceTimeout: field(between(2_000, 10_000), 21234),
  AsyncAmd: field(oneOf("true", "false"), 20001),
  AsyncAmdStatusCallback: field(isUrl, 21205),
  AsyncAmdStatusCallbackMethod: field(method, 21209),
  Byoc: field((value) => /^BY[0-9a-fA-F]{32}$/.test(value), 20001),
  Passports: field(anything, 20001),
  ClientNotificationUrl: field(isUrl, 21205),
  CallerId: field(anything, 20001),
  CallReason: field(anything, 20001),
  CallToken: field(anything, 20001)
}

/** Fields that may be repeated. */
const lists: ReadonlySet<string> = new Set(["StatusCallbackEvent", "RecordingStatusCallbackEvent"])

/** Why Twilio would refuse the form. */
export const refusalOf = (form: URLSearchParams): Refusal | undefined => {
  if (!form.has("To")) return { code: 21201, message: "No 'To' number is specified" }
  if (!form.has("From")) return { code: 21213, message: "A caller id is required" }
  if (!["Url", "Twiml", "ApplicationSid"].some((name) => form.has(name))) {
    return { code: 21205, message: "Url parameter is required" }
  }
  for (const [name, value] of form) {
    const known = fields[name]
    if (known === undefined) return { code: 20001, message: `Unknown parameter ${name}` }
    if (!known.isValid(value)) return { code: known.code, message: `Invalid ${name}: ${value}` }
    if (form.getAll(name).length > 1 && !lists.has(name)) return { code: 20001, message: `${name} is repeated` }
  }
  return undefined
}
