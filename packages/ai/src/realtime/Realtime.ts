/**
 * A voice agent whose model hears and speaks itself, over the WebSocket protocol of the OpenAI Realtime API. Its prompt, its tools and the
 * checks of what it says are those of the text agent of a language model.
 */
import {
  type Conversation,
  Phrases,
  SpeechToText,
  SpokenAgent,
  TextAgent,
  TextToSpeech,
  VoiceAgent
} from "@outdial/core"
import { DateTime, Effect, Layer, Option, type Scope, Stream } from "effect"
import { Socket } from "effect/socket"
import * as AgentAnswer from "../agent/AgentAnswer.ts"
import * as AgentPrompt from "../agent/AgentPrompt.ts"
import * as TalkMessages from "../agent/TalkMessages.ts"
import * as PhraseCache from "./PhraseCache.ts"
import * as RealtimeEvents from "./RealtimeEvents.ts"
import * as RealtimeModel from "./RealtimeModel.ts"
import * as RealtimeSession from "./RealtimeSession.ts"
import type * as RealtimeSettings from "./RealtimeSettings.ts"
import * as RealtimeVoice from "./RealtimeVoice.ts"
import * as ReplySound from "./ReplySound.ts"

export type RealtimeOptions = RealtimeSettings.RealtimeOptions

/** With a `TextToSpeech`, that speaks the words of ours that the model does not say word for word, and the last ones when the model is gone. */
export const layer = (
  options: RealtimeOptions
): Layer.Layer<VoiceAgent.VoiceAgent, never, Socket.WebSocketConstructor> =>
  Layer.effect(
    VoiceAgent.VoiceAgent,
    Effect.gen(function*() {
      const constructor = yield* Socket.WebSocketConstructor
      const textToSpeech = Option.getOrUndefined(yield* Effect.serviceOption(TextToSpeech.TextToSpeech))
      const phrasesOf = PhraseCache.make()
      return {
        open: (call) =>
          Effect.provideService(
            open(options, { textToSpeech, phrasesOf }, call),
            Socket.WebSocketConstructor,
            constructor
          )
      }
    })
  )

/** Whether the service takes the key, the model and the voice: opens a session, and says nothing. */
export const check = (options: RealtimeOptions) =>
  Effect.scoped(RealtimeSession.open({
    ...options,
    format: "mulaw",
    language: undefined,
    instructions: "This is a test of the connection.",
    history: () => [],
    outputOf: () => ""
  })).pipe(Effect.asVoid)

interface Shared {
  readonly textToSpeech: TextToSpeech.TextToSpeech["Service"] | undefined
  readonly phrasesOf: ReturnType<typeof PhraseCache.make>
}

const open = Effect.fnUntraced(function*(
  options: RealtimeOptions,
  { phrasesOf, textToSpeech }: Shared,
  call: VoiceAgent.VoiceCall
): Effect.fn.Return<VoiceAgent.VoiceTalk, VoiceAgent.AgentFailed, Scope.Scope | Socket.WebSocketConstructor> {
  const { brief, line: { format } } = call
  const { agent, contact } = brief
  const { language, voice = options.voice } = agent
  const instructions = AgentPrompt.instructions({ agent, contact, startedAt: yield* DateTime.now })
  let entries = call.entries
  /** Those that the service was told of when it was connected. */
  let told: ReadonlyArray<Conversation.Entry> = []
  const agentFailed = Effect.mapError((cause: unknown) => new VoiceAgent.AgentFailed({ cause }))

  /** Tools of which the model was told that they still run. */
  const running = new Set<string>()
  const toldOf = (use: TalkMessages.ToolUse) => {
    if (use.result === TalkMessages.stillRunning) running.add(use.id)
    return use
  }

  const session = yield* agentFailed(RealtimeSession.open({
    ...options,
    ...voice !== undefined && { voice },
    format,
    language,
    instructions,
    history: () => {
      told = entries
      if (entries.length === 0) return []
      TalkMessages.toolUses(entries, agent).forEach(toldOf)
      return TalkMessages.messages(entries, agent).flatMap(RealtimeModel.itemsOfMessage)
    },
    outputOf: ({ name, params }) => {
      const given = JSON.stringify(params)
      const use = TalkMessages.toolUses(entries, agent).findLast((use) =>
        use.name === name && JSON.stringify(use.params) === given
      )
      return use === undefined ? interruptedTool : RealtimeModel.textOf(toldOf(use).result)
    }
  }))
  const other = textToSpeech === undefined
    ? undefined
    : yield* textToSpeech.open({ format, language }).pipe(
      Effect.catch((error) => Effect.as(Effect.logWarning("The second voice cannot be used", error), undefined))
    )
  const known: ReadonlyArray<unknown> = Object.values(Phrases.phrasesOf(language))
  // Not what is said to one contact only.
  const isKept = (text: string) =>
    known.includes(text) ||
    text === agent.disclosure && (contact.name === undefined || !text.includes(contact.name))
  const spoken = yield* RealtimeVoice.make({
    session,
    phrases: phrasesOf(`${options.model} ${voice} ${format}`, isKept),
    language,
    other
  })

  const textAgent: TextAgent.TextAgent["Service"] = {
    open: (brief, before) =>
      Effect.map(
        TextAgent.talkOf(brief, before, (asked) => {
          entries = asked.entries
          const turn = hasTurn(asked.input) ? asked.entries.at(-1) : undefined
          const model = RealtimeModel.make(session, asked, () => turn !== undefined && told.includes(turn))
          const answer = AgentAnswer.answer({ name: options.model, model, instructions }, asked)
          return Stream.unwrap(Effect.as(session.setTools(RealtimeModel.toolsOf(asked)), answer))
        }),
        (talk) => ({
          ...talk,
          heard: (words) => Effect.andThen(heard(words), talk.heard(words)),
          toolLogged: (entry) => Effect.andThen(toolLogged(entry), talk.toolLogged?.(entry) ?? Effect.void),
          unreported: session.unreported
        })
      )
  }

  const heard = ({ interrupted, text }: { readonly text: string; readonly interrupted: boolean }) =>
    Effect.suspend(() => {
      const at = entries.reduce((latest, entry) => Math.max(latest, entry.at), 0)
      const turn: Conversation.Entry = {
        _tag: "Turn",
        speaker: "agent",
        text,
        at,
        endedAt: at,
        ...(interrupted && { interrupted })
      }
      entries = [...entries, turn]
      const found = ReplySound.find(session.answers(), text, "heard")
      if (found === undefined || found.reply.isSettled) {
        return session.tell(RealtimeEvents.agentText(text + (interrupted ? " –" : "")))
      }
      found.reply.heard = Math.max(found.reply.heard, found.passage.to)
      return Effect.void
    })

  /** Of a tool that the contact has interrupted, the model is told later what came of it. */
  const toolLogged = (entry: Conversation.ToolEntry) =>
    Effect.suspend(() => {
      if (!entries.some((other) => other._tag === entry._tag && other.id === entry.id)) entries = [...entries, entry]
      if (entry._tag === "ToolIntent") return Effect.void
      const use = TalkMessages.toolUses(entries, agent).find(({ id, result }) =>
        running.has(id) && result !== TalkMessages.stillRunning
      )
      if (use !== undefined) running.delete(use.id)
      return use === undefined
        ? Effect.void
        : Effect.forEach(RealtimeModel.itemsOfUse(use), session.tell, { discard: true })
    })

  const { line, talk } = yield* Effect.flatMap(VoiceAgent.VoiceAgent, ({ open }) => open(call)).pipe(
    Effect.provide(
      SpokenAgent.layer.pipe(Layer.provide([
        Layer.succeed(TextAgent.TextAgent, textAgent),
        Layer.succeed(SpeechToText.SpeechToText, { open: () => Effect.succeed(session.recognition) }),
        Layer.succeed(TextToSpeech.TextToSpeech, { open: () => Effect.succeed(spoken) })
      ]))
    )
  )
  return {
    talk,
    line: {
      ...line,
      speak: (utterance) => {
        spoken.approve(utterance.text)
        return line.speak(utterance)
      },
      stopSpeaking: Effect.suspend(() => {
        session.cut()
        return line.stopSpeaking
      })
    }
  }
})

/** Whether the input is the last entry of the conversation. */
const hasTurn = ({ _tag }: TextAgent.Asked["input"]) => _tag !== "Opening" && _tag !== "Resumed"

const interruptedTool = "The contact has interrupted this. It is not known whether it was done."
