/** The contact of a call over a socket for sound, as Twilio's Media Streams are: it hears in real time, and its lines are sounds. */
import type { Contact, ContactOptions, Over } from "./FakeContact.ts"

export interface StreamOptions
  extends Pick<ContactOptions, "hangsUp" | "headers" | "reply" | "says" | "url" | "words">
{
  readonly streamSid: string
  /** Of the first message. */
  readonly start: object
  /** The contact adds what it hears: frames of 20 ms in mu-law, also of silence. */
  readonly heard: Array<Uint8Array>
  /** The sound of a line, in mu-law. */
  readonly voice: (text: string) => Uint8Array
}

/** Node's WebSocket takes headers, which browsers' do not. */
const Socket = WebSocket as unknown as new(
  url: string,
  options: { readonly headers: Record<string, string> }
) => WebSocket

const [frameMillis, frameBytes, silence] = [20, 160, 0xff]

/** After the agent was heard, so long of silence is its end, in milliseconds, if `reply` is shorter. */
const shortestReply = 300

type Queued = { readonly audio: Uint8Array } | { readonly mark: string }

export const make = (
  { hangsUp, headers = {}, heard, reply, says, start, streamSid, url, voice, words }: StreamOptions
): Contact => {
  const socket = new Socket(url, { headers })
  const lines = [...says]
  let resolve: (over: Over) => void = () => {}
  const over = new Promise<Over>((done) => resolve = done)
  const send = (message: object) =>
    socket.readyState === WebSocket.OPEN ? socket.send(JSON.stringify({ ...message, streamSid })) : undefined
  let queue: Array<Queued> = []
  let saying: Uint8Array = new Uint8Array(0)
  /** Frames of silence since the agent was heard; none before it was. */
  let quiet: number | undefined

  /** The next line, once the agent has finished. */
  const line = () => {
    const text = lines.shift()
    quiet = undefined
    if (text === undefined) return hangsUp ? resolve({ _tag: "Said" }) : undefined
    words.push({ speaker: "contact", text, at: Date.now() })
    saying = voice(text)
  }

  const hear = () => {
    while (queue[0] !== undefined && "mark" in queue[0]) {
      send({ event: "mark", mark: { name: queue[0].mark } })
      queue.shift()
    }
    const next = queue.shift()
    const audio = next !== undefined && "audio" in next ? next.audio : new Uint8Array(frameBytes).fill(silence)
    heard.push(audio)
    if (audio.some((byte) => (byte & 0x7f) < 0x60)) quiet = 0
    else if (quiet !== undefined) quiet += 1
    if (quiet !== undefined && quiet * frameMillis >= Math.max(shortestReply, reply) && saying.length === 0) line()
  }

  const say = () => {
    const audio = new Uint8Array(frameBytes).fill(silence)
    audio.set(saying.subarray(0, frameBytes))
    saying = saying.subarray(frameBytes)
    send({ event: "media", media: { track: "inbound", payload: Buffer.from(audio).toString("base64") } })
  }

  let frames = 0
  const startedAt = performance.now()
  const timer = setInterval(() => {
    for (; frames * frameMillis < performance.now() - startedAt; frames++) {
      hear()
      say()
    }
  }, frameMillis)

  socket.addEventListener("open", () => {
    socket.send(JSON.stringify({ event: "connected", protocol: "Call", version: "1.0.0" }))
    send({ event: "start", sequenceNumber: "1", start })
  })
  socket.addEventListener("message", ({ data }) => {
    const message: {
      readonly event: string
      readonly media?: { readonly payload: string }
      readonly mark?: { readonly name: string }
    } = JSON.parse(String(data))
    if (message.event === "media") {
      const audio = Buffer.from(message.media?.payload ?? "", "base64")
      for (let at = 0; at < audio.length; at += frameBytes) queue.push({ audio: audio.subarray(at, at + frameBytes) })
    }
    if (message.event === "mark") queue.push({ mark: message.mark?.name ?? "" })
    if (message.event === "clear") {
      for (const one of queue) if ("mark" in one) send({ event: "mark", mark: { name: one.mark } })
      queue = []
    }
  })
  socket.addEventListener("close", () => resolve({ _tag: "Lost" }))
  socket.addEventListener("error", () => resolve({ _tag: "Lost" }))
  void over.then(() => clearInterval(timer))
  return {
    over,
    close: () => {
      send({ event: "stop", stop: {} })
      socket.close(1000)
    },
    cut: () => socket.close(3001)
  }
}
