/**
 * Lines to contacts who speak as scheduled, in a process of their own. Measures from the moment at which it sends the contact's final
 * words to the moment at which it receives the first words of the answer.
 */
import { WebSocket } from "@effect/platform-node/NodeWS"
import process from "node:process"
import { setTimeout as sleep } from "node:timers/promises"
import { accountSid } from "../phones/Signing.ts"
import { type FromLine, parsed, type ToLine, words } from "./Frames.ts"

export interface Talk {
  readonly task: "talk"
  /** Of each conversation. */
  readonly turns: number
  /** Milliseconds from one turn to the next; the conversations share them out evenly. */
  readonly every: number
  /** Milliseconds until the contact has heard an answer. */
  readonly speech: number
}

export interface Talked {
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** From the first piece of a model's answer to its first words, in the process that speaks; not a number without a model. */
  readonly piece: { readonly p50: number; readonly p99: number }
  readonly turns: number
  /** Turns without an answer before the next one. */
  readonly lost: number
  /** Lines that are open at the end. */
  readonly alive: number
}

/** Where a line leads: to a socket with the frames of the benchmark, or to one with those of Twilio's relay. */
export interface LineEnd {
  readonly url: string
  readonly relay?: { readonly sid: string; readonly signature: string }
}

export type Request =
  | { readonly task: "open"; readonly ends: ReadonlyArray<LineEnd> }
  | Talk
  | { readonly task: "close" }

interface Line {
  readonly socket: WebSocket
  readonly frames: typeof ownFrames
  isOpen: boolean
  /** When the words were sent that have no answer yet. */
  sentAt: number | undefined
  speech: number
  /** Milliseconds since the words that this answers, none for what the server says besides, and since the first piece of the answer. */
  onSpeech: (millis: number | undefined, sincePiece: number | undefined) => void
}

/** How long an answer may take at the end. */
const lastAnswer = 3_000

/** Lines that are opened at once. */
const openedAtOnce = 50

let lines: Array<Line> = []

const ownFrames = {
  heard: (text: string): object => ({ type: "heard", text }) satisfies FromLine,
  played: ({ utterance }: Spoken): object => ({ type: "played", utterance }) satisfies FromLine
}

/** https://www.twilio.com/docs/voice/conversationrelay/websocket-messages */
const relayFrames: typeof ownFrames = {
  heard: (text) => ({ type: "prompt", voicePrompt: text, lang: "en-US", last: true }),
  played: ({ token }) => ({ type: "info", name: "tokensPlayed", value: token })
}

/** What a server lets the contact hear: with its own number in the frames of the benchmark, with its words in those of the relay. */
type Spoken = ToLine & { readonly token?: string }

const open = ({ relay, url }: LineEnd) =>
  new Promise<void>((resolve, reject) => {
    const frames = relay === undefined ? ownFrames : relayFrames
    const headers = relay === undefined ? {} : { "x-twilio-signature": relay.signature }
    const socket = new WebSocket(url, { perMessageDeflate: false, headers })
    const line: Line = { socket, frames, isOpen: true, sentAt: undefined, speech: 0, onSpeech: () => resolve() }
    const send = (frame: object) => socket.send(JSON.stringify(frame))
    socket.on("open", () => {
      if (relay === undefined) return
      send({ type: "setup", sessionId: `VX${relay.sid.slice(2)}`, accountSid, callSid: relay.sid })
    })
    socket.on("message", (data) => {
      const receivedAt = performance.now()
      const frame = parsed<Spoken>(data)
      const { onSpeech, sentAt, speech } = line
      line.sentAt = undefined
      const played = () => {
        if (line.isOpen) send(frames.played(frame))
      }
      if (speech === 0) played()
      else setTimeout(played, speech)
      onSpeech(sentAt === undefined ? undefined : receivedAt - sentAt, frame.sincePiece)
    })
    socket.on("close", () => {
      line.isOpen = false
    })
    socket.once("error", reject)
    lines.push(line)
  })

const talk = async ({ every, speech, turns }: Talk): Promise<Talked> => {
  const times: Array<number> = []
  const pieceTimes: Array<number> = []
  let lost = 0
  const start = performance.now()
  const converse = async (line: Line, index: number) => {
    line.speech = speech
    line.onSpeech = (millis, sincePiece) => {
      if (millis !== undefined) times.push(millis)
      if (sincePiece !== undefined) pieceTimes.push(sincePiece)
    }
    for (let turn = 0; turn < turns; turn++) {
      await sleep(Math.max(0, start + every * (turn + index / lines.length) - performance.now()))
      if (line.sentAt !== undefined || !line.isOpen) lost += 1
      if (!line.isOpen) continue
      line.sentAt = performance.now()
      line.socket.send(JSON.stringify(line.frames.heard(words(index, turn))))
    }
    const deadline = performance.now() + lastAnswer
    while (line.sentAt !== undefined && performance.now() < deadline) await sleep(5)
    if (line.sentAt !== undefined) lost += 1
    await sleep(speech)
  }
  await Promise.all(lines.map(converse))
  return {
    ...percentiles(times),
    max: Math.max(...times),
    piece: percentiles(pieceTimes),
    turns: times.length,
    lost,
    alive: lines.filter(({ isOpen }) => isOpen).length
  }
}

const percentiles = (times: ReadonlyArray<number>) => {
  const sorted = times.toSorted((a, b) => a - b)
  const percentile = (percent: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * percent / 100))] ?? Number.NaN
  return { p50: percentile(50), p99: percentile(99) }
}

const close = async () => {
  for (const { socket } of lines) socket.close()
  while (lines.some(({ isOpen }) => isOpen)) await sleep(5)
  lines = []
}

const answer = async (request: Request): Promise<unknown> => {
  switch (request.task) {
    case "open":
      for (let at = 0; at < request.ends.length; at += openedAtOnce) {
        await Promise.all(request.ends.slice(at, at + openedAtOnce).map(open))
      }
      return lines.length
    case "talk":
      return talk(request)
    case "close":
      await close()
      return true
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
process.send?.({ value: "ready" })
