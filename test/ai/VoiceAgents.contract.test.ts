/** The contract of `VoiceAgent` with each speech service and the realtime model, over real WebSockets. */
import * as NodeWS from "@effect/platform-node/NodeWS"
import { Cartesia, Deepgram, DeepgramFlux, ElevenLabs, Realtime } from "@outdial/ai"
import { type AudioFormat, SpokenAgent } from "@outdial/core"
import { VoiceAgentContract } from "@outdial/testkit/contracts"
import { Effect, Layer, Redacted } from "effect"
import * as FakeCartesia from "../support/speech/FakeCartesia.ts"
import * as FakeDeepgram from "../support/speech/FakeDeepgram.ts"
import * as FakeElevenLabs from "../support/speech/FakeElevenLabs.ts"
import * as FakeRealtime from "../support/speech/FakeRealtime.ts"
import type { FakeService } from "../support/speech/FakeService.ts"
import * as SoundedText from "../support/speech/SoundedText.ts"

const secret = "key-123456"
const key = Redacted.make(secret)

/** What the contract needs to know of these services. */
const over = (services: ReadonlyArray<FakeService>, format: AudioFormat.AudioFormat) => ({
  format,
  sound: (text: string) => SoundedText.frames(text, { format, pauseMillis: 700 }),
  text: (sound: Uint8Array) => SoundedText.textOf(sound, format),
  connections: () => services.reduce((sum, service) => sum + service.open(), 0),
  lose: Effect.sync(() => {
    for (const service of services) {
      service.setCondition(503)
      service.cut()
    }
  })
})

const connected = Layer.provide(NodeWS.layerWebSocketConstructor)

VoiceAgentContract.contract(
  "Deepgram and ElevenLabs",
  Effect.gen(function*() {
    const deepgram = yield* FakeDeepgram.make({ key: secret })
    const elevenLabs = yield* FakeElevenLabs.make({ key: secret, voice: "ada" })
    return {
      ...over([deepgram, elevenLabs], "mulaw"),
      voiceAgent: SpokenAgent.layer.pipe(
        Layer.provide([
          connected(Deepgram.layer({ key, url: deepgram.url })),
          connected(ElevenLabs.layer({ key, voice: "ada", url: elevenLabs.url }))
        ])
      )
    }
  })
)

VoiceAgentContract.contract(
  "Deepgram Flux and Cartesia",
  Effect.gen(function*() {
    const deepgram = yield* FakeDeepgram.make({ key: secret })
    const cartesia = yield* FakeCartesia.make({ key: secret, voice: "ada" }).service
    return {
      ...over([deepgram, cartesia], "pcm16"),
      voiceAgent: SpokenAgent.layer.pipe(
        Layer.provide([
          connected(DeepgramFlux.layer({ key, url: deepgram.url })),
          connected(Cartesia.layer({ key, voice: "ada", url: cartesia.url }))
        ])
      )
    }
  })
)

VoiceAgentContract.contract(
  "a realtime model",
  Effect.gen(function*() {
    const realtime = yield* FakeRealtime.make({ key: secret, answer: () => ({ text: "I see." }) })
    return {
      ...over([realtime], "alaw"),
      voiceAgent: connected(
        Realtime.layer({ key, model: "gpt-realtime", url: `${realtime.url}/v1/realtime` })
      )
    }
  })
)
