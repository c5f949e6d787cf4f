/** Receives the callbacks of a carrier through a tunnel, and measures when and how they come. */
import { createServer, type IncomingHttpHeaders } from "node:http"

export interface Callback {
  /** Below the public address. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Epoch milliseconds. */
  readonly at: number
  /** The status that it was answered with. */
  readonly answer: number
}

export interface Receiver {
  readonly received: ReadonlyArray<Callback>
  readonly close: () => Promise<void>
}

/** Answers with what `answerTo` says, given the callbacks before. */
export const receive = async (
  port: number,
  answerTo: (callback: Omit<Callback, "answer">, before: ReadonlyArray<Callback>) => number
): Promise<Receiver> => {
  const received: Array<Callback> = []
  const server = createServer((request, response) => {
    const at = Date.now()
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => void chunks.push(chunk))
    request.on("end", () => {
      const callback = {
        path: request.url ?? "/",
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        at
      }
      const answer = answerTo(callback, received)
      received.push({ ...callback, answer })
      response.writeHead(answer).end()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", resolve)
  })
  return {
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

/** What a callback is of, and when it happened by the carrier's word, in epoch milliseconds. */
export interface Event {
  readonly name: string
  /** The same for one that is sent again. */
  readonly id: string
  readonly happenedAt: number | undefined
}

/** In the order of their arrival, each with how long after the event, and after the request for the call, it came. */
export const arrivals = (
  received: ReadonlyArray<Callback>,
  eventOf: (callback: Callback) => Event | undefined,
  placedAt: number
): string =>
  received.flatMap((callback) => {
    const event = eventOf(callback)
    if (event === undefined) return []
    const late = event.happenedAt === undefined ? "" : `, ${callback.at - event.happenedAt} ms late`
    return [`${event.name} after ${callback.at - placedAt} ms${late}`]
  }).join("; ") || "none"

/** Whether they came in the order in which they happened. */
export const order = (
  received: ReadonlyArray<Callback>,
  eventOf: (callback: Callback) => Event | undefined
): string => {
  const times = received.flatMap((callback) => eventOf(callback)?.happenedAt ?? [])
  return times.every((time, index) => index === 0 || time >= (times[index - 1] ?? 0)) ? "yes" : "no"
}

/** How many came again although they were accepted. */
export const duplicates = (
  received: ReadonlyArray<Callback>,
  eventOf: (callback: Callback) => Event | undefined
): string => {
  const accepted = received.filter(({ answer }) => answer < 300).flatMap((callback) => eventOf(callback)?.id ?? [])
  return String(accepted.length - new Set(accepted).size)
}

/** How long after the refusal of the first callback each repetition came. */
export const repetitions = (
  received: ReadonlyArray<Callback>,
  eventOf: (callback: Callback) => Event | undefined
): string => {
  const refused = received.find(({ answer }) => answer >= 500)
  if (refused === undefined) return "none was refused"
  const { id } = eventOf(refused) ?? {}
  const again = received.filter((callback) => callback !== refused && eventOf(callback)?.id === id)
  return again.map(({ at }) => `after ${at - refused.at} ms`).join(", ") || "not repeated"
}
