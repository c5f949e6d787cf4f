/** The soak's carrier without random faults, for the telephony contract: the same protocol, controlled by commands. */
import type { TelephonyContract } from "@outdial/testkit/contracts"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { json } from "node:stream/consumers"
import * as Carrier from "./Carrier.ts"

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
} satisfies Record<TelephonyContract.Behaviour, string>

/** Everything is done at once, and nothing by chance. */
const manner: Carrier.Manner = { tellsAnswer: true, tellsEnd: true, twice: false, endFirst: false, delay: 0 }

export interface CommandedCarrier extends TelephonyContract.HostCarrier {
  readonly close: () => Promise<void>
}

/** Starts it on this port. It calls back there. */
export const start = async (
  ports: { readonly carrier: number; readonly callback: number }
): Promise<CommandedCarrier> => {
  const calls = new Map<string, Carrier.LineCall>()
  const rings: Array<string> = []
  const dials = new Set<string>()
  const callerIds = new Map<string, string | undefined>()
  const waiting = new Set<ServerResponse>()
  let condition: TelephonyContract.Condition = "well"
  let waitingChanged = () => {}

  const report = async (callId: string, event: object, attempts = 3): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${ports.callback}/reports`, {
      method: "POST",
      body: JSON.stringify({ accountId: calls.get(callId)?.accountId, callId, event })
    })
    if (!response.ok && attempts > 1) return report(callId, event, attempts - 1)
    // What a node without its database answers has no instruction.
    const { instruction } = await response.json() as { readonly instruction?: string }
    if (instruction === "hang_up") finish(callId, true)
  }

  const finish = (callId: string, isHungUp: boolean) => {
    const call = calls.get(callId)
    if (call === undefined || call.endedAt <= Date.now()) return undefined
    const ended = { ...call, endedAt: Date.now(), isHungUp }
    calls.set(callId, ended)
    return ended
  }

  const ring = ({ accountId, callId, callerId, node, phoneNumber }: Carrier.Dial) => {
    rings.push(callId)
    callerIds.set(callId, callerId)
    calls.set(callId, {
      _tag: "Rang",
      at: Date.now(),
      accountId,
      callId,
      node,
      phoneNumber,
      manner: { ...manner, tellsEnd: phoneNumber !== numbers.last_report_lost },
      result: phoneNumber === numbers.busy ? "busy" : phoneNumber === numbers.never_answers ? "no_answer" : "hung_up",
      endsAt: Infinity,
      endedAt: Infinity,
      isHungUp: false
    })
  }

  const dialed = (dial: Carrier.Dial, response: ServerResponse) => {
    // The phone rings for a second request, which no provider may send.
    const isRepeated = dials.has(dial.callId)
    dials.add(dial.callId)
    if (!isRepeated) {
      if (dial.phoneNumber === numbers.refused) return response.writeHead(422).end()
      if (dial.phoneNumber === numbers.unavailable) return response.writeHead(503).end()
      if (dial.phoneNumber === numbers.unknown_lost) return response.destroy()
    }
    ring(dial)
    if (dial.phoneNumber === numbers.unknown_rings) return response.destroy()
    if (dial.phoneNumber === numbers.error_rings) return response.writeHead(500).end("{}")
    return response.end(JSON.stringify({ carrierCallId: `line-${dial.callId}` }))
  }

  /** Keeps the request without an answer until it is given up. */
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
    const [, route, callId = ""] = (request.url ?? "").split("/")
    // Identified by a header that only the nodes send.
    if (route === "dials") return dialed(await json(request) as Carrier.Dial, response)
    if (request.method === "DELETE") finish(callId, true)
    const call = calls.get(callId)
    if (call === undefined) return response.writeHead(404).end()
    const hasEnded = call.endedAt <= Date.now()
    return response.end(JSON.stringify(hasEnded ? { _tag: "Ended", event: Carrier.ended(call) } : { _tag: "Live" }))
  }

  const server = createServer((request, response) => void serve(request, response))
  const listen = async () => void await once(server.listen(ports.carrier, "127.0.0.1"), "listening")
  const close = async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
  await listen()
  return {
    numbers,
    words: { agent: "Hello", contact: "Yes" },
    records: false,
    rings: () => rings,
    callerIdOf: (callId) => callerIds.get(callId),
    answer: async (callId) => {
      const call = calls.get(callId)
      if (call === undefined) return
      const answered = {
        ...call,
        answeredAt: Date.now(),
        answeredBy: call.phoneNumber === numbers.voicemail ? "voicemail" : "human"
      } as const
      calls.set(callId, answered)
      await report(callId, { _tag: "Answered", at: answered.answeredAt, by: answered.answeredBy })
    },
    end: async (callId) => {
      const ended = finish(callId, false)
      if (ended?.manner.tellsEnd === true) await report(callId, Carrier.ended(ended))
    },
    setCondition: async (next) => {
      if (next === "unreachable") await close()
      else if (condition === "unreachable") await listen()
      for (const response of waiting) response.destroy()
      condition = next
    },
    untilWaiting: async (requests) => {
      while (waiting.size !== requests) await new Promise<void>((changed) => waitingChanged = changed)
    },
    close
  }
}
