/** Opens the voice agent of a conversation on an audio line. If it fails, the conversation ends at once, and its log says why. */
import { type Cause, Effect, Queue, type Scope, Stream } from "effect"
import type { LineEvent } from "../domain/Conversation.ts"
import { type AudioLine, operationsOf } from "./AudioLine.ts"
import type { TextLine } from "./Conversations.ts"
import { AgentFailed, type TextAgent } from "./TextAgent.ts"
import type { VoiceAgent, VoiceCall } from "./VoiceAgent.ts"

/** The line of a conversation, and who answers on it. */
export interface Opened {
  readonly line: TextLine
  readonly agent: TextAgent["Service"]
}

/** Until then the contact hears nothing. */
const openTimeout = "10 seconds"

export const isAudio = (line: TextLine | AudioLine): line is AudioLine => "play" in line

/** What the agent has begun lives as long as the scope. */
export const open = Effect.fnUntraced(
  function*(
    voiceAgent: VoiceAgent["Service"] | undefined,
    call: VoiceCall
  ): Effect.fn.Return<Opened, AgentFailed, Scope.Scope> {
    if (voiceAgent === undefined) return yield* new AgentFailed({ cause: new Error("There is no voice agent") })
    const { line, talk } = yield* Effect.timeoutOrElse(voiceAgent.open(call), {
      duration: openTimeout,
      orElse: () => Effect.fail(new AgentFailed({ cause: new Error("The voice agent did not open in time") }))
    })
    return { line, agent: { open: () => Effect.succeed(talk) } }
  },
  (opening, _, { line }) =>
    Effect.catchCause(opening, (cause) =>
      Effect.map(mute(line), (line): Opened => ({
        line,
        agent: { open: () => Effect.fail(new AgentFailed({ cause })) }
      })))
)

/** A line on which nothing is heard, and which takes no time for it. */
const mute = Effect.fnUntraced(function*(line: AudioLine): Effect.fn.Return<TextLine> {
  const events = yield* Queue.unbounded<LineEvent, Cause.Done>()
  return {
    ...operationsOf(line),
    events: Stream.fromQueue(events),
    speak: ({ id }) => Effect.asVoid(Queue.offer(events, { _tag: "Stopped", utterance: id, heard: "" })),
    stopSpeaking: Effect.void
  }
})
