/** The speech services that settings name, each as `PROVIDER:…`. They are checked for what they need before anything is opened. */
import { Cartesia, Deepgram, DeepgramFlux, ElevenLabs } from "@outdial/ai"
import type { SpeechToText, TextToSpeech } from "@outdial/core"
import { CommandVoice, WebSocketClients } from "@outdial/node"
import { type Config as EffectConfig, Effect, Layer, Option, type Redacted } from "effect"
import { UsageError } from "./UsageError.ts"
import type { voice } from "./VoiceConfig.ts"

export type VoiceConfig = EffectConfig.Success<typeof voice>

/** What recognizes. The setting has the form that `Config` checks. */
export const speechToText = Effect.fnUntraced(function*(
  setting: string,
  { deepgramKey, deepgramUrl }: VoiceConfig
): Effect.fn.Return<Layer.Layer<SpeechToText.SpeechToText>, UsageError> {
  const [provider, model] = parted(setting)
  const options = {
    model,
    key: yield* keyOf(deepgramKey, { setting: `OUTDIAL_STT=${setting}`, name: "DEEPGRAM_API_KEY", of: "Deepgram" }),
    url: Option.getOrUndefined(deepgramUrl)
  }
  return connected(provider === "deepgram-flux" ? DeepgramFlux.layer(options) : Deepgram.layer(options))
})

/** What speaks. */
export const textToSpeech = Effect.fnUntraced(function*(
  setting: string,
  { cartesiaKey, cartesiaUrl, elevenLabsKey, elevenLabsUrl }: VoiceConfig
): Effect.fn.Return<Layer.Layer<TextToSpeech.TextToSpeech>, UsageError> {
  const [provider, named] = parted(setting)
  if (provider === "command") {
    // There is no shell: quotes are part of an argument.
    const [program = "", ...args] = named.trim().split(/\s+/u)
    return CommandVoice.layer({ command: [program, ...args] })
  }
  const [voice = "", model] = named.split("/").toReversed()
  if (provider === "cartesia") {
    const key = yield* keyOf(cartesiaKey, {
      setting: `OUTDIAL_TTS=${setting}`,
      name: "CARTESIA_API_KEY",
      of: "Cartesia"
    })
    return connected(Cartesia.layer({ key, model, voice, url: Option.getOrUndefined(cartesiaUrl) }))
  }
  const key = yield* keyOf(elevenLabsKey, {
    setting: `OUTDIAL_TTS=${setting}`,
    name: "ELEVENLABS_API_KEY",
    of: "ElevenLabs"
  })
  return connected(ElevenLabs.layer({ key, model, voice, url: Option.getOrUndefined(elevenLabsUrl) }))
})

const connected = Layer.provide(WebSocketClients.layer)

const parted = (setting: string): readonly [provider: string, rest: string] => {
  const at = setting.indexOf(":")
  return [setting.slice(0, at), setting.slice(at + 1)]
}

const keyOf = (
  key: Option.Option<Redacted.Redacted>,
  { name, of, setting }: { readonly setting: string; readonly name: string; readonly of: string }
): Effect.Effect<Redacted.Redacted, UsageError> =>
  Option.match(key, {
    onNone: () => Effect.fail(new UsageError({ message: `${setting} needs ${name}, an API key of ${of}` })),
    onSome: Effect.succeed
  })
