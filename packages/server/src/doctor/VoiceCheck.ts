/** Asks each configured speech service one harmless question: to hear nothing, or to say one word. */
import { Realtime } from "@outdial/ai"
import { SpeechToText, TextToSpeech } from "@outdial/core"
import { WebSocketClients } from "@outdial/node"
import { Duration, Effect, Option, type Scope, Stream } from "effect"
import * as ConfiguredVoice from "../cli/ConfiguredVoice.ts"
import { failed, type Finding, ok } from "./Finding.ts"

/** A contact would not wait as long. */
const timeout = "10 seconds"

/** None where no line exchanges sound. */
export const findings = Effect.gen(function*() {
  const configured = yield* ConfiguredVoice.read
  if (Option.isNone(configured)) return []
  const { textToSpeech, ...voice } = configured.value
  return [
    voice.kind === "realtime"
      ? yield* asked("realtime", Effect.provide(Realtime.check(voice.options), WebSocketClients.layer))
      : yield* asked("recognition", Effect.provide(heard, voice.speechToText)),
    ...textToSpeech === undefined ? [] : [yield* asked("speech", Effect.provide(spoken, textToSpeech))]
  ]
})

const heard = Effect.flatMap(SpeechToText.SpeechToText, ({ open }) => open({ format: "mulaw" }))

const spoken = Effect.gen(function*() {
  const { open } = yield* TextToSpeech.TextToSpeech
  const { speak } = yield* open({ format: "mulaw" })
  yield* Stream.runHead(speak("Ready."))
})

const asked = (check: string, question: Effect.Effect<unknown, { readonly message: string }, Scope.Scope>) =>
  Effect.scoped(question).pipe(
    Effect.timed,
    Effect.map(([took]): Finding => ok(check, `The service answered in ${Math.round(Duration.toMillis(took))} ms`)),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.succeed(failed(check, `The service did not answer within ${timeout}`))
    }),
    Effect.catch(({ message }) => Effect.succeed(failed(check, message)))
  )
