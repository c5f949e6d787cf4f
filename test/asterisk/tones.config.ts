/** A configuration of `outdial serve` whose voice speaks and understands tones. */
import { SpokenAgent } from "@outdial/core"
import { defineServer } from "@outdial/server/config"
import { Layer } from "effect"
import * as ToneSpeech from "../../packages/carriers/test/audio/ToneSpeech.ts"

export default defineServer({
  voiceAgent: SpokenAgent.layer.pipe(
    Layer.provide([ToneSpeech.voice, ToneSpeech.recognition({ 440: "Yes, gladly." })])
  )
})
