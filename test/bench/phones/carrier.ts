/**
 * The least of a Twilio, in a process of its own: it accepts calls at once, and sends their callbacks on request. It also is the least that
 * can take the callbacks, without an engine: a server that checks their signatures.
 */
import { Agent } from "@effect/platform-node/Undici"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import process from "node:process"
import { accountSid, now, sign } from "./Signing.ts"

export type Request =
  | { readonly task: "port" }
  /** The calls that were asked for since the last time: to which number, and when. */
  | { readonly task: "arrived" }
  /**
   * Sends all callbacks of the calls that have none yet, or those of the calls before once more to the least of an application; returns
   * callbacks per second.
   */
  | { readonly task: "callbacks"; readonly to: "application" | "least" }
  /** The relays of so many calls, as soon as they are asked for. */
  | { readonly task: "relays"; readonly count: number }

interface Call {
  readonly sid: string
  readonly callback: string
  readonly twiml: string
}

/** Calls whose callbacks are sent at once; those of a call are sent one after the other. */
const inFlight = 50

const statuses = ["initiated", "ringing", "in-progress", "completed"]

let calls: Array<Call> = []
let last: ReadonlyArray<Call> = []
const arrivals: Array<readonly [phoneNumber: string, at: number]> = []

const formOf = async (request: IncomingMessage) => {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk)
  return new URLSearchParams(text)
}

const api = createServer((request, response) => {
  const at = now()
  void formOf(request).then((form) => {
    const reply = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    if (request.method === "GET") return reply(200, { calls: [] })
    const sid = `CA${randomBytes(16).toString("hex")}`
    const to = form.get("To")
    if (to !== null) {
      arrivals.push([to, at])
      calls.push({ sid, callback: form.get("StatusCallback") ?? "", twiml: form.get("Twiml") ?? "" })
    }
    return reply(201, { sid, account_sid: accountSid, status: "queued", date_created: new Date().toUTCString() })
  })
}).listen(0, "127.0.0.1")

const least = createServer((request, response) => {
  void formOf(request).then((form) => {
    const url = `http://${request.headers.host}${request.url}`
    response.writeHead(request.headers["x-twilio-signature"] === sign(url, form) ? 204 : 403).end()
  })
}).listen(0, "127.0.0.1")

const portOf = (server: typeof api) => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const agent = new Agent({ connections: inFlight, pipelining: 1 })

const post = async (url: string, fields: URLSearchParams) => {
  const { origin, pathname, search } = new URL(url)
  const { body, statusCode } = await agent.request({
    origin,
    path: pathname + search,
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", "x-twilio-signature": sign(url, fields) },
    body: fields.toString()
  })
  await body.dump()
  if (statusCode !== 204) throw new Error(`A callback was answered with ${statusCode}`)
}

const sendCallbacks = async (to: "application" | "least") => {
  if (to === "application") {
    last = calls
    calls = []
  }
  const left = [...last]
  const count = left.length * statuses.length
  const start = performance.now()
  await Promise.all(Array.from({ length: inFlight }, async () => {
    for (let call = left.pop(); call !== undefined; call = left.pop()) {
      const { callback, sid } = call
      // What follows a # says how often a callback is repeated, and is not sent.
      const [address = ""] = callback.split("#")
      const url = to === "application" ? address : address.replace(/:\d+\//u, `:${portOf(least)}/`)
      for (const status of statuses) {
        const fields = { AccountSid: accountSid, CallSid: sid, CallStatus: status, Timestamp: new Date().toUTCString() }
        await post(url, new URLSearchParams(fields))
      }
    }
  }))
  return count / (performance.now() - start) * 1000
}

const relaysOf = async (count: number) => {
  while (calls.length < count) await new Promise((resolve) => setTimeout(resolve, 5))
  return calls.splice(0).map(({ sid, twiml }) => {
    const url = /<ConversationRelay url="([^"]*)"/u.exec(twiml)?.[1]?.replaceAll("&amp;", "&") ?? ""
    return { url, relay: { sid, signature: sign(url) } }
  })
}

const answer = async (request: Request): Promise<unknown> => {
  switch (request.task) {
    case "port":
      return portOf(api)
    case "arrived":
      return arrivals.splice(0)
    case "callbacks":
      return sendCallbacks(request.to)
    case "relays":
      return relaysOf(request.count)
  }
}

process.on("message", (request: Request) => {
  answer(request).then(
    (value) => process.send?.({ value }),
    (error) => process.send?.({ error: String(error) })
  )
})
// The parent has ended.
process.on("disconnect", () => process.exit())
await Promise.all([once(api, "listening"), once(least, "listening")])
process.send?.({ value: "ready" })
