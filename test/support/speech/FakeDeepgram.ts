/**
 * A Deepgram over real WebSockets: `listen` of version 1 and of version 2 (Flux). It recognizes sound of `SoundedText`, and checks the key,
 * the parameters, the form of the sound and its pace.
 */
import { AudioFormat } from "@outdial/core"
import * as FakeService from "./FakeService.ts"
import * as SoundedText from "./SoundedText.ts"
import type { Speech } from "./ToneText.ts"

export interface Options {
  readonly key: string
  /** Background noise: no pause is heard, and only version 1 notices that no word follows. */
  readonly isNoisy?: boolean
  /** What sound it recognizes. Default: `SoundedText`. */
  readonly speech?: Pick<Speech, "decoder"> | undefined
}

const formats: Readonly<Record<string, AudioFormat.AudioFormat>> = {
  "mulaw 8000": "mulaw",
  "alaw 8000": "alaw",
  "linear16 16000": "pcm16"
}

/** Sound may come this many milliseconds before its time: what the client has held back. */
const ahead = 6_000

const known: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/v1/listen": [
    "channels",
    "encoding",
    "endpointing",
    "interim_results",
    "language",
    "model",
    "punctuate",
    "sample_rate",
    "utterance_end_ms"
  ],
  "/v2/listen": ["encoding", "eot_threshold", "language_hint", "model", "sample_rate"]
}

export const make = ({ isNoisy = false, key, speech }: Options) =>
  FakeService.make({
    refusal: ({ headers }, url) => {
      const parameters = known[url.pathname]
      if (parameters === undefined) return 404
      if (headers.authorization !== `Token ${key}`) return 401
      if ([...url.searchParams.keys()].some((name) => !parameters.includes(name))) return 400
      const isFlux = url.searchParams.get("model")?.startsWith("flux-") === true
      return isFlux === (url.pathname === "/v2/listen") && formatOf(url) !== undefined ? undefined : 400
    },
    accept: (session) => {
      const format = formatOf(session.url) ?? "mulaw"
      const recognizer = session.url.pathname === "/v1/listen" ? nova(session, isNoisy) : flux(session)
      const decoder = speech?.decoder({ format, sampleRate: AudioFormat.sampleRate(format) }) ??
        SoundedText.decoder(format)
      const since = performance.now()
      let millis = 0
      return {
        bytes: (data) => {
          if (data.length === 0 || data.length % (format === "pcm16" ? 640 : 160) !== 0) {
            return session.problem(`sound of ${data.length} bytes`)
          }
          millis += data.length / (format === "pcm16" ? 32 : 8)
          if (millis > performance.now() - since + ahead) return session.problem("sound before its time")
          for (const heard of decoder.hear(data)) {
            if ("character" in heard) recognizer.character(heard.character)
            else recognizer.pause(heard.pauseMillis)
          }
        },
        text: (message) => {
          const { type } = JSON.parse(message) as { readonly type?: string }
          if (type === "KeepAlive" && session.url.pathname === "/v1/listen") return
          if (type !== "CloseStream") return session.problem(`the message ${type}`)
          session.send({ type: "Metadata", request_id: "one", duration: millis / 1_000, channels: 1 })
          session.close(1000)
        }
      }
    }
  })

const formatOf = ({ searchParams }: URL) =>
  formats[`${searchParams.get("encoding")} ${searchParams.get("sample_rate")}`]

interface Recognizer {
  readonly character: (character: string) => void
  readonly pause: (millis: number) => void
}

/** Words come word by word; after three, they do not change any more. */
const nova = ({ send, url }: FakeService.Session, isNoisy: boolean): Recognizer => {
  const endpointing = Number(url.searchParams.get("endpointing"))
  const utteranceEnd = Number(url.searchParams.get("utterance_end_ms"))
  let text = ""
  let isOpen = false
  const results = (is_final: boolean, speech_final: boolean) => {
    send({
      type: "Results",
      channel_index: [0, 1],
      is_final,
      speech_final,
      from_finalize: false,
      channel: { alternatives: [{ transcript: text.trim(), confidence: 0.98, words: [] }] }
    })
    if (is_final) text = ""
  }
  return {
    character: (character) => {
      isOpen = true
      text += character
      if (character === " ") results(text.trim().split(" ").length === 3, false)
    },
    pause: (millis) => {
      if (!isOpen) return
      if (isNoisy) {
        if (text !== "") results(true, false)
        if (millis < utteranceEnd) return
        send({ type: "UtteranceEnd", channel: [0, 1], last_word_end: 1 })
      } else {
        if (millis < endpointing) return
        results(true, true)
      }
      isOpen = false
    }
  }
}

const flux = ({ send, url }: FakeService.Session): Recognizer => {
  let sequence = 0
  let turn = 0
  let text = ""
  const info = (event: string) =>
    send({
      type: "TurnInfo",
      request_id: "one",
      sequence_id: sequence++,
      event,
      turn_index: turn,
      audio_window_start: 0,
      audio_window_end: 1,
      transcript: text.trim(),
      words: [],
      end_of_turn_confidence: event === "EndOfTurn" ? Number(url.searchParams.get("eot_threshold") ?? 0.7) : 0.1,
      // A field of the future.
      trigger: "model"
    })
  send({ type: "Connected", request_id: "one", sequence_id: sequence++ })
  return {
    character: (character) => {
      const isFirst = text === ""
      text += character
      if (isFirst) info("StartOfTurn")
      else if (character === " ") info("Update")
    },
    pause: (millis) => {
      if (text === "" || millis < 260) return
      info("EagerEndOfTurn")
      info("EndOfTurn")
      text = ""
      turn += 1
    }
  }
}
