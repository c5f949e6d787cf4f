/**
 * Measures what Twilio's documentation leaves open, with calls to your own number. They need no public address.
 * node scripts/run.mjs scripts/live/twilio.ts --to +14155550123 --from +14155550100
 */
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
  until,
  wait
} from "./Measuring.ts"

const notice =
  `This places 3 calls over your Twilio account and hangs each up before it is answered. Twilio bills nothing for a call that
is not answered. One that voicemail takes costs a minute to your country: about 0.014 USD within the US, see Twilio's price list.`

export interface Account {
  readonly accountSid: string
  readonly authToken: string
  /** Without a slash at the end. */
  readonly apiUrl: string
}

const twiml = "<Response><Pause length=\"5\"/><Hangup/></Response>"

const terminal = new Set(["completed", "busy", "failed", "no-answer", "canceled"])

export const measure = async (
  { accountSid, apiUrl, authToken }: Account,
  { from, to }: Numbers
): Promise<ReadonlyArray<Measurement>> => {
  const base = `${apiUrl}/2010-04-01/Accounts/${accountSid}`
  const authorization = `Basic ${btoa(`${accountSid}:${authToken}`)}`
  const get = (path: string, query: Record<string, string> = {}) =>
    send(`${base}${path}?${new URLSearchParams(query).toString()}`, { headers: { authorization } })
  const post = (path: string, form: Record<string, string>) =>
    send(`${base}${path}`, { method: "POST", headers: { authorization }, body: new URLSearchParams(form) })
  const create = () => post("/Calls.json", { To: to, From: from, Twiml: twiml, Timeout: "30" })
  const sidOf = ({ body }: Answer) => textAt(body, "sid")
  const statusOf = async (sid: string) => textAt((await get(`/Calls/${sid}.json`)).body, "status")
  const isListed = async (sid: string, query: Record<string, string> = {}) => {
    const calls = at((await get("/Calls.json", { To: to, From: from, PageSize: "50", ...query })).body, "calls")
    return Array.isArray(calls) && calls.some((call) => at(call, "sid") === sid)
  }
  const today = new Date().toISOString().slice(0, 10)
  const measured: Array<Measurement> = []
  const note = (question: string, answer: string) => void measured.push({ question, answer })

  const placed = await create()
  note("Request for a call", `status ${placed.status}, call ${textAt(placed.body, "status")}, ${placed.took} ms`)
  if (placed.status !== 201) {
    note("Error", `${textAt(placed.body, "code")}: ${textAt(placed.body, "message")}`)
    return measured
  }
  const sid = sidOf(placed)
  note("queue_time of a call alone", `${textAt(placed.body, "queue_time")} ms`)
  const [lag, filtered] = await Promise.all([
    until(() => isListed(sid)),
    until(() => isListed(sid, { "StartTime>": today }), 10_000)
  ])
  note("Until the list has a new call", lag)
  note("The same with a filter by StartTime", filtered)
  note("Until it rings", await until(async () => ["ringing", "in-progress"].includes(await statusOf(sid)), 30_000))
  note("A filter by StartTime hides a ringing call", await isListed(sid, { "StartTime>": today }) ? "no" : "yes")
  const ended = await post(`/Calls/${sid}.json`, { Status: "completed" })
  note("Status=completed for a ringing call", `status ${ended.status}`)
  const over = await until(async () => terminal.has(await statusOf(sid)), 30_000)
  note("Until it has ended", `${over}, as ${await statusOf(sid)}`)
  const again = await post(`/Calls/${sid}.json`, { Status: "completed" })
  note("Status=completed again", `status ${again.status}, error ${textAt(again.body, "code")}`)

  // Above one call per second, the second one waits in Twilio's queue.
  const pair = await Promise.all([create(), create()])
  note("queue_time of two calls at once", pair.map(({ body }) => `${textAt(body, "queue_time")} ms`).join(", "))
  await Promise.all(pair.map((one) => post(`/Calls/${sidOf(one)}.json`, { Status: "completed" })))
  await wait(2_000)
  const statuses = await Promise.all(pair.map((one) => statusOf(sidOf(one))))
  note("Status=completed right after the request", statuses.join(", "))
  return measured
}

if (import.meta.main) {
  const account = {
    accountSid: needed("TWILIO_ACCOUNT_SID"),
    authToken: needed("TWILIO_AUTH_TOKEN"),
    apiUrl: process.env["TWILIO_API_URL"] ?? "https://api.twilio.com"
  }
  console.log(table(await measure(account, await confirmed(notice))))
}
