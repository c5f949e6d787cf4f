/**
 * A process that calls over an Asterisk. `echo`: its lines play what they hear, without an engine. `talk`: an engine whose agent goes on and on,
 * with speech services that take no time, and recordings in files. `interrupted`: the same, with a recognition of tones.
 */
import { AsteriskTelephony } from "@outdial/carriers/asterisk"
import { AudioFormat, Outdial, Samples, SpeechToText, SpokenAgent, TextAgent, TextToSpeech } from "@outdial/core"
import { FileRecordings } from "@outdial/node"
import { Tones } from "@outdial/testkit"
import { Effect, Layer, Queue, Redacted, Stream } from "effect"
import * as ToneSpeech from "../../../packages/carriers/test/audio/ToneSpeech.ts"
import * as Calls from "../../asterisk/Calls.ts"
import * as DevProcess from "../../support/DevProcess.ts"

export type Mode = "echo" | "interrupted" | "talk"

export type Request =
  | { readonly task: "cpu" | "memory" | "stop" }
  | { readonly task: "call"; readonly numbers: ReadonlyArray<string> }

/** A dial, which has begun at that time in nanoseconds, by a clock that processes share. */
export interface Dialed {
  readonly number: string
  readonly verdict: string
  readonly at: number
}

const [, , mode = "", ariUrl = "", user = "", password = ""] = process.argv

const pbx: Calls.Reached = { ariUrl, user, password: Redacted.make(password) }

/** Louder than silence and noise. */
const loud = 5_000

const isLoud = (format: AudioFormat.AudioFormat, audio: Uint8Array) =>
  Samples.samplesOf(format, audio).some((sample) => Math.abs(sample) > loud)

const echo = Effect.map(
  Calls.node(pbx, { channels: 300 }, ({ heard, line }, event) => {
    heard.length = 0
    return event._tag === "Audio" && isLoud(line.format, event.audio) ? line.play(event.audio) : Effect.void
  }),
  (node) => ({
    call: (numbers: ReadonlyArray<string>) =>
      Effect.forEach(numbers, (number) =>
        Effect.suspend(() => {
          const at = Number(process.hrtime.bigint())
          return Effect.map(Calls.dial(node, number), ({ verdict }): Dialed => ({ number, verdict, at }))
        })),
    stop: Effect.void
  })
)

/** Ten seconds of a voice. */
const spoken = Tones.tone({ format: "pcm16", hertz: 1_000, millis: 10_000 })

/** Speaks at once, 60 ms for each character, and hears nothing. */
const services = Layer.merge(
  Layer.succeed(TextToSpeech.TextToSpeech, {
    open: ({ format }) =>
      Effect.succeed({
        speak: (text) => {
          const length = Math.min(spoken.length, text.length * 60 * AudioFormat.bytesPerMilli(format))
          const piece = 200 * AudioFormat.bytesPerMilli(format)
          return Stream.map(
            Stream.range(0, Math.ceil(length / piece) - 1),
            (index) => spoken.subarray(index * piece, Math.min(length, (index + 1) * piece))
          )
        }
      })
  }),
  Layer.succeed(SpeechToText.SpeechToText, {
    open: () => Effect.succeed({ hear: () => Effect.void, events: Stream.never })
  })
)

const tones = Layer.merge(ToneSpeech.voice, ToneSpeech.recognition({ 440: "What does it cost?" }))

const engine = Effect.gen(function*() {
  const directory = yield* DevProcess.folder
  const open = Outdial.open({
    agents: [{ name: "Ada", script: "Hello.", maxDurationSeconds: 1_800, questions: [], dispositions: ["done"] }],
    lines: 300,
    policy: { callingHours: null },
    telephony: AsteriskTelephony.layer({
      ...pbx,
      endpoint: "PJSIP/{number}@trunk",
      callsPerSecond: 20,
      channels: 300,
      recording: "own"
    }),
    recordings: FileRecordings.layer({ directory }),
    textAgent: TextAgent.TextAgent.layerOf(async function*() {
      for (let sentence = 0; sentence < 20; sentence++) {
        yield { _tag: "Say", text: "This goes on and on, and on, and on." }
      }
    }),
    voiceAgent: SpokenAgent.layer.pipe(Layer.provide(mode === "interrupted" ? tones : services))
  })
  const outdial = yield* Effect.acquireRelease(
    Effect.promise(() => open),
    (outdial) => Effect.promise(() => outdial.close())
  )
  const [ada] = yield* Effect.promise(() => outdial.agents.list())
  return {
    call: (numbers: ReadonlyArray<string>) =>
      Effect.promise(() =>
        Promise.all(numbers.map((phoneNumber) => outdial.calls.start({ agentId: ada?.id ?? "", phoneNumber })))
      ),
    stop: Effect.promise(() => outdial.close())
  }
})

/** Bytes that the process has, and bytes that it uses of them. What was freed goes back to the system only in the second round. */
const memory = () => {
  globalThis.gc?.()
  globalThis.gc?.()
  const { external, heapUsed, rss } = process.memoryUsage()
  return [rss, heapUsed + external]
}

const program = Effect.gen(function*() {
  const requests = yield* Queue.unbounded<Request>()
  process.on("message", (request: Request) => Queue.offerUnsafe(requests, request))
  // The parent has ended.
  process.on("disconnect", () => process.exit())
  const { call, stop } = yield* mode === "echo" ? echo : engine
  const answerTo = (request: Request): Effect.Effect<unknown, unknown> => {
    switch (request.task) {
      case "call":
        return call(request.numbers)
      case "cpu":
        return Effect.sync(() => {
          const { system, user } = process.cpuUsage()
          return (system + user) / 1_000
        })
      case "memory":
        return Effect.sync(memory)
      case "stop":
        return stop
      default:
        return request satisfies never
    }
  }
  process.send?.({ value: "ready" })
  while (true) {
    const value = yield* answerTo(yield* Queue.take(requests))
    process.send?.({ value: value ?? true })
  }
})

await Effect.runPromise(Effect.scoped(program))
