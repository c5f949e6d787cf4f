/**
 * Measures what Telnyx's documentation leaves open, with a call to your own number. It needs no public address.
 * node scripts/run.mjs scripts/live/telnyx.ts --to +14155550123 --from +14155550100
 */
import { randomUUID } from "node:crypto"
import {
  type Answer,
  at,
  confirmed,
  type Measurement,
  needed,
  type Numbers,
  send,
  table,
  textAt,
  until
} from "./Measuring.ts"

const notice =
  `This places one call over your Telnyx account, or two if Telnyx does not ignore a repeated command, and hangs up before it is
answered. Telnyx bills nothing for a call that is not answered. One that voicemail takes costs a minute to your country: about
0.007 USD within the US, see Telnyx's price list.`

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

if (import.meta.main) {
  const account = {
    apiKey: needed("TELNYX_API_KEY"),
    connectionId: needed("TELNYX_CONNECTION_ID"),
    apiUrl: process.env["TELNYX_API_URL"] ?? "https://api.telnyx.com"
  }
  console.log(table(await measure(account, await confirmed(notice))))
}
