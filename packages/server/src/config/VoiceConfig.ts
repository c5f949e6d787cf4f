/** The environment variables of voices, for lines that exchange sound. */
import { Config } from "effect"
import { address, group, matching, oneOf, secret, variable } from "./Variable.ts"

/** An address of a WebSocket, or the one of HTTP at the same place. */
const socketAddress = /^(https?|wss?):\/\/[^\s/?#]+(\/[^\s#]*)?$/

const apiUrlOf = (name: string, url: string) =>
  Config.option(matching(name, address, `must be an address such as ${url}`))

/** What hears and speaks where the carrier's line exchanges sound. */
export const voice = group({
  kind: variable("OUTDIAL_VOICE", {
    default: "none",
    meaning:
      "What hears and speaks on lines that exchange sound. `spoken`: the agent that `OUTDIAL_MODEL` names, with " +
      "`OUTDIAL_STT` and `OUTDIAL_TTS`. `realtime`: a model that hears and speaks itself. Carriers that recognize and speak " +
      "themselves, as Twilio's and Telnyx's relays do, need none. See [voice](../guides/voice.md)."
  }, (name) => Config.option(oneOf(name, ["realtime", "spoken"]))),
  realtimeUrl: variable(
    "OUTDIAL_REALTIME_URL",
    {
      default: "`wss://api.openai.com/v1/realtime`",
      meaning: "The address of a service with the WebSocket protocol of the OpenAI Realtime API."
    },
    (name) =>
      Config.option(matching(name, socketAddress, "must be an address such as wss://api.openai.com/v1/realtime"))
  ),
  realtimeModel: variable(
    "OUTDIAL_REALTIME_MODEL",
    {
      default: "`gpt-realtime`",
      meaning: "The model of that service."
    },
    (name) => Config.option(matching(name, /^\S{1,255}$/u, "must be a model such as gpt-realtime"))
  ),
  realtimeKey: variable("OUTDIAL_REALTIME_KEY", {
    default: "`OPENAI_API_KEY`; required with `OUTDIAL_VOICE=realtime`",
    meaning: "The API key of that service."
  }, secret),
  openAiKey: variable("OPENAI_API_KEY", {
    default: "none",
    meaning: "The key for `OUTDIAL_VOICE=realtime` if `OUTDIAL_REALTIME_KEY` is not set. It is never sent to an " +
      "`OUTDIAL_REALTIME_URL`."
  }, secret),
  speechToText: variable("OUTDIAL_STT", {
    default: "none; required with `OUTDIAL_VOICE=spoken`",
    meaning: "What recognizes the words of the contact: `deepgram:MODEL`, such as `deepgram:nova-3`, or " +
      "`deepgram-flux:MODEL`, such as `deepgram-flux:flux-general-en`."
  }, (name) =>
    Config.option(
      matching(
        name,
        /^(deepgram|deepgram-flux):[\w.-]{1,100}$/u,
        "must be deepgram: or deepgram-flux: and a model, such as deepgram:nova-3"
      )
    )),
  textToSpeech: variable("OUTDIAL_TTS", {
    default: "none; required with `OUTDIAL_VOICE=spoken`",
    meaning:
      "What speaks the agent's words, and its voice where the agent names none: `elevenlabs:VOICE`, `cartesia:VOICE`, or " +
      "with a model, `elevenlabs:MODEL/VOICE`; or a program on the same machine, `command:PROGRAM ARGUMENTS`, which reads a " +
      "text and writes a WAV file, such as `command:espeak-ng --stdin --stdout -v {language}`. With `OUTDIAL_VOICE=realtime`, it speaks what the model cannot."
  }, (name) =>
    Config.option(
      matching(
        name,
        /^((elevenlabs|cartesia):([\w.-]{1,100}\/)?[\w-]{1,100}|command: *\S.*)$/u,
        "must be elevenlabs: or cartesia: and the id of a voice, such as cartesia:694f9389-aac1-45b6-b726-9d9369183238, " +
          "or command: and a program with its arguments"
      )
    )),
  deepgramKey: variable("DEEPGRAM_API_KEY", {
    default: "none; required with `deepgram:` and `deepgram-flux:`",
    meaning: "An API key of Deepgram."
  }, secret),
  deepgramUrl: variable("DEEPGRAM_API_URL", {
    default: "`https://api.deepgram.com`",
    meaning: "Another address of Deepgram's API, such as `https://api.eu.deepgram.com`."
  }, (name) => apiUrlOf(name, "https://api.deepgram.com")),
  elevenLabsKey: variable("ELEVENLABS_API_KEY", {
    default: "none; required with `elevenlabs:`",
    meaning: "An API key of ElevenLabs."
  }, secret),
  elevenLabsUrl: variable("ELEVENLABS_API_URL", {
    default: "`https://api.elevenlabs.io`",
    meaning: "Another address of ElevenLabs' API, such as `https://api.eu.residency.elevenlabs.io`."
  }, (name) => apiUrlOf(name, "https://api.elevenlabs.io")),
  cartesiaKey: variable("CARTESIA_API_KEY", {
    default: "none; required with `cartesia:`",
    meaning: "An API key of Cartesia."
  }, secret),
  cartesiaUrl: variable("CARTESIA_API_URL", {
    default: "`https://api.cartesia.ai`",
    meaning: "Another address of Cartesia's API."
  }, (name) => apiUrlOf(name, "https://api.cartesia.ai"))
})
