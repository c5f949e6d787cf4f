/**
 * An ElevenLabs over the WebSocket of many contexts. It speaks in sound of `SoundedText`, and checks the key, the parameters and the order
 * of the messages. As the real one it has at most 5 contexts, and speaks one that is closed to its end.
 */
import type { AudioFormat } from "@outdial/core"
import * as FakeService from "./FakeService.ts"
import * as SoundedText from "./SoundedText.ts"

export interface Options {
  readonly key: string
  readonly voice: string
  /** Milliseconds between pieces of 5 characters; `undefined` never speaks. Default: 1. */
  readonly pieceAfter?: number | undefined
}

const formats: Readonly<Record<string, AudioFormat.AudioFormat>> = {
  ulaw_8000: "mulaw",
  alaw_8000: "alaw",
  pcm_16000: "pcm16"
}

const mostContexts = 5

export const make = ({ key, voice, ...options }: Options) => {
  const pieceAfter = "pieceAfter" in options ? options.pieceAfter : 1
  return FakeService.make({
    refusal: ({ headers }, url) => {
      if (url.pathname !== `/v1/text-to-speech/${voice}/multi-stream-input`) return 404
      if (headers["xi-api-key"] !== key) return 401
      const { searchParams } = url
      return formats[searchParams.get("output_format") ?? ""] !== undefined && searchParams.get("model_id") !== null &&
          Number(searchParams.get("inactivity_timeout")) <= 180
        ? undefined
        : 400
    },
    accept: ({ problem, send, url }) => {
      const format = formats[url.searchParams.get("output_format") ?? ""] ?? "mulaw"
      /** The texts of open contexts; and whether they are closed. */
      const contexts = new Map<string, { text: string; isClosed: boolean; isSpeaking: boolean }>()
      const speak = async (contextId: string) => {
        const context = contexts.get(contextId)
        if (context === undefined || context.isSpeaking) return
        context.isSpeaking = true
        while (context.text !== "") {
          const piece = context.text.slice(0, 5)
          context.text = context.text.slice(5)
          if (pieceAfter === undefined) return
          await new Promise((resolve) => setTimeout(resolve, pieceAfter))
          const audio = Buffer.from(SoundedText.of(piece, format)).toString("base64")
          send({ audio, alignment: null, normalizedAlignment: null, contextId })
        }
        context.isSpeaking = false
        if (!context.isClosed) return
        contexts.delete(contextId)
        send({ audio: null, isFinal: true, contextId })
      }
      return {
        text: (json) => {
          const message = JSON.parse(json) as {
            readonly text?: string
            readonly context_id?: string
            readonly flush?: boolean
            readonly close_context?: boolean
          }
          const { close_context, context_id, flush, text } = message
          if (context_id === undefined) return problem("a message without a context")
          const context = contexts.get(context_id)
          if (close_context === true) {
            if (context === undefined) return problem(`the context ${context_id} is closed before it is opened`)
            context.isClosed = true
            return void speak(context_id)
          }
          if (text?.endsWith(" ") !== true) return problem("a text that does not end with a space")
          if (context?.isClosed === true) return problem(`text after the context ${context_id} was closed`)
          if (context === undefined && contexts.size === mostContexts) {
            send({ message: "Maximum simultaneous contexts exceeded", error: "max_active_conversations", code: 1008 })
            return problem("too many contexts")
          }
          const opened = context ?? { text: "", isClosed: false, isSpeaking: false }
          opened.text += text.slice(0, -1)
          contexts.set(context_id, opened)
          if (flush === true) void speak(context_id)
        }
      }
    }
  })
}
