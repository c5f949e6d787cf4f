/**
 * Measures what Twilio's documentation leaves open, with calls to your own number: what its API says, and with a public address also how its
 * callbacks come.
 * node scripts/run.mjs scripts/live/twilio.ts --to +14155550123 --from +14155550100 [--public-url https://…]
 */
import { createHmac } from "node:crypto"
import * as Callbacks from "./Callbacks.ts"
import {
  type Answer,
  at,
  confirmed,
  type Measurement,
  needed,
  type Numbers,
  type Reachable,
  send,
  table,
  textAt,
  until,
  wait
} from "./Measuring.ts"

const notice = {
  calls:
    "This places 3 calls over your Twilio account and hangs each up before it is answered, for which Twilio bills nothing.",
  callbacks: "Then it places one call that you are to answer: a minute to your country, and the detection of machines.",
  prices: `Within the US, a minute was 0.014 USD and the detection of machines 0.0075 USD when this was written, by
https://www.twilio.com/en-us/voice/pricing/us. Prices change, and depend on your country. A call that voicemail takes costs a minute, too.`
}

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
  const today = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`
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

/** With this fragment, Twilio is to repeat a callback five times that is not accepted, whatever the cause. */
const fragment = "#rc=5&rp=all"

/** Longer than it takes to find out who has answered. */
const longEnough = "<Response><Pause length=\"15\"/><Hangup/></Response>"

const statusOf = ({ body, path }: Callbacks.Callback): Callbacks.Event | undefined => {
  const form = new URLSearchParams(body)
  const name = form.get("CallStatus")
  if (!path.endsWith("/status") || name === null) return undefined
  const happenedAt = Date.parse(form.get("Timestamp") ?? "")
  return {
    name,
    id: form.get("SequenceNumber") ?? name,
    happenedAt: Number.isNaN(happenedAt) ? undefined : happenedAt
  }
}

/** What a signature is of. */
const signedAs = (authToken: string, url: string, { body, headers }: Callbacks.Callback): string => {
  const form = new URLSearchParams(body)
  const fields = [...new Set(form.keys())].sort().map((key) => key + form.get(key)).join("")
  const isOf = (address: string) =>
    createHmac("sha1", authToken).update(address + fields).digest("base64") === headers["x-twilio-signature"]
  if (isOf(url)) return "of the address without its fragment"
  return isOf(url + fragment) ? "of the address with its fragment" : "of neither"
}

/** Places one call that is to be answered, and measures its callbacks. The first one is answered with an error. */
export const measureCallbacks = async (
  { accountSid, apiUrl, authToken }: Account,
  { from, to }: Numbers,
  { port, publicUrl }: Reachable
): Promise<ReadonlyArray<Measurement>> => {
  const { close, received } = await Callbacks.receive(port, (_, before) => before.length === 0 ? 500 : 204)
  try {
    const form = new URLSearchParams({
      To: to,
      From: from,
      Twiml: longEnough,
      Timeout: "30",
      TimeLimit: "30",
      StatusCallback: `${publicUrl}/status${fragment}`,
      MachineDetection: "Enable",
      AsyncAmd: "true",
      AsyncAmdStatusCallback: `${publicUrl}/amd${fragment}`
    })
    for (const event of ["initiated", "ringing", "answered", "completed"]) form.append("StatusCallbackEvent", event)
    const placedAt = Date.now()
    const placed = await send(`${apiUrl}/2010-04-01/Accounts/${accountSid}/Calls.json`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${accountSid}:${authToken}`)}` },
      body: form
    })
    if (placed.status !== 201) {
      return [{
        question: "Call with callbacks",
        answer: `${textAt(placed.body, "code")}: ${textAt(placed.body, "message")}`
      }]
    }
    const statuses = () => received.flatMap((callback) => statusOf(callback) ?? [])
    const isOver = async () => statuses().some(({ name }) => terminal.has(name))
    await until(isOver, 90_000)
    // What comes late.
    await wait(lateFor)
    const first = received.find((callback) => statusOf(callback) !== undefined)
    const verdict = received.find(({ path }) => path.endsWith("/amd"))
    const answered = received.find((callback) => statusOf(callback)?.name === "in-progress")
    return [
      {
        question: "Callbacks, as they came (dated by the second)",
        answer: Callbacks.arrivals(received, statusOf, placedAt)
      },
      { question: "Callbacks in the order of their events", answer: Callbacks.order(received, statusOf) },
      { question: "Callback that was answered with 500 again", answer: Callbacks.repetitions(received, statusOf) },
      { question: "Callbacks again that were accepted", answer: Callbacks.duplicates(received, statusOf) },
      {
        question: "Signature",
        answer: first === undefined ? "no callback" : signedAs(authToken, `${publicUrl}/status`, first)
      },
      {
        question: "Verdict on who answered, after the callback of the answer",
        answer: verdict === undefined || answered === undefined
          ? "none"
          : `${new URLSearchParams(verdict.body).get("AnsweredBy")} after ${verdict.at - answered.at} ms`
      }
    ]
  } finally {
    await close()
  }
}

/** How long callbacks are waited for that come after the end. */
const lateFor = 2_000

if (import.meta.main) {
  const account = {
    accountSid: needed("TWILIO_ACCOUNT_SID"),
    authToken: needed("TWILIO_AUTH_TOKEN"),
    apiUrl: process.env["TWILIO_API_URL"] ?? "https://api.twilio.com"
  }
  const { numbers, reachable } = await confirmed(notice)
  console.log(table(await measure(account, numbers)))
  if (reachable !== undefined) {
    console.log("Answer the next call, and say hello.")
    console.log(table(await measureCallbacks(account, numbers, reachable)))
  }
}
