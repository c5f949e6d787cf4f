import * as NodeWS from "@effect/platform-node/NodeWS"
import { assert, it } from "@effect/vitest"
import { Cartesia, Deepgram, DeepgramFlux, ElevenLabs } from "@outdial/ai"
import { type AudioFormat, SpeechToText, TextToSpeech } from "@outdial/core"
import { Effect, Exit, Fiber, Layer, Queue, Redacted, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { inspect } from "node:util"
import { describe } from "vitest"
import * as FakeCartesia from "../support/speech/FakeCartesia.ts"
import * as FakeDeepgram from "../support/speech/FakeDeepgram.ts"
import * as FakeElevenLabs from "../support/speech/FakeElevenLabs.ts"
import * as FakeService from "../support/speech/FakeService.ts"
import * as SoundedText from "../support/speech/SoundedText.ts"

const secret = "key-123456"
const key = Redacted.make(secret)
const formats: ReadonlyArray<AudioFormat.AudioFormat> = ["mulaw", "alaw", "pcm16"]

const until = (isDone: () => boolean) =>
  Effect.eventually(Effect.suspend(() => isDone() ? Effect.void : Effect.fail("not yet")))

/** The message of the failure, which must not have the key. */
const failureOf = <A, E extends SpeechToText.SpeechFailed, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.notInclude(inspect(error, { depth: 10, showHidden: true }), secret)
    return error.message.replace("The speech service failed: ", "")
  })

/** A port that takes connections and says nothing. */
const silentPort = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly connections: () => number; readonly close: () => void }>(
    (resume) => {
      let connections = 0
      const server = createServer((socket) => {
        connections += 1
        socket.on("error", () => socket.destroy())
      })
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({
          url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          connections: () => connections,
          close: () => server.close()
        })))
    }
  ),
  ({ close }) => Effect.sync(close)
)

/** What every service does when it does not answer as it should. `opened` fails, with a wrong key too. */
const refusals = (
  opened: (
    options: { readonly key?: Redacted.Redacted; readonly url?: string }
  ) => Effect.Effect<
    { readonly service: FakeService.FakeService; readonly open: Effect.Effect<unknown, SpeechToText.SpeechFailed> },
    never,
    Scope.Scope
  >,
  name: string
) => {
  it.effect("says why it cannot be used, and never the key", () =>
    Effect.gen(function*() {
      const { open } = yield* opened({ key: Redacted.make("another") })
      assert.strictEqual(yield* failureOf(open), `${name}: it refuses the key`)
      const { open: ask, service } = yield* opened({})
      for (
        const [condition, message] of [
          ["html", "it answers with status 200, as a web page does: check its address"],
          ["nonsense", "its answer is not JSON: check its address"],
          [402, "the account has no credit left"],
          [429, "it limits requests (status 429)"],
          [503, "it has failed with status 503"]
        ] as const
      ) {
        service.setCondition(condition)
        assert.strictEqual(yield* failureOf(ask), `${name}: ${message}`)
      }
      assert.deepStrictEqual(service.problems, [])
    }))

  it.effect("fails when nothing answers, or too late", () =>
    Effect.gen(function*() {
      const { open: unreachable } = yield* opened({ url: "http://127.0.0.1:1" })
      assert.strictEqual(yield* failureOf(unreachable), `${name}: it cannot be reached`)
      const silent = yield* silentPort
      const { open } = yield* opened({ url: silent.url })
      const failure = yield* Effect.forkChild(failureOf(open))
      yield* until(() => silent.connections() === 1)
      yield* TestClock.adjust("5 seconds")
      yield* until(() => silent.connections() === 2)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(failure), `${name}: it does not answer`)
    }))
}

for (const kind of ["v1", "flux"] as const) {
  const recognized = Effect.fnUntraced(function*(
    { isNoisy = false, ...options }: {
      readonly key?: Redacted.Redacted
      readonly url?: string
      readonly isNoisy?: boolean
    } = {}
  ) {
    const service = yield* FakeDeepgram.make({ key: secret, isNoisy })
    const { layer } = kind === "v1" ? Deepgram : DeepgramFlux
    const provided = Layer.provide(layer({ key, url: service.url, ...options }), NodeWS.layerWebSocketConstructor)
    const { open } = yield* Effect.provide(SpeechToText.SpeechToText, provided)
    return { service, open }
  })

  /** A recognition whose events are taken one by one. */
  const listening = Effect.fnUntraced(function*(
    open: SpeechToText.SpeechToText["Service"]["open"],
    options: Partial<SpeechToText.RecognitionOptions> = {}
  ) {
    const { events, hear } = yield* open({ format: "mulaw", ...options })
    const queue = yield* Queue.unbounded<SpeechToText.RecognitionEvent, SpeechToText.SpeechFailed>()
    yield* Effect.forkScoped(
      Stream.runForEach(events, (event) => Queue.offer(queue, event)).pipe(
        Effect.catch((error) => Queue.fail(queue, error))
      )
    )
    const next = Queue.take(queue)
    const say = (...spoken: Parameters<typeof SoundedText.frames>) =>
      Effect.forEach(SoundedText.frames(...spoken), hear, { discard: true })
    const turn = Effect.gen(function*() {
      while (true) {
        const event = yield* next
        if (event._tag === "Words" && event.isFinal) return event.text
      }
    })
    return { next, say, turn }
  })

  const partial = (text: string) => ({ _tag: "Words", text, isFinal: false })
  const final = (text: string) => ({ _tag: "Words", text, isFinal: true })

  describe(kind === "v1" ? "Deepgram" : "DeepgramFlux", () => {
    it.effect("hears words as they come, and whole turns, in each format", () =>
      Effect.gen(function*() {
        const { open, service } = yield* recognized()
        for (const format of formats) {
          const { next, say, turn } = yield* listening(open, { format, language: "en-US" })
          yield* say("Yes I am Ada. ", { format })
          const begun = kind === "v1"
            ? [partial("Yes"), partial("Yes I"), partial("Yes I am"), partial("Yes I am Ada.")]
            : [{ _tag: "SpeechStarted" }, ...["Y", "Yes", "Yes I", "Yes I am", "Yes I am Ada."].map(partial)]
          const heard = yield* Effect.replicateEffect(next, begun.length + 1)
          assert.deepStrictEqual(heard, [...begun, final("Yes I am Ada.")])
          yield* say("At ten", { format })
          assert.strictEqual(yield* turn, "At ten")
        }
        assert.deepStrictEqual(service.problems, [])
      }))

    it.effect("is connected again when its connection is lost, with the words so far as a turn, and not twice at once", () =>
      Effect.gen(function*() {
        const { open, service } = yield* recognized()
        const { next, say, turn } = yield* listening(open)
        const lose = Effect.gen(function*() {
          const before = service.connections.length
          yield* say("I would ", { pauseMillis: 0 })
          yield* Effect.repeat(next, { until: (event) => event._tag === "Words" && event.text === "I would" })
          service.cut()
          assert.strictEqual(yield* turn, "I would")
          yield* say("like to go. ")
          return before
        })
        yield* lose
        assert.strictEqual(yield* turn, "like to go.")
        // Meanwhile there is no sound.
        yield* TestClock.adjust("31 seconds")
        const before = yield* lose
        assert.strictEqual(yield* turn, "like to go.")
        assert.strictEqual(service.connections.length, before + 1)
        service.cut()
        assert.match(
          yield* failureOf(turn),
          /^Deepgram( Flux)?: it has ended the connection with code 1006$/u
        )
        assert.deepStrictEqual(service.problems, [])
      }))

    it.effect("ends the stream at the service when the conversation is over", () =>
      Effect.gen(function*() {
        const { open, service } = yield* recognized()
        const scope = yield* Scope.make()
        yield* open({ format: "mulaw" }).pipe(Scope.provide(scope))
        yield* Scope.close(scope, Exit.void)
        yield* until(() => service.received() === 1 && service.open() === 0)
        assert.deepStrictEqual(service.problems, [])
      }))

    refusals(
      (options) =>
        Effect.map(recognized(options), ({ open, service }) => ({
          service,
          open: Effect.scoped(Effect.flatMap(open({ format: "mulaw" }), ({ events }) => Stream.runDrain(events)))
        })),
      kind === "v1" ? "Deepgram" : "Deepgram Flux"
    )
  })

  if (kind === "v1") {
    it.effect("Deepgram is lost when it does not read", () =>
      Effect.gen(function*() {
        const { open, service } = yield* recognized()
        service.setCondition("deaf")
        const { events, hear } = yield* open({ format: "mulaw" })
        const failure = yield* Effect.forkChild(failureOf(Stream.runDrain(events)))
        // More than systems keep for it.
        const much = new Uint8Array(1024 * 1024)
        yield* Effect.forkChild(Effect.forever(Effect.andThen(hear(much), Effect.yieldNow)))
        assert.strictEqual(yield* Fiber.join(failure), "Deepgram: it does not read")
        assert.strictEqual(service.connections.length, 2)
      }))

    it.effect("Deepgram ends a turn in noise when no word follows", () =>
      Effect.gen(function*() {
        const { open } = yield* recognized({ isNoisy: true })
        const { say, turn } = yield* listening(open)
        yield* say("Not now. ", { pauseMillis: 1_000 })
        assert.strictEqual(yield* turn, "Not now.")
      }))
  }
}

/** A service that says only this, to every connection. */
const saying = (...messages: ReadonlyArray<unknown>) =>
  FakeService.make({
    refusal: () => undefined,
    accept: ({ send }) => ({
      bytes: () => undefined,
      text: () => {
        for (const message of messages) send(message)
      }
    })
  })

describe("a turn whose words are taken back", () => {
  const results = (transcript: string, is_final: boolean, speech_final: boolean) => ({
    type: "Results",
    is_final,
    speech_final,
    channel: { alternatives: [{ transcript }] }
  })
  const info = (event: string, transcript: string) => ({ type: "TurnInfo", event, transcript })
  const started = { _tag: "SpeechStarted" }
  const words = (text: string, isFinal: boolean) => ({ _tag: "Words", text, isFinal })
  const turns = [
    ["ends", Deepgram, [
      results("hello", false, false),
      results("", true, true),
      { type: "UtteranceEnd" },
      results("yes", true, true)
    ], [words("hello", false), words("", true), words("yes", true)]],
    ["ends without a pause", Deepgram, [
      results("hello", false, false),
      results("", true, false),
      { type: "UtteranceEnd" },
      results("yes", true, true)
    ], [words("hello", false), words("", true), words("yes", true)]],
    ["ends with the connection", Deepgram, [results("hello", false, false), results("", true, false), "cut"], [
      words("hello", false),
      words("", true)
    ]],
    ["ends with the connection", DeepgramFlux, [info("StartOfTurn", ""), "cut"], [started, words("", true)]]
  ] as const
  it.effect.each(turns)("%s", ([, { layer }, messages, expected]) =>
    Effect.gen(function*() {
      let isFirst = true
      const service: FakeService.FakeService = yield* FakeService.make({
        refusal: () => undefined,
        accept: ({ close, send }) => ({
          text: () => undefined,
          bytes: () => {
            if (!isFirst) return
            isFirst = false
            for (const message of messages) {
              if (message === "cut") close(1011)
              else send(message)
            }
          }
        })
      })
      const provided = Layer.provide(layer({ key, url: service.url }), NodeWS.layerWebSocketConstructor)
      const { open } = yield* Effect.provide(SpeechToText.SpeechToText, provided)
      const { events, hear } = yield* open({ format: "mulaw" })
      yield* hear(new Uint8Array(160))
      const heard = yield* Stream.runCollect(Stream.take(events, expected.length))
      assert.deepStrictEqual<unknown>(heard, expected)
    }))
})

describe("a service whose messages are", () => {
  const sound = Buffer.from(SoundedText.of("Hi.")).toString("base64")
  const speakers = [
    [Cartesia, { type: "chunk", data: "%%%", context_id: "1" }],
    [Cartesia, ["chunk"]],
    [Cartesia, { type: 1 }],
    [ElevenLabs, { audio: "%%%", contextId: "1" }],
    [ElevenLabs, { audio: 1, contextId: "1" }],
    [ElevenLabs, null]
  ] as const
  it.effect.each(speakers)("not valid is not heard: %j", ([{ layer }, message]) =>
    Effect.gen(function*() {
      const { url } = yield* saying(message)
      const provided = Layer.provide(layer({ key, voice: "ada", url }), NodeWS.layerWebSocketConstructor)
      const { open } = yield* Effect.provide(TextToSpeech.TextToSpeech, provided)
      const { speak } = yield* open({ format: "mulaw" })
      assert.match(yield* failureOf(Stream.runDrain(speak("Hello?"))), /: its answer is not valid$/u)
    }))

  const others = [
    [Cartesia, [
      { type: "timestamps", context_id: "1", word_timestamps: {} },
      { type: "chunk", data: sound, context_id: "another" },
      { type: "error", status_code: null, error_code: null, context_id: null },
      { type: "chunk", data: sound, context_id: "1", done: false },
      { type: "done", context_id: "1", done: true }
    ]],
    [ElevenLabs, [
      { keep: "alive" },
      { audio: sound, contextId: "another" },
      { audio: null, isFinal: null, contextId: null, error: null },
      { audio: sound, contextId: "1", alignment: null, isFinal: null },
      { audio: "", contextId: "1", isFinal: true }
    ]]
  ] as const
  it.effect.each(others)(
    "of another kind, or of another text, speaks as before",
    ([{ layer }, messages]) =>
      Effect.gen(function*() {
        const { url } = yield* saying(...messages)
        const provided = Layer.provide(layer({ key, voice: "ada", url }), NodeWS.layerWebSocketConstructor)
        const { open } = yield* Effect.provide(TextToSpeech.TextToSpeech, provided)
        const { speak } = yield* open({ format: "mulaw" })
        assert.strictEqual(SoundedText.textOf(Buffer.concat(yield* Stream.runCollect(speak("Hi.")))), "Hi.")
      })
  )
})

it.effect("Cartesia is stopped when it speaks for far too long", () =>
  Effect.gen(function*() {
    const service = yield* FakeCartesia.make({ key: secret, voice: "ada", isEndless: true }).service
    const provided = Layer.provide(
      Cartesia.layer({ key, voice: "ada", url: service.url }),
      NodeWS.layerWebSocketConstructor
    )
    const { open } = yield* Effect.provide(TextToSpeech.TextToSpeech, provided)
    const { speak } = yield* open({ format: "mulaw" })
    assert.strictEqual(
      yield* failureOf(Stream.runDrain(speak("Hello?"))),
      "Cartesia: it speaks for far too long"
    )
  }))

for (const name of ["ElevenLabs", "Cartesia"] as const) {
  const speaking = Effect.fnUntraced(function*(
    { pieceAfter, ...options }: {
      readonly key?: Redacted.Redacted
      readonly url?: string
      readonly pieceAfter?: number | undefined
    } = { pieceAfter: 1 }
  ) {
    const settings = { key: secret, voice: "ada", pieceAfter }
    const cartesia = FakeCartesia.make(settings)
    const service = yield* name === "Cartesia" ? cartesia.service : FakeElevenLabs.make(settings)
    const { layer } = name === "Cartesia" ? Cartesia : ElevenLabs
    const provided = Layer.provide(
      layer({ key, voice: "ada", url: service.url, ...options }),
      NodeWS.layerWebSocketConstructor
    )
    const { open } = yield* Effect.provide(TextToSpeech.TextToSpeech, provided)
    return { service, open, cancelled: cartesia.cancelled }
  })

  const soundOf = (stream: Stream.Stream<Uint8Array, TextToSpeech.SpeechFailed>) =>
    Effect.map(Stream.runCollect(stream), (pieces) => Buffer.concat(pieces))

  describe(name, () => {
    it.effect("speaks texts one after the other on one connection, in each format", () =>
      Effect.gen(function*() {
        const { open, service } = yield* speaking()
        for (const format of formats) {
          const { speak } = yield* open({ format, language: "en-US" })
          for (const text of ["Good morning, this is Ada.", "How are you?"]) {
            assert.strictEqual(SoundedText.textOf(yield* soundOf(speak(text)), format), text)
          }
        }
        assert.deepStrictEqual([service.connections.length, service.problems], [formats.length, []])
      }))

    it.effect("cancels a text that is interrupted, and speaks the next one clearly", () =>
      Effect.gen(function*() {
        const { cancelled, open, service } = yield* speaking({ pieceAfter: 5 })
        const { speak } = yield* open({ format: "mulaw" })
        const long = "This is a long text that nobody wants to hear to its very end."
        yield* Effect.replicateEffect(Stream.runHead(speak(long)), 6)
        assert.strictEqual(SoundedText.textOf(yield* soundOf(speak("Sorry."))), "Sorry.")
        if (name === "Cartesia") assert.strictEqual(cancelled.length, 6)
        // What one service cancels, the other can only be kept from saying.
        else assert.strictEqual(service.connections.length, 7)
        assert.deepStrictEqual(service.problems, [])
      }))

    it.effect("is connected again within a text, and goes on where it was cut, once", () =>
      Effect.gen(function*() {
        const { open, service } = yield* speaking({ pieceAfter: 5 })
        const { speak } = yield* open({ format: "mulaw" })
        const text = "Good morning, this is Ada."
        let pieces = 0
        const cutOnce = Stream.tap(speak(text), () => Effect.sync(() => ++pieces === 2 ? service.cut() : undefined))
        assert.strictEqual(SoundedText.textOf(yield* soundOf(cutOnce)), text)
        assert.strictEqual(service.connections.length, 2)
        // Between two texts, too.
        service.cut()
        assert.strictEqual(SoundedText.textOf(yield* soundOf(speak("Hello?"))), "Hello?")
        const cutEachTime = Stream.tap(speak(text), () => Effect.sync(() => service.cut()))
        assert.strictEqual(
          yield* failureOf(Stream.runDrain(cutEachTime)),
          `${name}: it has ended the connection with code 1006`
        )
        assert.deepStrictEqual(service.problems, [])
      }))

    it.effect("fails when the service says nothing for 2 seconds, twice", () =>
      Effect.gen(function*() {
        const { open, service } = yield* speaking({ pieceAfter: undefined })
        const { speak } = yield* open({ format: "mulaw" })
        const failure = yield* Effect.forkChild(failureOf(Stream.runDrain(speak("Hello?"))))
        const messages = name === "Cartesia" ? 1 : 2
        yield* until(() => service.received() === messages)
        yield* TestClock.adjust("2 seconds")
        yield* until(() => service.received() === 2 * messages)
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(yield* Fiber.join(failure), `${name}: it does not speak`)
      }))

    it.effect("says that there is no such voice", () =>
      Effect.gen(function*() {
        const { open } = yield* speaking()
        const spoken = Effect.flatMap(
          open({ format: "mulaw", voice: "nobody" }),
          ({ speak }) => Stream.runDrain(speak("Hello?"))
        )
        assert.strictEqual(
          yield* failureOf(spoken),
          `${name}: it refuses the request with status 404, as for a model or a voice that does not exist`
        )
      }))

    refusals(
      (options) =>
        Effect.map(speaking(options), ({ open, service }) => ({
          service,
          open: Effect.scoped(Effect.flatMap(open({ format: "mulaw" }), ({ speak }) => Stream.runDrain(speak("Hi."))))
        })),
      name
    )
  })
}
