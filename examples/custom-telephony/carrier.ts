/** A fake carrier: accepts calls over HTTP, reports their progress to a callback URL, and rings no real phone. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"

/** A number for each case that a provider must handle. */
const numbers = {
  talks: "+14155550100",
  busy: "+14155550101",
  never_answers: "+14155550102",
  refused: "+14155550103",
  unavailable: "+14155550104",
  unknown_rings: "+14155550105",
  unknown_lost: "+14155550106",
  last_report_lost: "+14155550107",
  voicemail: "+14155550108",
  error_rings: "+14155550109"
}

interface Dial {
  readonly accountId: string
  readonly callId: string
  readonly phoneNumber: string
  readonly callerId?: string
  /** The URL that receives the reports. */
  readonly callback: string
}

interface Call extends Dial {
  answeredAt?: Date
  end?: Readonly<Record<string, unknown>>
}

/** The audio of each conversation. */
const recording = new TextEncoder().encode("What was said")

/** Why it refuses a call. */
const refusal = { code: "604", message: "No such number" }

const words = { agent: "does Tuesday suit you", contact: "Yes, it does" }

const transcript = [
  { speaker: "agent", text: `Hello, ${words.agent}?` },
  { speaker: "contact", text: `${words.contact}.` }
]

/** What a report says about how the call was answered. */
const answered = ({ answeredAt, callId, phoneNumber }: Call) => {
  if (answeredAt === undefined) return {}
  return phoneNumber === numbers.voicemail
    ? { answeredAt, answeredBy: "voicemail", transcript: transcript.slice(0, 1) }
    : { answeredAt, answeredBy: "human", transcript, recording: `/calls/${callId}/recording` }
}

/** Starts the carrier on a free port, with its controls. */
export const startCarrier = async () => {
  const calls = new Map<string, Call>()
  const rings: Array<string> = []
  const dials = new Set<string>()
  const waiting = new Set<ServerResponse>()
  let condition = "well"
  let waitingChanged = () => {}

  /** Sends the report until it is accepted, three times at most. */
  const tell = async ({ accountId, callback, callId }: Call, event: object) => {
    for (let attempt = 0; attempt < 3; attempt++) {
      const body = JSON.stringify({ accountId, callId, event })
      const response = await fetch(callback, { method: "POST", body }).catch(() => undefined)
      if (response?.ok === true) return
    }
  }

  const finish = async (call: Call, result: string) => {
    if (call.end !== undefined) return
    call.end = { at: new Date(), result, ...answered(call) }
    if (call.phoneNumber !== numbers.last_report_lost) await tell(call, { type: "ended", ...call.end })
  }

  const dialed = (dial: Dial, response: ServerResponse) => {
    // The phone rings for a second request, which no provider may send.
    const isRepeated = dials.has(dial.callId)
    dials.add(dial.callId)
    switch (isRepeated ? undefined : dial.phoneNumber) {
      case numbers.refused:
        return response.writeHead(422).end(JSON.stringify(refusal))
      case numbers.unavailable:
        return response.writeHead(503).end()
      case numbers.unknown_lost:
        return response.destroy()
    }
    rings.push(dial.callId)
    calls.set(dial.callId, { ...dial })
    if (dial.phoneNumber === numbers.unknown_rings) return response.destroy()
    if (dial.phoneNumber === numbers.error_rings) return response.writeHead(500).end("{}")
    return response.writeHead(201).end(JSON.stringify({ id: `line-${rings.length}` }))
  }

  /** Leaves the request unanswered until the client aborts it. */
  const hold = (response: ServerResponse) => {
    waiting.add(response)
    response.on("close", () => {
      waiting.delete(response)
      waitingChanged()
    })
    waitingChanged()
  }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (condition === "silent") return hold(response)
    if (condition === "faulty") return response.writeHead(500).end("{}")
    // Only the provider sends requests here.
    if (request.method === "POST") return dialed(await json(request) as Dial, response)
    const [, , callId = "", part] = request.url?.split("/") ?? []
    const call = calls.get(callId)
    if (call === undefined) return response.writeHead(404).end()
    if (part === "recording") return response.end(recording)
    if (request.method === "DELETE") await finish(call, "hung_up")
    return response.end(JSON.stringify(call.end === undefined ? { status: "live" } : { status: "ended", ...call.end }))
  }

  const server = createServer((request, response) => void serve(request, response))
  const listen = async (port: number) => {
    await once(server.listen(port, "127.0.0.1"), "listening")
    // A server that listens on a port has an AddressInfo.
    return (server.address() as AddressInfo).port
  }
  const close = async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
  const port = await listen(0)

  return {
    url: `http://127.0.0.1:${port}`,
    numbers,
    words,
    records: true,
    recording,
    refusal,
    rings: () => rings,
    callerIdOf: (callId: string) => calls.get(callId)?.callerId,
    answer: async (callId: string) => {
      const call = calls.get(callId)
      if (call === undefined || call.end !== undefined) return
      call.answeredAt = new Date()
      await tell(call, { type: "answered", at: call.answeredAt, by: answered(call).answeredBy })
    },
    end: async (callId: string) => {
      const call = calls.get(callId)
      if (call === undefined) return
      const unanswered = call.phoneNumber === numbers.busy ? "busy" : "no_answer"
      await finish(call, call.answeredAt === undefined ? unanswered : "hung_up")
    },
    setCondition: async (next: string) => {
      if (next === "unreachable") await close()
      else if (condition === "unreachable") await listen(port)
      for (const response of waiting) response.destroy()
      condition = next
    },
    untilWaiting: async (requests: number) => {
      while (waiting.size !== requests) await new Promise<void>((changed) => waitingChanged = changed)
    },
    close
  }
}
