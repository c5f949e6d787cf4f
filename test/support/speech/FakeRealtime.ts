/**
 * A service with the protocol of the OpenAI Realtime API. It hears sound of `SoundedText` and speaks it; a function decides what it says. Its
 * transcription fails for what has a `#`. It
 * checks the key, the form of the settings and of the sound, and the order of what it is asked, and has the conversation as the model
 * sees it.
 */
import { Effect } from "effect"
import * as FakeService from "./FakeService.ts"
import * as SoundedText from "./SoundedText.ts"
import type { Form, Speech } from "./ToneText.ts"

/** Something of the conversation, as the model sees it. */
export interface Item {
  readonly id: string
  readonly type: string
  readonly role?: string
  /** Of a message; of a tool, its arguments or its output. */
  readonly text: string
  readonly name?: string
}

export interface Answer {
  readonly text?: string
  readonly calls?: ReadonlyArray<{ readonly name: string; readonly arguments: object }>
  /** The status of an answer that fails. */
  readonly failure?: string
  /** It is begun, and nothing comes of it. */
  readonly isSilent?: boolean
}

export interface Options {
  readonly key: string
  readonly answer: (conversation: ReadonlyArray<Item>) => Answer
  /** What it says in place of a text that it is to read aloud. Default: the text. */
  readonly reads?: (text: string) => string
  /** Milliseconds between pieces of 5 characters of speech; `undefined` never goes on after the second. Default: 1. */
  readonly pieceAfter?: number | undefined
  /** What sound it hears and speaks, also in samples of 16 bits. Default: `SoundedText`, in the codes of telephony alone. */
  readonly speech?: Speech | undefined
}

export interface FakeRealtime extends FakeService.FakeService {
  /** Of the last connection. */
  readonly conversation: () => ReadonlyArray<Item>
  /** The settings as they are now. */
  readonly settings: () => Readonly<Record<string, unknown>>
  /** How much of the model's speech the contact has heard, where it was cut: milliseconds by the text. */
  readonly truncated: ReadonlyArray<{ readonly text: string; readonly millis: number }>
  readonly cancelled: () => number
  /** How many responses were begun. Each takes 20 tokens and gives 10. */
  readonly responses: () => number
  /** How many answers were begun before the words that they answer were recognized. */
  readonly early: () => number
}

const codes: Readonly<Record<string, Form>> = {
  "audio/pcmu": { format: "mulaw", sampleRate: 8_000 },
  "audio/pcma": { format: "alaw", sampleRate: 8_000 }
}

const samples: Readonly<Record<string, Form>> = { "audio/pcm": { format: "pcm16", sampleRate: 24_000 } }

const standard: Form = { format: "mulaw", sampleRate: 8_000 }

const soundedText: Speech = {
  of: (text, { format }) => SoundedText.of(text, format),
  decoder: ({ format }) => SoundedText.decoder(format)
}

/** Sound may come so many milliseconds before its time: in tests the contact need not speak in real time. */
const ahead = 20_000

/** How long the words of a turn take to be recognized, in milliseconds, unless the answer to them is asked for before. */
const recognition = 1_000

/** The pause after which a turn is over, in milliseconds: the service's own default. */
const pause = 500

const wordsOf = (text: string): ReadonlyArray<string> => text.match(/\S+\s*/gu) ?? []

/** Sent events, as far as they are read here. */
interface ClientEvent {
  readonly type: string
  readonly event_id?: string
  readonly session?: Settings
  readonly audio?: string
  readonly item_id?: string
  readonly content_index?: number
  readonly audio_end_ms?: number
  readonly response_id?: string
  readonly item?: {
    readonly type: string
    readonly role?: string
    readonly name?: string
    readonly arguments?: string
    readonly output?: string
    readonly call_id?: string
    readonly content?: ReadonlyArray<{ readonly type: string; readonly text: string }>
  }
  readonly response?: {
    readonly conversation?: string
    readonly instructions?: string
    readonly metadata?: Readonly<Record<string, string>>
  }
}

interface Settings {
  readonly type?: string
  readonly tools?: ReadonlyArray<unknown>
  readonly audio?: {
    readonly input?: {
      readonly format?: { readonly type?: string }
      readonly turn_detection?: { readonly create_response?: boolean; readonly interrupt_response?: boolean }
    }
    readonly output?: { readonly format?: { readonly type?: string }; readonly voice?: string }
  }
}

export const make = ({ answer, key, reads = (text) => text, speech, ...options }: Options) => {
  const formats = speech === undefined ? codes : { ...codes, ...samples }
  const { decoder: decoderOf, of } = speech ?? soundedText
  const pieceAfter = "pieceAfter" in options ? options.pieceAfter : 1
  const truncated: Array<{ readonly text: string; readonly millis: number }> = []
  /** The last connection. */
  let latest: Pick<FakeRealtime, "conversation" | "settings"> = { conversation: () => [], settings: () => ({}) }
  let cancelled = 0
  let responses = 0
  let early = 0
  let ids = 0
  const idOf = (kind: string) => `${kind}_${++ids}`

  const accept = ({ problem, send, url }: FakeService.Session): FakeService.Listener => {
    let conversation: Array<Item & { millis?: number }> = []
    let settings: Settings & Readonly<Record<string, unknown>> = {}
    latest = { conversation: () => conversation, settings: () => settings }
    /** Reports the words of the last turn. */
    let recognize: (() => void) | undefined
    let decoder = decoderOf(standard)
    let heard = ""
    let item = ""
    const since = performance.now()
    let millis = 0
    /** The answer that is being made, and all responses. */
    let active: string | undefined
    const running = new Set<string>()
    send({ type: "session.created", session: { id: idOf("sess"), model: url.searchParams.get("model") } })

    const form = () => formats[settings.audio?.output?.format?.type ?? ""] ?? standard
    const fails = (code: string, event_id?: string) =>
      send({ type: "error", error: { type: "invalid_request_error", code, message: `It says ${heard}`, event_id } })

    const committed = () => {
      const [id, text] = [item, heard.trim()]
      heard = ""
      send({ type: "input_audio_buffer.speech_stopped", item_id: id, audio_end_ms: 1 })
      send({ type: "input_audio_buffer.committed", item_id: id, previous_item_id: null })
      conversation.push({ id, type: "message", role: "user", text })
      send({ type: "conversation.item.added", item: { id, type: "message", role: "user" } })
      const recognized = () => {
        if (recognize !== recognized) return
        recognize = undefined
        if (text.includes("#")) {
          const error = { type: "transcription_error", code: "audio_unintelligible", message: text, param: null }
          return send({
            type: "conversation.item.input_audio_transcription.failed",
            item_id: id,
            content_index: 0,
            error
          })
        }
        for (const delta of wordsOf(text)) {
          send({ type: "conversation.item.input_audio_transcription.delta", item_id: id, content_index: 0, delta })
        }
        send({
          type: "conversation.item.input_audio_transcription.completed",
          item_id: id,
          content_index: 0,
          transcript: text,
          usage: { type: "duration", seconds: 1 }
        })
      }
      recognize = recognized
      setTimeout(recognized, recognition)
    }

    const respond = async ({ conversation: where = "auto", instructions = "", metadata = null }: {
      readonly conversation?: string
      readonly instructions?: string
      readonly metadata?: Readonly<Record<string, string>> | null
    }) => {
      const id = idOf("resp")
      responses += 1
      const isExact = where === "none"
      if (!isExact) active = id
      running.add(id)
      send({ type: "response.created", response: { id, status: "in_progress", metadata } })
      const { calls = [], failure, isSilent = false, text = "" }: Answer = isExact
        ? { text: reads(instructions.split("\n\n").slice(1).join("\n\n")) }
        : answer(conversation)
      const wait = () => new Promise<void>((resolve) => setTimeout(resolve, pieceAfter ?? 0))
      const done = (status: string) => {
        running.delete(id)
        if (active === id) active = undefined
        const usage = { total_tokens: 30, input_tokens: 20, output_tokens: 10 }
        const status_details = failure === undefined
          ? null
          : { type: "failed", error: { type: "server_error", code: failure } }
        send({ type: "response.done", response: { id, status, status_details, output: [], usage, metadata } })
      }
      if (isSilent) return
      if (failure !== undefined) return done("failed")
      if (text !== "") {
        const message = { id: idOf("item"), type: "message", role: "assistant", text: "", millis: 0 }
        if (!isExact) conversation.push(message)
        send({
          type: "response.output_item.added",
          response_id: id,
          output_index: 0,
          item: { ...message, content: [] }
        })
        const part = { response_id: id, item_id: message.id, output_index: 0, content_index: 0 }
        // The words come before their sound.
        const words = [...wordsOf(text)]
        for (let at = 0; at < text.length; at += 5) {
          if (pieceAfter === undefined && at === 10) return
          await wait()
          if (!running.has(id)) return done("cancelled")
          for (const delta of words.splice(0, 2)) {
            message.text += delta
            send({ type: "response.output_audio_transcript.delta", ...part, delta })
          }
          message.millis += text.slice(at, at + 5).length * 60
          const delta = Buffer.from(of(text.slice(at, at + 5), form())).toString("base64")
          send({ type: "response.output_audio.delta", ...part, delta })
        }
        for (const delta of words) {
          message.text += delta
          send({ type: "response.output_audio_transcript.delta", ...part, delta })
        }
        send({ type: "response.output_audio.done", ...part })
        send({ type: "response.output_audio_transcript.done", ...part, transcript: text })
        send({ type: "response.output_item.done", response_id: id, item: { id: message.id, type: "message" } })
      }
      for (const call of calls) {
        await wait()
        if (!running.has(id)) return done("cancelled")
        const given = JSON.stringify(call.arguments)
        const made = { id: idOf("item"), type: "function_call", name: call.name, text: given }
        conversation.push(made)
        const sent = { id: made.id, type: made.type, name: call.name, call_id: idOf("call"), arguments: given }
        send({ type: "response.output_item.added", response_id: id, item: { ...sent, arguments: "" } })
        send({ ...sent, type: "response.function_call_arguments.done", response_id: id, item_id: made.id })
        send({ type: "response.output_item.done", response_id: id, item: sent })
      }
      await wait()
      done(running.has(id) ? "completed" : "cancelled")
    }

    const created = (
      { arguments: given, content = [], name, output, role, type }: NonNullable<ClientEvent["item"]>
    ) => {
      const wanted = role === "assistant" ? "output_text" : "input_text"
      if (type === "message" && content.some((part) => part.type !== wanted)) return problem(`content of a ${role}`)
      const text = content.map(({ text }) => text).join("") + (given ?? "") + (output ?? "")
      const id = idOf("item")
      conversation.push({ id, type, text, ...role !== undefined && { role }, ...name !== undefined && { name } })
      send({ type: "conversation.item.added", item: { id, type } })
    }

    const updated = (session: Settings) => {
      const { input, output } = session.audio ?? {}
      if (session.type !== "realtime") return problem("settings of no type")
      if (session.audio !== undefined) {
        const { create_response, interrupt_response } = input?.turn_detection ?? {}
        if (formats[input?.format?.type ?? ""] === undefined || input?.format?.type !== output?.format?.type) {
          return problem("a form of sound that does not exist")
        }
        if (create_response !== false || interrupt_response !== false) return problem("the service answers by itself")
        if (output?.voice === "nobody") return fails("invalid_value")
      }
      settings = { ...settings, ...session }
      decoder = decoderOf(form())
      send({ type: "session.updated", session: settings })
    }

    return {
      text: (json) => {
        const event = JSON.parse(json) as ClientEvent
        switch (event.type) {
          case "session.update":
            return updated(event.session ?? {})
          case "input_audio_buffer.append": {
            const sound = Buffer.from(event.audio ?? "", "base64")
            if (sound.length === 0 || sound.length % 160 !== 0) return problem(`sound of ${sound.length} bytes`)
            const { format, sampleRate } = form()
            millis += (sound.length * 1_000) / sampleRate / (format === "pcm16" ? 2 : 1)
            if (millis > performance.now() - since + ahead) return problem("sound before its time")
            for (const one of decoder.hear(sound)) {
              if ("character" in one) {
                if (heard === "") {
                  item = idOf("item")
                  send({ type: "input_audio_buffer.speech_started", item_id: item, audio_start_ms: 1 })
                }
                heard += one.character
              } else if (heard !== "" && one.pauseMillis >= pause) committed()
            }
            return
          }
          case "conversation.item.create":
            return event.item === undefined ? problem("no item") : created(event.item)
          case "conversation.item.delete": {
            const before = conversation.length
            conversation = conversation.filter(({ id }) => id !== event.item_id)
            return before === conversation.length ? problem("an item to delete that does not exist") : undefined
          }
          case "conversation.item.truncate": {
            const found = conversation.find(({ id }) => id === event.item_id)
            if (found?.role !== "assistant" || event.content_index !== 0) return problem("what cannot be truncated")
            if ((event.audio_end_ms ?? 0) > (found.millis ?? 0)) return problem("truncated after its end")
            truncated.push({ text: found.text, millis: event.audio_end_ms ?? 0 })
            // As the real one, which has only the sound left.
            conversation = conversation.map((one) => one === found ? { ...found, text: "", millis: 0 } : one)
            return send({ type: "conversation.item.truncated", item_id: found.id, content_index: 0, audio_end_ms: 1 })
          }
          case "response.create": {
            if (event.response?.conversation !== "none" && active !== undefined) {
              return fails("conversation_already_has_active_response", event.event_id)
            }
            if (recognize !== undefined && event.response?.conversation !== "none") {
              early += 1
              setTimeout(recognize, 2)
            }
            return void respond(event.response ?? {})
          }
          case "response.cancel": {
            if (event.response_id === undefined || !running.delete(event.response_id)) {
              return fails("response_cancel_not_active")
            }
            cancelled += 1
            return
          }
          default:
            return problem(`the event ${event.type}`)
        }
      }
    }
  }

  const made = FakeService.make({
    refusal: ({ headers }, url) => {
      if (url.pathname !== "/v1/realtime") return 404
      return headers.authorization === `Bearer ${key}` ? undefined : 401
    },
    accept
  })
  return Effect.map(made, (service): FakeRealtime => ({
    ...service,
    conversation: () => latest.conversation(),
    settings: () => latest.settings(),
    truncated,
    cancelled: () => cancelled,
    responses: () => responses,
    early: () => early
  }))
}
