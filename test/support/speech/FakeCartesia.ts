/**
 * A Cartesia over its WebSocket of contexts. It speaks in sound of `SoundedText`, and checks the key, the version and the form of the
 * messages. A context that is cancelled falls silent.
 */
import type { AudioFormat } from "@outdial/core"
import * as FakeService from "./FakeService.ts"
import * as SoundedText from "./SoundedText.ts"

export interface Options {
  readonly key: string
  readonly voice: string
  /** Milliseconds between pieces of 5 characters; `undefined` never speaks. Default: 1. */
  readonly pieceAfter?: number | undefined
  /** Says each piece a thousand times. */
  readonly isEndless?: boolean
}

export interface Generation {
  readonly context_id?: string
  readonly cancel?: boolean
  readonly transcript?: string
  readonly model_id?: string
  readonly language?: string
  readonly continue?: boolean
  readonly voice?: { readonly mode: string; readonly id: string }
  readonly output_format?: { readonly container: string; readonly encoding: string; readonly sample_rate: number }
}

const formats: Readonly<Record<string, AudioFormat.AudioFormat>> = {
  "raw pcm_mulaw 8000": "mulaw",
  "raw pcm_alaw 8000": "alaw",
  "raw pcm_s16le 16000": "pcm16"
}

/** The service, with the contexts that were cancelled. */
export const make = ({ isEndless = false, key, voice, ...options }: Options) => {
  const pieceAfter = "pieceAfter" in options ? options.pieceAfter : 1
  const cancelled: Array<string> = []
  const service = FakeService.make({
    refusal: ({ headers }, url) => {
      if (url.pathname !== "/tts/websocket") return 404
      if (headers["x-api-key"] !== key) return 401
      return /^\d{4}-\d\d-\d\d$/u.test(url.searchParams.get("cartesia_version") ?? "") ? undefined : 400
    },
    accept: ({ problem, send }) => {
      const open = new Set<string>()
      const speak = async (context_id: string, text: string, format: AudioFormat.AudioFormat) => {
        for (let at = 0; at < text.length; at += 5) {
          if (pieceAfter === undefined) return
          await new Promise((resolve) => setTimeout(resolve, pieceAfter))
          if (!open.has(context_id)) return
          const data = Buffer.from(SoundedText.of(text.slice(at, at + 5), format)).toString("base64")
          for (let times = isEndless ? 1_000 : 1; times > 0; times--) {
            send({ type: "chunk", data, done: false, status_code: 206, step_time: 1, context_id })
          }
        }
        open.delete(context_id)
        send({ type: "done", done: true, status_code: 206, context_id })
      }
      return {
        text: (json) => {
          const { cancel, context_id, output_format, transcript, voice: spoken, ...rest } = JSON.parse(
            json
          ) as Generation
          if (context_id === undefined) return problem("a message without a context")
          if (cancel === true) {
            cancelled.push(context_id)
            return void open.delete(context_id)
          }
          const { container, encoding, sample_rate } = output_format ?? {}
          const format = formats[`${container} ${encoding} ${sample_rate}`]
          if (format === undefined) return problem("a form of sound that does not exist")
          if (rest.continue !== false || rest.model_id === undefined || transcript === undefined) {
            return problem("a text that is not whole")
          }
          if (open.has(context_id)) return problem(`text after the end of the context ${context_id}`)
          if (spoken?.mode !== "id" || spoken.id !== voice) {
            const error = { title: "Not found", message: "There is no such voice", error_code: "voice_not_found" }
            return send({ type: "error", done: true, ...error, status_code: 404, context_id })
          }
          open.add(context_id)
          void speak(context_id, transcript, format)
        }
      }
    }
  })
  return { service, cancelled }
}
