/**
 * A voice agent made of a text agent and two speech services: what the contact says becomes words, and the agent's words become sound. The
 * speech service decides when the contact has finished; that the contact starts to speak while the agent does, the line's loudness tells
 * sooner.
 */
import { Effect, Layer } from "effect"
import { SpeechToText } from "../voice/SpeechToText.ts"
import { TextToSpeech } from "../voice/TextToSpeech.ts"
import * as SpokenLine from "./SpokenLine.ts"
import { TextAgent } from "./TextAgent.ts"
import { AgentFailed, VoiceAgent } from "./VoiceAgent.ts"

export const layer: Layer.Layer<VoiceAgent, never, SpeechToText | TextAgent | TextToSpeech> = Layer.effect(
  VoiceAgent,
  Effect.gen(function*() {
    const textAgent = yield* TextAgent
    const speechToText = yield* SpeechToText
    const textToSpeech = yield* TextToSpeech
    return VoiceAgent.of({
      open: Effect.fnUntraced(function*({ brief, entries, line }) {
        const { language, voice } = brief.agent
        const { format } = line
        const opened = yield* Effect.all({
          talk: textAgent.open(brief, entries),
          recognition: speechToText.open({ format, language }),
          voice: textToSpeech.open({ format, language, voice })
        }, { concurrency: "unbounded" }).pipe(
          Effect.catchTag("SpeechFailed", (cause) => Effect.fail(new AgentFailed({ cause })))
        )
        return { talk: opened.talk, line: yield* SpokenLine.make({ callId: brief.callId, line, ...opened }) }
      })
    })
  })
)
