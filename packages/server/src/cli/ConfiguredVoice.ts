/** What hears and speaks on lines that exchange sound: the module's voice agent, the one that the environment names, or none. */
import { Realtime } from "@outdial/ai"
import { type SpeechToText, SpokenAgent, type TextAgent, type TextToSpeech, type VoiceAgent } from "@outdial/core"
import { WebSocketClients } from "@outdial/node"
import { Effect, Layer, Option, Redacted } from "effect"
import type { ServerConfig } from "../config/ServerConfig.ts"
import * as SpeechServices from "../config/SpeechServices.ts"
import { UsageError } from "../config/UsageError.ts"
import * as VoiceConfig from "../config/VoiceConfig.ts"
import * as Admin from "./Admin.ts"
import * as ConfigModule from "./ConfigModule.ts"

/** The voice that the environment names. */
export type ConfiguredVoice =
  | {
    readonly kind: "spoken"
    readonly speechToText: Layer.Layer<SpeechToText.SpeechToText>
    readonly textToSpeech: Layer.Layer<TextToSpeech.TextToSpeech>
  }
  | {
    readonly kind: "realtime"
    readonly options: Realtime.RealtimeOptions
    readonly textToSpeech: Layer.Layer<TextToSpeech.TextToSpeech> | undefined
  }

/** None where no line exchanges sound. Fails if the settings contradict each other. */
export const read: Effect.Effect<Option.Option<ConfiguredVoice>, UsageError> = Effect.gen(function*() {
  const config = yield* Admin.readable(VoiceConfig.voice)
  const { kind, realtimeKey, realtimeModel, realtimeUrl, speechToText, textToSpeech } = config
  const given = (names: Readonly<Record<string, Option.Option<unknown>>>) =>
    Object.entries(names).flatMap(([name, value]) => Option.isSome(value) ? [name] : []).at(0)
  const ofRealtime = {
    OUTDIAL_REALTIME_URL: realtimeUrl,
    OUTDIAL_REALTIME_KEY: realtimeKey,
    OUTDIAL_REALTIME_MODEL: realtimeModel
  }
  if (Option.isNone(kind)) {
    const name = given({ ...ofRealtime, OUTDIAL_STT: speechToText, OUTDIAL_TTS: textToSpeech })
    if (name === undefined) return Option.none()
    return yield* new UsageError({
      message: `${name} is set, and OUTDIAL_VOICE is not. Set OUTDIAL_VOICE to ${
        name in ofRealtime ? "realtime" : "spoken"
      }, or unset ${name}`
    })
  }
  const unused = kind.value === "spoken" ? given(ofRealtime) : given({ OUTDIAL_STT: speechToText })
  if (unused !== undefined) {
    return yield* new UsageError({ message: `OUTDIAL_VOICE=${kind.value} does not use ${unused}. Unset ${unused}` })
  }
  const speaking = Option.isNone(textToSpeech)
    ? undefined
    : yield* SpeechServices.textToSpeech(textToSpeech.value, config)
  if (kind.value === "realtime") {
    return Option.some({ kind: "realtime", options: yield* realtimeOf(config), textToSpeech: speaking })
  }
  if (Option.isNone(speechToText)) {
    return yield* new UsageError({
      message:
        "OUTDIAL_VOICE=spoken needs OUTDIAL_STT, which recognizes the words of the contact, such as deepgram:nova-3"
    })
  }
  if (speaking === undefined) {
    return yield* new UsageError({
      message: "OUTDIAL_VOICE=spoken needs OUTDIAL_TTS, which speaks the words of the agent, such as cartesia:VOICE"
    })
  }
  return Option.some({
    kind: "spoken",
    speechToText: yield* SpeechServices.speechToText(speechToText.value, config),
    textToSpeech: speaking
  })
})

const defaultRealtimeModel = "gpt-realtime"

const realtimeOf = Effect.fnUntraced(function*(
  { openAiKey, realtimeKey, realtimeModel, realtimeUrl }: SpeechServices.VoiceConfig
): Effect.fn.Return<Realtime.RealtimeOptions, UsageError> {
  const model = Option.getOrElse(realtimeModel, () => defaultRealtimeModel)
  if (Option.isSome(realtimeUrl)) {
    // A service of your own may need no key, and must not get that of another one.
    return { model, url: realtimeUrl.value, key: Option.getOrElse(realtimeKey, () => Redacted.make("none")) }
  }
  const key = Option.orElse(realtimeKey, () => openAiKey)
  if (Option.isNone(key)) {
    return yield* new UsageError({
      message: "OUTDIAL_VOICE=realtime needs OUTDIAL_REALTIME_KEY or OPENAI_API_KEY, an API key of OpenAI; or set " +
        "OUTDIAL_REALTIME_URL to the address of another service"
    })
  }
  return { model, key: key.value }
})

/** The voice agent of a server. Fails if the module has one and the environment names another. */
export const voiceAgent = Effect.fnUntraced(function*(
  { voiceAgent }: Pick<ServerConfig, "voiceAgent">
): Effect.fn.Return<
  Layer.Layer<VoiceAgent.VoiceAgent, UsageError, TextAgent.TextAgent> | undefined,
  UsageError
> {
  const configured = yield* read
  if (voiceAgent === undefined) return Option.getOrUndefined(Option.map(configured, layerOf))
  if (Option.isNone(configured)) return ConfigModule.part("voiceAgent", voiceAgent)
  return yield* new UsageError({
    message:
      `OUTDIAL_VOICE=${configured.value.kind} and voiceAgent in the configuration module exclude each other. Give only one`
  })
})

/**
 * Fails if a carrier of `OUTDIAL_CARRIER` needs a voice agent and there is none, or `OUTDIAL_VOICE` has no effect with any of them. A process
 * with the role `api` holds no conversation, and needs none.
 */
export const check = Effect.fnUntraced(function*(
  { carriers, role, twilio: { media } }: {
    readonly carriers: ReadonlyArray<string>
    readonly role: "all" | "api" | "worker"
    readonly twilio: { readonly media: "relay" | "stream" }
  },
  { isOfModule, voiceAgent }: { readonly voiceAgent: unknown; readonly isOfModule: boolean }
) {
  const sounding = carriers.includes("asterisk")
    ? "Asterisk's lines exchange sound"
    : carriers.includes("twilio") && media === "stream"
    ? "TWILIO_MEDIA=stream exchanges sound"
    : undefined
  if (voiceAgent === undefined && sounding !== undefined && role !== "api") {
    return yield* new UsageError({
      message: `${sounding}. Set OUTDIAL_VOICE, or give voiceAgent in the module of --config`
    })
  }
  // The carrier of a module may exchange either.
  if (voiceAgent === undefined || isOfModule || carriers.length === 0 || sounding !== undefined) return
  return yield* new UsageError({
    message: `OUTDIAL_VOICE has no effect with OUTDIAL_CARRIER=${carriers.join(",")}, which exchanges text. Unset it${
      carriers.includes("twilio") ? ", or set TWILIO_MEDIA=stream" : ""
    }`
  })
})

const layerOf = (configured: ConfiguredVoice): Layer.Layer<VoiceAgent.VoiceAgent, never, TextAgent.TextAgent> => {
  switch (configured.kind) {
    case "spoken":
      return SpokenAgent.layer.pipe(Layer.provide([configured.speechToText, configured.textToSpeech]))
    case "realtime":
      return Realtime.layer(configured.options).pipe(
        Layer.provide([WebSocketClients.layer, configured.textToSpeech ?? Layer.empty])
      )
    default:
      return configured satisfies never
  }
}
