/**
 * Measures what Telnyx's documentation leaves open, with calls to your own number: what its API says, and with a public address also how its
 * webhooks come.
 * node scripts/run.mjs scripts/live/telnyx.ts --to +14155550123 --from +14155550100 [--public-url https://…]
 */
import { createPublicKey, randomUUID, verify } from "node:crypto"
import * as Callbacks from "./Callbacks.ts"
import {
  type Answer,
  at,
  confirmed,
  type Measurement,
  needed,
  type Numbers,
  parsed,
  type Reachable,
  send,
  table,
  textAt,
  until,
  wait
} from "./Measuring.ts"

const notice = {
  calls:
    `This places one call over your Telnyx account, or two if Telnyx does not ignore a repeated command, and hangs up before it is
answered. Telnyx bills nothing for a call that is not answered.`,
  callbacks:
    "Then it places one call that you are to answer: a minute to your country, and the premium detection of machines.",
  prices: `Within the US, a minute was 0.007 USD and the detection of machines 0.0065 USD when this was written, by
https://telnyx.com/pricing/call-control. Prices change, and depend on your country. A call that voicemail takes costs a minute, too.`
}

export interface Account {
  readonly apiKey: string
  readonly connectionId: string
  /** Without a slash at the end. */
  readonly apiUrl: string
}

/** No id of a call. */
const unknownId = "v3:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

export const measure = async (
  { apiKey, apiUrl, connectionId }: Account,
  { from, to }: Numbers
): Promise<ReadonlyArray<Measurement>> => {
  const base = `${apiUrl}/v2`
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" }
  const get = (path: string, query: Record<string, string> = {}) =>
    send(`${base}${path}?${new URLSearchParams(query).toString()}`, { headers })
  const post = (path: string, body: object) =>
    send(`${base}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
  const measured: Array<Measurement> = []
  const note = (question: string, answer: string) => void measured.push({ question, answer })
  const said = ({ body, status }: Answer) => {
    const code = textAt(body, "errors", 0, "code")
    return `status ${status}${code === "none" ? "" : `, error ${code} ${textAt(body, "errors", 0, "title")}`}`
  }

  const state = Buffer.from(randomUUID()).toString("base64")
  const command = {
    connection_id: connectionId,
    to,
    from,
    command_id: randomUUID(),
    client_state: state,
    timeout_secs: 30,
    retry_on_timeout: false
  }
  const placed = await post("/calls", command)
  note("Command to dial", `${said(placed)}, ${placed.took} ms`)
  const id = at(placed.body, "data", "call_control_id")
  if (typeof id !== "string") return measured
  const again = await post("/calls", command)
  const sameId = at(again.body, "data", "call_control_id") === id
  note("The same command_id again", `${said(again)}, ${sameId ? "the same call" : "not the same call"}`)

  const ours = async () => {
    const calls = at((await get(`/connections/${connectionId}/active_calls`, { "page[size]": "250" })).body, "data")
    return Array.isArray(calls) ? calls.filter((call) => at(call, "client_state") === state) : []
  }
  note("Until active_calls has it", await until(async () => (await ours()).length > 0))
  note("Calls in active_calls with our client_state", String((await ours()).length))
  const shown = await get(`/calls/${encodeURIComponent(id)}`)
  note(
    "While it rings",
    `is_alive ${textAt(shown.body, "data", "is_alive")}, end_time ${textAt(shown.body, "data", "end_time")}`
  )
  note("client_state of the call", at(shown.body, "data", "client_state") === state ? "ours" : "another")

  const legId = textAt(placed.body, "data", "call_leg_id")
  const past = async (query: Record<string, string>) => {
    const events = at(
      (await get("/call_events", { "filter[type]": "webhook", "page[size]": "250", ...query })).body,
      "data"
    )
    return Array.isArray(events) ? events : []
  }
  const has = (name: string, query: Record<string, string>) => async () =>
    (await past(query)).some((event) => at(event, "name") === name && at(event, "call_leg_id") === legId)
  note("Until call_events has call.initiated, by leg", await until(has("call.initiated", { "filter[leg_id]": legId })))
  note(
    "The same by number",
    await until(has("call.initiated", { "filter[to]": to, "filter[product]": "call_control" }))
  )
  const [event] = await past({ "filter[leg_id]": legId })
  note("Keys of its metadata", keysOf(at(event, "metadata")))
  note(
    "metadata has call_control_id and client_state",
    JSON.stringify(at(event, "metadata") ?? null).includes(state) ? "yes" : "no"
  )

  const ended = await post(`/calls/${encodeURIComponent(id)}/actions/hangup`, {})
  note("Hang-up of a ringing call", said(ended))
  const isOver = async () => at((await get(`/calls/${encodeURIComponent(id)}`)).body, "data", "is_alive") === false
  note("Until the call is not alive", await until(isOver, 30_000))
  note("Until call_events has call.hangup", await until(has("call.hangup", { "filter[leg_id]": legId })))
  note("Hang-up again", said(await post(`/calls/${encodeURIComponent(id)}/actions/hangup`, {})))
  note("Hang-up of an unknown call", said(await post(`/calls/${encodeURIComponent(unknownId)}/actions/hangup`, {})))
  note("Status of an unknown call", said(await get(`/calls/${encodeURIComponent(unknownId)}`)))
  const left = await ours()
  for (const call of left) {
    await post(`/calls/${encodeURIComponent(textAt(call, "call_control_id"))}/actions/hangup`, {})
  }
  note("Calls that still lived at the end, and were hung up", String(left.length))
  return measured
}

/** The names alone: values have numbers. */
const keysOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? Object.keys(value).sort().join(", ") || "none" : typeof value

/** When a webhook is to be sent again that was not accepted, in milliseconds. */
const retriesAfter = [1_000, 4_000]

const eventOf = ({ body }: Callbacks.Callback): Callbacks.Event | undefined => {
  const event = parsed(body)
  const name = at(event, "data", "event_type")
  if (typeof name !== "string") return undefined
  const happenedAt = Date.parse(textAt(event, "data", "occurred_at"))
  return {
    name,
    id: textAt(event, "data", "id"),
    happenedAt: Number.isNaN(happenedAt) ? undefined : happenedAt
  }
}

/** The key of the portal is 32 bytes in base64; Node wants them behind this head. */
const keyHead = Buffer.from("302a300506032b6570032100", "hex")

const isSigned = (publicKey: string, { body, headers }: Callbacks.Callback): boolean =>
  verify(
    null,
    Buffer.from(`${String(headers["telnyx-timestamp"])}|${body}`),
    createPublicKey({
      key: Buffer.concat([keyHead, Buffer.from(publicKey, "base64")]),
      format: "der",
      type: "spki"
    }),
    Buffer.from(String(headers["telnyx-signature-ed25519"] ?? ""), "base64")
  )

/** How long the call lasts: longer than it takes to find out who has answered. */
const mostOfCall = 20_000

/** How long webhooks are waited for that come after the end. */
const lateFor = 2_000

/** Places one call that is to be answered, and measures its webhooks. The first one is answered with an error. */
export const measureCallbacks = async (
  { apiKey, apiUrl, connectionId }: Account,
  { from, to }: Numbers,
  { port, publicKey, publicUrl }: Reachable & { readonly publicKey: string }
): Promise<ReadonlyArray<Measurement>> => {
  const { close, received } = await Callbacks.receive(port, (_, before) => before.length === 0 ? 500 : 200)
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" }
  const post = (path: string, body: object) =>
    send(`${apiUrl}/v2${path}`, { method: "POST", headers, body: JSON.stringify(body) })
  try {
    const names = ["call.initiated", "call.answered", "call.hangup", "call.machine.premium.detection.ended"]
    const placedAt = Date.now()
    const placed = await post("/calls", {
      connection_id: connectionId,
      to,
      from,
      command_id: randomUUID(),
      client_state: Buffer.from("live").toString("base64"),
      webhook_url: `${publicUrl}/events`,
      webhook_retries_policies: Object.fromEntries(names.map((name) => [name, { retries_ms: retriesAfter }])),
      answering_machine_detection: "premium",
      timeout_secs: 30,
      time_limit_secs: 30,
      retry_on_timeout: false
    })
    const id = at(placed.body, "data", "call_control_id")
    if (typeof id !== "string") {
      return [{ question: "Call with webhooks", answer: textAt(placed.body, "errors", 0, "detail") }]
    }
    const find = (name: string) => received.find((callback) => eventOf(callback)?.name === name)
    const isOver = () => find("call.hangup") !== undefined
    await until(async () => isOver() || find("call.answered") !== undefined, 60_000)
    await until(async () => isOver() || find("call.machine.premium.detection.ended") !== undefined, mostOfCall)
    if (!isOver()) await post(`/calls/${encodeURIComponent(id)}/actions/hangup`, {})
    await until(async () => isOver(), 30_000)
    await wait(lateFor)
    const [answered, verdict] = [find("call.answered"), find("call.machine.premium.detection.ended")]
    return [
      { question: "Webhooks, as they came", answer: Callbacks.arrivals(received, eventOf, placedAt) },
      { question: "Webhooks in the order of their events", answer: Callbacks.order(received, eventOf) },
      { question: "Webhook that was answered with 500 again", answer: Callbacks.repetitions(received, eventOf) },
      { question: "Webhooks again that were accepted", answer: Callbacks.duplicates(received, eventOf) },
      {
        question: "Webhooks with a valid signature",
        answer: `${received.filter((callback) => isSigned(publicKey, callback)).length} of ${received.length}`
      },
      {
        question: "Verdict on who answered, after the webhook of the answer",
        answer: verdict === undefined || answered === undefined
          ? "none"
          : `${textAt(parsed(verdict.body), "data", "payload", "result")} after ${verdict.at - answered.at} ms`
      }
    ]
  } finally {
    await close()
  }
}

if (import.meta.main) {
  const account = {
    apiKey: needed("TELNYX_API_KEY"),
    connectionId: needed("TELNYX_CONNECTION_ID"),
    apiUrl: process.env["TELNYX_API_URL"] ?? "https://api.telnyx.com"
  }
  const { numbers, reachable } = await confirmed(notice)
  const publicKey = reachable === undefined ? "" : needed("TELNYX_PUBLIC_KEY")
  console.log(table(await measure(account, numbers)))
  if (reachable !== undefined) {
    console.log("Answer the next call, and say hello.")
    console.log(table(await measureCallbacks(account, numbers, { ...reachable, publicKey })))
  }
}
