/** The fakes of speech services notice what a client does wrong: the tests that use them assert that they have no problems. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FakeCartesia from "../support/speech/FakeCartesia.ts"
import * as FakeDeepgram from "../support/speech/FakeDeepgram.ts"
import * as FakeElevenLabs from "../support/speech/FakeElevenLabs.ts"
import * as FakeRealtime from "../support/speech/FakeRealtime.ts"

const key = "key-123456"
const token = { authorization: `Token ${key}` }
const bearer = { authorization: `Bearer ${key}` }

const silence = (millis: number) => new Uint8Array(8 * millis).fill(0xff)

const appended = (millis: number) => ({
  type: "input_audio_buffer.append",
  audio: Buffer.from(silence(millis)).toString("base64")
})

const cartesia = {
  context_id: "1",
  transcript: "Hello?",
  model_id: "sonic-3",
  continue: false,
  voice: { mode: "id", id: "ada" },
  output_format: { container: "raw", encoding: "pcm_mulaw", sample_rate: 8_000 }
}

const services = {
  Deepgram: {
    make: FakeDeepgram.make({ key }),
    path: "/v1/listen?model=nova-3&encoding=mulaw&sample_rate=8000",
    headers: token
  },
  "Deepgram Flux": {
    make: FakeDeepgram.make({ key }),
    path: "/v2/listen?model=flux-general-en&encoding=mulaw&sample_rate=8000",
    headers: token
  },
  ElevenLabs: {
    // It does not come to the end of a text.
    make: FakeElevenLabs.make({ key, voice: "ada", pieceAfter: undefined }),
    path: "/v1/text-to-speech/ada/multi-stream-input?model_id=one&output_format=ulaw_8000",
    headers: { "xi-api-key": key }
  },
  Cartesia: {
    make: FakeCartesia.make({ key, voice: "ada", pieceAfter: undefined }).service,
    path: "/tts/websocket?cartesia_version=2026-03-01",
    headers: { "x-api-key": key }
  },
  "the realtime service": {
    make: FakeRealtime.make({ key, answer: () => ({ text: "Hello." }) }),
    path: "/v1/realtime?model=gpt-realtime",
    headers: bearer
  }
} as const

type Message = Uint8Array<ArrayBuffer> | object

const wrong: ReadonlyArray<
  readonly [what: string, service: keyof typeof services, messages: ReadonlyArray<Message>, problem: string]
> = [
  ["form", "Deepgram", [silence(20), silence(12)], "sound of 96 bytes"],
  ["pace", "Deepgram", [silence(5_000), silence(5_000)], "sound before its time"],
  ["order", "Deepgram", [{ type: "KeepAlive" }, { type: "Configure" }], "the message Configure"],
  ["form", "Deepgram Flux", [silence(12)], "sound of 96 bytes"],
  ["pace", "Deepgram Flux", [silence(5_000), silence(5_000)], "sound before its time"],
  ["order", "Deepgram Flux", [{ type: "KeepAlive" }], "the message KeepAlive"],
  ["form", "ElevenLabs", [{ context_id: "1", text: "Hello?" }], "a text that does not end with a space"],
  [
    "order",
    "ElevenLabs",
    [{ context_id: "1", text: "Hello? " }, { context_id: "1", close_context: true }, {
      context_id: "1",
      text: "Sorry. "
    }],
    "text after the context 1 was closed"
  ],
  [
    "pace",
    "ElevenLabs",
    Array.from({ length: 6 }, (_, index) => ({ context_id: String(index), text: "Hello? ", flush: true })),
    "too many contexts"
  ],
  [
    "form",
    "Cartesia",
    [{ ...cartesia, output_format: { ...cartesia.output_format, sample_rate: 44_100 } }],
    "a form of sound that does not exist"
  ],
  ["order", "Cartesia", [cartesia, cartesia], "text after the end of the context 1"],
  ["form", "the realtime service", [appended(12)], "sound of 96 bytes"],
  ["pace", "the realtime service", [appended(15_000), appended(15_000)], "sound before its time"],
  [
    "order",
    "the realtime service",
    [{ type: "conversation.item.truncate", item_id: "item_7", content_index: 0, audio_end_ms: 100 }],
    "what cannot be truncated"
  ]
]

/** Node's WebSocket takes headers, which browsers' do not. */
const Socket = WebSocket as unknown as new(
  url: string,
  options: { readonly headers: Readonly<Record<string, string>> }
) => WebSocket

describe("a fake service", () => {
  it.live.each(wrong)(
    "notices what is wrong with the %s: %s",
    ([, name, messages, problem]) =>
      Effect.scoped(Effect.gen(function*() {
        const { headers, make, path } = services[name]
        const service = yield* make
        // It ends the connection.
        yield* Effect.callback<void>((resume) => {
          const socket = new Socket(service.url.replace("http", "ws") + path, { headers })
          socket.addEventListener("open", () => {
            for (const message of messages) {
              socket.send(message instanceof Uint8Array ? message : JSON.stringify(message))
            }
          })
          socket.addEventListener("close", () => resume(Effect.void))
        })
        assert.deepStrictEqual(service.problems, [problem])
      }))
  )
})
