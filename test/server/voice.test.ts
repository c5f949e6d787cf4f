/** Voices by the environment: `OUTDIAL_VOICE` and the services that it needs, and what `outdial doctor` asks them. */
import { assert, describe, it } from "@effect/vitest"
import { SpokenAgent } from "@outdial/core"
import { ConfigProvider, Effect, Layer, Option } from "effect"
import * as ConfiguredVoice from "../../packages/server/src/cli/ConfiguredVoice.ts"
import * as CommandLine from "../../packages/server/test/cli/CommandLine.ts"
import * as VoiceCheck from "../../packages/server/src/doctor/VoiceCheck.ts"
import * as FakeCartesia from "../support/speech/FakeCartesia.ts"
import * as FakeDeepgram from "../support/speech/FakeDeepgram.ts"
import * as FakeElevenLabs from "../support/speech/FakeElevenLabs.ts"
import * as FakeRealtime from "../support/speech/FakeRealtime.ts"

const key = "key-of-the-operator"

const withEnvironment = (variables: Record<string, string>) =>
  Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(variables)))

const spoken = { OUTDIAL_VOICE: "spoken", DEEPGRAM_API_KEY: key, CARTESIA_API_KEY: key }

describe("OUTDIAL_VOICE", () => {
  const refused: ReadonlyArray<readonly [string, Record<string, string>, string]> = [
    ["no kind that exists", { OUTDIAL_VOICE: "loud" }, "OUTDIAL_VOICE must be one of realtime, spoken"],
    ["no recognition", { OUTDIAL_VOICE: "spoken" }, "OUTDIAL_VOICE=spoken needs OUTDIAL_STT"],
    ["no speech", { ...spoken, OUTDIAL_STT: "deepgram:nova-3" }, "OUTDIAL_VOICE=spoken needs OUTDIAL_TTS"],
    [
      "no key of Deepgram",
      {
        OUTDIAL_VOICE: "spoken",
        OUTDIAL_STT: "deepgram-flux:flux-general-en",
        OUTDIAL_TTS: "cartesia:1",
        CARTESIA_API_KEY: key
      },
      "OUTDIAL_STT=deepgram-flux:flux-general-en needs DEEPGRAM_API_KEY"
    ],
    [
      "no key of ElevenLabs",
      { ...spoken, OUTDIAL_STT: "deepgram:nova-3", OUTDIAL_TTS: "elevenlabs:ada" },
      "OUTDIAL_TTS=elevenlabs:ada needs ELEVENLABS_API_KEY"
    ],
    ["another service", { ...spoken, OUTDIAL_STT: "whisper:large" }, "OUTDIAL_STT must be deepgram: or deepgram-flux:"],
    ["no voice", { ...spoken, OUTDIAL_TTS: "cartesia:" }, "OUTDIAL_TTS must be elevenlabs: or cartesia:"],
    ["no program", { ...spoken, OUTDIAL_TTS: "command: " }, "OUTDIAL_TTS must be elevenlabs: or cartesia:"],
    [
      "a service without a kind",
      { OUTDIAL_STT: "deepgram:nova-3" },
      "Set OUTDIAL_VOICE to spoken, or unset OUTDIAL_STT"
    ],
    ["a realtime service without a kind", { OUTDIAL_REALTIME_KEY: key }, "Set OUTDIAL_VOICE to realtime, or unset"],
    [
      "a realtime model without a kind",
      { OUTDIAL_REALTIME_MODEL: "gpt-realtime" },
      "Set OUTDIAL_VOICE to realtime, or unset OUTDIAL_REALTIME_MODEL"
    ],
    [
      "a realtime model that is not used",
      { ...spoken, OUTDIAL_REALTIME_MODEL: "gpt-realtime" },
      "OUTDIAL_VOICE=spoken does not use OUTDIAL_REALTIME_MODEL"
    ],
    [
      "no key of OpenAI",
      { OUTDIAL_VOICE: "realtime" },
      "OUTDIAL_VOICE=realtime needs OUTDIAL_REALTIME_KEY or OPENAI_API_KEY"
    ],
    [
      "recognition that is not used",
      { OUTDIAL_VOICE: "realtime", OUTDIAL_REALTIME_KEY: key, OUTDIAL_STT: "deepgram:nova-3" },
      "OUTDIAL_VOICE=realtime does not use OUTDIAL_STT"
    ],
    [
      "an address that is none",
      { OUTDIAL_VOICE: "realtime", OUTDIAL_REALTIME_URL: "localhost:8000" },
      "OUTDIAL_REALTIME_URL must be an address such as wss://api.openai.com/v1/realtime"
    ]
  ]
  it.effect.each(refused)(
    "that is wrong is refused, and the error says what to do: %s",
    ([, env, message]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(ConfiguredVoice.voiceAgent({}))
        assert.include(error.message, message)
        assert.notInclude(error.message, key)
      }).pipe(withEnvironment(env))
  )

  it.live("that is wrong does not start a server", () =>
    Effect.gen(function*() {
      const { run } = yield* CommandLine.inEnvironment({
        OUTDIAL_CARRIER: "simulated",
        OUTDIAL_SECRET_KEY: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        OUTDIAL_DATA: "never-opened",
        OUTDIAL_VOICE: "realtime"
      })
      const { code, stderr } = yield* run("serve")
      assert.strictEqual(code, 1)
      assert.include(stderr, "OUTDIAL_VOICE=realtime needs OUTDIAL_REALTIME_KEY or OPENAI_API_KEY")
    }))

  it.effect("is needed by carriers that exchange sound, and has no effect with others", () =>
    Effect.gen(function*() {
      const [given, none] = [{ voiceAgent: "given", isOfModule: false }, { voiceAgent: undefined, isOfModule: false }]
      const carriers = (media: "relay" | "stream", ...carriers: ReadonlyArray<string>) => ({
        carriers,
        role: "worker" as const,
        twilio: { media }
      })
      const api = { role: "api" as const }
      yield* ConfiguredVoice.check({ ...carriers("relay", "asterisk"), ...api }, none)
      yield* ConfiguredVoice.check(carriers("relay", "asterisk", "telnyx"), given)
      yield* ConfiguredVoice.check(carriers("stream", "twilio"), given)
      yield* ConfiguredVoice.check(carriers("stream", "telnyx"), none)
      yield* ConfiguredVoice.check(carriers("relay"), given)
      yield* ConfiguredVoice.check(carriers("relay", "twilio"), { ...given, isOfModule: true })
      const messages = yield* Effect.forEach([
        ConfiguredVoice.check(carriers("relay", "asterisk"), none),
        ConfiguredVoice.check(carriers("stream", "twilio"), none),
        ConfiguredVoice.check(carriers("relay", "twilio"), given),
        ConfiguredVoice.check(carriers("stream", "telnyx", "simulated"), given),
        ConfiguredVoice.check({ ...carriers("relay", "telnyx"), ...api }, given)
      ], (check) => Effect.map(Effect.flip(check), ({ message }) => message))
      assert.deepStrictEqual(messages, [
        "Asterisk's lines exchange sound. Set OUTDIAL_VOICE, or give voiceAgent in the module of --config",
        "TWILIO_MEDIA=stream exchanges sound. Set OUTDIAL_VOICE, or give voiceAgent in the module of --config",
        "OUTDIAL_VOICE has no effect with OUTDIAL_CARRIER=twilio, which exchanges text. Unset it, or set TWILIO_MEDIA=stream",
        "OUTDIAL_VOICE has no effect with OUTDIAL_CARRIER=telnyx,simulated, which exchanges text. Unset it",
        "OUTDIAL_VOICE has no effect with OUTDIAL_CARRIER=telnyx, which exchanges text. Unset it"
      ])
    }))

  it.effect("is none by default, also where OpenAI's key is in the environment for something else", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* ConfiguredVoice.voiceAgent({}))
    }).pipe(withEnvironment({ OPENAI_API_KEY: key })))

  it.effect("and a voice agent of the module exclude each other", () =>
    Effect.gen(function*() {
      const voiceAgent = SpokenAgent.layer.pipe(Layer.provide(Layer.effectContext(Effect.die("not opened"))))
      const error = yield* Effect.flip(ConfiguredVoice.voiceAgent({ voiceAgent }))
      assert.include(
        error.message,
        "OUTDIAL_VOICE=realtime and voiceAgent in the configuration module exclude each other"
      )
    }).pipe(withEnvironment({ OUTDIAL_VOICE: "realtime", OPENAI_API_KEY: key })))

  it.effect("never sends OpenAI's key to another address", () =>
    Effect.gen(function*() {
      const configured = Option.getOrThrow(yield* ConfiguredVoice.read)
      assert.notInclude(JSON.stringify(configured), key)
    }).pipe(
      withEnvironment({
        OUTDIAL_VOICE: "realtime",
        OPENAI_API_KEY: key,
        OUTDIAL_REALTIME_URL: "ws://localhost:8000/v1/realtime"
      })
    ))
})

describe("outdial doctor", () => {
  it.effect("asks each speech service one harmless question", () =>
    Effect.gen(function*() {
      const deepgram = yield* FakeDeepgram.make({ key })
      const elevenLabs = yield* FakeElevenLabs.make({ key, voice: "ada" })
      const cartesia = yield* FakeCartesia.make({ key, voice: "bob" }).service
      const realtime = yield* FakeRealtime.make({ key, answer: () => ({}) })
      const services = {
        DEEPGRAM_API_KEY: key,
        DEEPGRAM_API_URL: deepgram.url,
        ELEVENLABS_API_KEY: key,
        ELEVENLABS_API_URL: elevenLabs.url,
        CARTESIA_API_KEY: "another",
        CARTESIA_API_URL: cartesia.url,
        OUTDIAL_REALTIME_URL: `${realtime.url}/v1/realtime`,
        OUTDIAL_REALTIME_KEY: key
      }
      const { OUTDIAL_REALTIME_KEY: _, OUTDIAL_REALTIME_URL: __, ...ofSpoken } = services
      const shown = (variables: Record<string, string>) =>
        VoiceCheck.findings.pipe(
          withEnvironment(variables),
          Effect.map((findings) =>
            findings.map(({ check, level, message }) => `${level} ${check}: ${message.replace(/\d+ ms/, "soon")}`)
          )
        )
      assert.deepStrictEqual(
        yield* shown({
          ...ofSpoken,
          OUTDIAL_VOICE: "spoken",
          OUTDIAL_STT: "deepgram:nova-3",
          OUTDIAL_TTS: "elevenlabs:eleven_flash_v2_5/ada"
        }),
        ["ok recognition: The service answered in soon", "ok speech: The service answered in soon"]
      )
      assert.deepStrictEqual(
        yield* shown({ ...services, OUTDIAL_VOICE: "realtime", OUTDIAL_TTS: "cartesia:bob" }),
        [
          "ok realtime: The service answered in soon",
          "failed speech: The speech service failed: Cartesia: it refuses the key"
        ]
      )
      assert.deepStrictEqual(
        yield* shown({
          ...ofSpoken,
          OUTDIAL_VOICE: "spoken",
          OUTDIAL_STT: "deepgram:nova-3",
          OUTDIAL_TTS: "command:/nowhere/espeak-ng --stdin --stdout"
        }),
        [
          "ok recognition: The service answered in soon",
          "failed speech: The speech service failed: spawn /nowhere/espeak-ng ENOENT"
        ]
      )
      assert.deepStrictEqual([deepgram, elevenLabs, cartesia, realtime].flatMap(({ problems }) => problems), [])
      assert.deepStrictEqual(yield* shown({}), [])
    }))
})
