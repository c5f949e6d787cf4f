/** An answered call whose line exchanges sound of `SoundedText`. */
import type { TextAgent, Tool, VoiceAgent } from "@outdial/core"
import { AudioCall, TestEngine } from "@outdial/testkit"
import { Effect, type Layer } from "effect"
import * as SoundedText from "./SoundedText.ts"

export interface Options {
  readonly voiceAgent: Layer.Layer<VoiceAgent.VoiceAgent, never, TextAgent.TextAgent>
  readonly agent?: NonNullable<TestEngine.TestEngineOptions["agent"]>
  readonly tools?: ReadonlyArray<Tool.Tool>
}

export const layer = ({ agent, tools, voiceAgent }: Options) =>
  TestEngine.layer({
    telephony: AudioCall.carrier,
    voiceAgent,
    ...agent !== undefined && { agent },
    ...tools !== undefined && { tools }
  })

/** Waits for what happens on real sockets. */
export const until = (isDone: () => boolean) =>
  Effect.eventually(Effect.suspend(() => isDone() ? Effect.void : Effect.fail("not yet")))

export const answered = Effect.map(AudioCall.answered(), (call) => {
  const heard = () => SoundedText.textOf(call.heard())
  return {
    ...call,
    heard,
    /** Returns when the contact has heard words that end in this way, and the conversation knows it. */
    hears: (text: string) =>
      Effect.andThen(
        until(() => heard().endsWith(text) && call.isQuiet()),
        Effect.replicateEffect(Effect.yieldNow, 200)
      ),
    /** The contact speaks, and pauses. */
    says: (text: string) => call.says(SoundedText.frames(text, { pauseMillis: 700 }))
  }
})
