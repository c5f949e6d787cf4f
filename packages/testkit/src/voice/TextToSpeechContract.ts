/** The contract of `TextToSpeech`: texts become sound of the format, one after the other, also after one was interrupted. */
import { assert, it } from "@effect/vitest"
import { AudioFormat, Samples, TextToSpeech } from "@outdial/core"
import { Effect, type Layer, Stream } from "effect"
import { describe } from "vitest"

const [short, long] = [
  "Goodbye.",
  "Good morning, this is Ada from the Riverside Clinic. I am calling about your visit."
]

const opened = (format: AudioFormat.AudioFormat, options: Partial<TextToSpeech.VoiceOptions> = {}) =>
  Effect.flatMap(TextToSpeech.TextToSpeech, ({ open }) => open({ format, ...options }))

/** The sound of the text, which can be heard. In milliseconds. */
const spoken = Effect.fnUntraced(
  function*(voice: TextToSpeech.Voice, text: string, format: AudioFormat.AudioFormat = "mulaw") {
    const pieces = yield* Stream.runCollect(voice.speak(text))
    const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
    pieces.reduce((at, piece) => {
      bytes.set(piece, at)
      return at + piece.length
    }, 0)
    assert.isTrue(Samples.samplesOf(format, bytes).some((sample) => Math.abs(sample) > 500), "It can be heard")
    return AudioFormat.millisOf(format, bytes.length)
  }
)

/** Tests by the behaviour that they check. */
const cases: Readonly<Record<string, Effect.Effect<void, unknown, TextToSpeech.TextToSpeech>>> = {
  "speaks in every format, for as long": Effect.scoped(Effect.gen(function*() {
    const lengths: Array<number> = []
    for (const format of AudioFormat.AudioFormat.literals) {
      const voice = yield* opened(format)
      lengths.push(yield* spoken(voice, long, format))
    }
    const [first = 0] = lengths
    for (const length of lengths) assert.closeTo(length / first, 1, 0.1, lengths.join(" "))
  })),

  "speaks one text after the other, and longer for more words": Effect.scoped(Effect.gen(function*() {
    const voice = yield* opened("mulaw")
    const [one, other] = [yield* spoken(voice, long), yield* spoken(voice, short)]
    assert.isAbove(one, 2 * other)
  })),

  "speaks again after it was interrupted": Effect.scoped(Effect.gen(function*() {
    const voice = yield* opened("mulaw")
    yield* Stream.runHead(voice.speak(long))
    yield* spoken(voice, short)
  })),

  "speaks in many conversations at once": Effect.forEach(
    Array.from({ length: 5 }),
    () => Effect.scoped(Effect.flatMap(opened("mulaw"), (voice) => spoken(voice, short))),
    { concurrency: "unbounded", discard: true }
  ),

  "speaks in the language that it is given": Effect.scoped(Effect.gen(function*() {
    const voice = yield* opened("alaw", { language: "en-US" })
    yield* spoken(voice, short, "alaw")
  }))
}

const failing = Effect.scoped(Effect.gen(function*() {
  const error = yield* Effect.flip(Effect.flatMap(opened("mulaw"), (voice) => spoken(voice, short)))
  assert.isTrue(error instanceof TextToSpeech.SpeechFailed)
}))

/** Runs the contract against the layer, and against the same service when it refuses or is gone. */
export const contract = <E, E2 = never>(
  name: string,
  layer: Layer.Layer<TextToSpeech.TextToSpeech, E>,
  fails?: Layer.Layer<TextToSpeech.TextToSpeech, E2>
): void => {
  describe(`Text to speech contract: ${name}`, () => {
    // Services need real time, which a test clock would stop.
    const options = { excludeTestServices: true, timeout: "180 seconds" } as const
    it.layer(layer, options)((it) => {
      for (const [promise, test] of Object.entries(cases)) it.effect(promise, () => test)
    })
    if (fails === undefined) return
    it.layer(fails, options)((it) => {
      it.effect("fails with an error that ends the call politely", () => failing)
    })
  })
}
