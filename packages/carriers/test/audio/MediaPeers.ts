/** The other ends of sockets for sound, on virtual time: what Asterisk's `chan_websocket` and Twilio's Media Streams do with messages. */
import { AudioFormat } from "@outdial/core"
import { type Cause, Clock, Effect, Queue, type Scope, Stream } from "effect"
import { Buffer } from "node:buffer"

export interface MediaPeer {
  readonly messages: Stream.Stream<string | Uint8Array>
  readonly send: (message: string | Uint8Array) => Effect.Effect<void>
  readonly close: Effect.Effect<void>
  /** What the contact has heard since the beginning, with silence where nothing was sent. */
  readonly heard: () => Uint8Array
  /** For how long nothing was sent to the contact, in milliseconds. */
  readonly mute: () => number
  readonly says: (audio: Uint8Array) => Effect.Effect<void>
  readonly presses: (digit: string) => Effect.Effect<void>
  readonly sends: (message: object) => Effect.Effect<void>
  /** Texts that were received. */
  readonly texts: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** The most that waited to be played, in milliseconds. */
  readonly longest: () => number
  /** Nothing is played, as if the process was suspended. */
  readonly suspend: (isSuspended: boolean) => void
}

interface Dialect {
  readonly format: AudioFormat.AudioFormat
  /** One way, in milliseconds. */
  readonly delay: number
  readonly contact: (audio: Uint8Array) => string | Uint8Array
  readonly digit: (digit: string) => string
  readonly marked: (mark: string) => string
  readonly receive: (message: string | Uint8Array, peer: Inside) => void
  /** After each frame. */
  readonly played?: (peer: Inside) => void
}

type Queued = { readonly audio: Uint8Array } | { readonly mark: string }

interface Inside {
  queue: Array<Queued>
  readonly reply: (message: string) => void
  readonly length: () => number
}

const make = Effect.fnUntraced(function*(dialect: Dialect): Effect.fn.Return<MediaPeer, never, Scope.Scope> {
  const { delay, format } = dialect
  const clock = yield* Clock.Clock
  const frame = AudioFormat.frameBytes(format)
  const inbox = yield* Queue.unbounded<string | Uint8Array, Cause.Done>()
  const outbox = yield* Queue.unbounded<{ readonly at: number; readonly message: string | Uint8Array }>()
  const texts: Array<Readonly<Record<string, unknown>>> = []
  const heard: Array<number> = []
  let mute = 0
  let longest = 0
  let isSuspended = false
  const later = (message: string | Uint8Array) =>
    Queue.offerUnsafe(outbox, { at: clock.currentTimeMillisUnsafe() + delay, message })
  const inside: Inside = {
    queue: [],
    reply: later,
    length: () => inside.queue.filter((one) => "audio" in one).length
  }
  // A connection keeps the order of its messages.
  yield* Queue.take(outbox).pipe(
    Effect.tap(({ at }) => Effect.sleep(Math.max(0, at - clock.currentTimeMillisUnsafe()))),
    Effect.andThen(({ message }) => Queue.offer(inbox, message)),
    Effect.forever,
    Effect.forkScoped
  )

  const tick = () => {
    if (isSuspended) return
    while (inside.queue[0] !== undefined && "mark" in inside.queue[0]) {
      const [{ mark }] = inside.queue as [{ readonly mark: string }]
      inside.queue.shift()
      later(dialect.marked(mark))
    }
    const next = inside.queue.shift()
    dialect.played?.(inside)
    if (next === undefined || !("audio" in next)) mute += AudioFormat.frameMillis
    heard.push(
      ...(next !== undefined && "audio" in next ? next.audio : AudioFormat.silence(format, AudioFormat.frameMillis))
    )
  }
  yield* Effect.sync(tick).pipe(Effect.delay(AudioFormat.frameMillis), Effect.forever, Effect.forkScoped)

  const receive = (message: string | Uint8Array) => {
    if (typeof message === "string") texts.push(JSON.parse(message))
    dialect.receive(message, inside)
    longest = Math.max(longest, inside.length() * AudioFormat.frameMillis)
  }

  return {
    messages: Stream.fromQueue(inbox),
    send: (message) =>
      delay === 0
        ? Effect.sync(() => receive(message))
        : Effect.asVoid(Effect.forkDetach(Effect.delay(Effect.sync(() => receive(message)), delay))),
    close: Effect.asVoid(Queue.end(inbox)),
    heard: () => Uint8Array.from(heard),
    mute: () => mute,
    says: Effect.fnUntraced(function*(audio: Uint8Array) {
      for (let at = 0; at < audio.length; at += frame) {
        yield* Effect.sleep(AudioFormat.frameMillis)
        later(dialect.contact(audio.subarray(at, at + frame)))
      }
    }),
    sends: (message) => Effect.sync(() => later(JSON.stringify(message))),
    presses: (digit) => Effect.sync(() => later(dialect.digit(digit))),
    texts,
    longest: () => longest,
    suspend: (is) => void (isSuspended = is)
  }
})

/** What Asterisk 22 does, as was measured. */
export const asterisk = (format: AudioFormat.AudioFormat) => {
  const frame = AudioFormat.frameBytes(format)
  let isFull = false
  return make({
    format,
    delay: 0,
    contact: (audio) => audio,
    digit: (digit) => JSON.stringify({ event: "DTMF_END", channel_id: "media-1", digit }),
    played: (peer) => {
      if (!isFull || peer.length() >= 800) return
      isFull = false
      peer.reply(JSON.stringify({ event: "MEDIA_XON", channel_id: "media-1" }))
    },
    marked: (mark) => JSON.stringify({ event: "MEDIA_MARK_PROCESSED", channel_id: "media-1", correlation_id: mark }),
    receive: (message, peer) => {
      if (typeof message !== "string") {
        if (message.length > 65_535) throw new Error("Asterisk would close the socket")
        if (peer.length() > 1_000) return
        // The rest of a frame is dropped.
        for (let at = 0; at + frame <= message.length; at += frame) {
          peer.queue.push({ audio: message.subarray(at, at + frame) })
        }
        if (!isFull && peer.length() >= 900) {
          isFull = true
          peer.reply(JSON.stringify({ event: "MEDIA_XOFF", channel_id: "media-1" }))
        }
        return
      }
      if (message.length > 128) return
      const { command, correlation_id: mark } = JSON.parse(message)
      if (command === "MARK_MEDIA") peer.queue.push({ mark })
      if (command === "FLUSH_MEDIA") peer.queue = []
      if (command === "GET_STATUS") {
        peer.reply(
          JSON.stringify({ event: "STATUS", channel_id: "media-1", queue_length: peer.length(), queue_full: false })
        )
      }
    }
  })
}

/** What Twilio's documentation says, so many milliseconds away. */
export const twilio = (streamSid: string, delay = 40) =>
  make({
    format: "mulaw",
    delay,
    contact: (audio) =>
      JSON.stringify({
        event: "media",
        streamSid,
        media: { track: "inbound", chunk: "1", timestamp: "5", payload: Buffer.from(audio).toString("base64") }
      }),
    digit: (digit) => JSON.stringify({ event: "dtmf", streamSid, dtmf: { track: "inbound_track", digit } }),
    marked: (name) => JSON.stringify({ event: "mark", streamSid, mark: { name } }),
    receive: (message, peer) => {
      const { event, mark, media, streamSid: of } = JSON.parse(String(message))
      if (of !== streamSid) throw new Error(`The message is of another stream: ${of}`)
      if (event === "mark") peer.queue.push({ mark: mark.name })
      if (event === "media") {
        const audio = Buffer.from(media.payload, "base64")
        for (let at = 0; at < audio.length; at += 160) peer.queue.push({ audio: audio.subarray(at, at + 160) })
      }
      if (event !== "clear") return
      for (const one of peer.queue) {
        if ("mark" in one) peer.reply(JSON.stringify({ event: "mark", streamSid, mark: { name: one.mark } }))
      }
      peer.queue = []
    }
  })
