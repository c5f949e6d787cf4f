/** The contract of `SpeechToText`: it recognizes words, and says when a turn is over; it hears silence without words. */
import { assert, it } from "@effect/vitest"
import { AudioFormat, SpeechToText } from "@outdial/core"
import { Effect, type Layer, Stream } from "effect"
import { describe } from "vitest"

/** What the contact says in the tests. */
export interface Utterance {
  readonly text: string
  readonly audio: (format: AudioFormat.AudioFormat) => Uint8Array
}

/** A recognition that hears a frame every `pace` milliseconds, and what it has reported. */
const openedAt = (pace: number) =>
  Effect.fnUntraced(function*(format: AudioFormat.AudioFormat) {
    const { open } = yield* SpeechToText.SpeechToText
    const recognition = yield* open({ format, language: "en-US" })
    const reported: Array<SpeechToText.RecognitionEvent> = []
    yield* recognition.events.pipe(
      Stream.runForEach((event) => Effect.sync(() => void reported.push(event))),
      Effect.forkScoped
    )
    const hear = Effect.fnUntraced(function*(audio: Uint8Array) {
      const frame = AudioFormat.frameBytes(format)
      for (let at = 0; at < audio.length; at += frame) {
        yield* recognition.hear(audio.subarray(at, at + frame))
        yield* Effect.sleep(pace)
      }
    })
    const silent = (millis: number) => hear(AudioFormat.silence(format, millis))
    const turns = () => reported.flatMap((event) => event._tag === "Words" && event.isFinal ? [event.text] : [])
    return { hear, reported, silent, turns }
  })

/** Long enough for the pause that ends a turn. */
const pause = 2_000

/** Without case and punctuation, which services choose. */
const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N} ]/gu, "").trim()

/** Runs the contract against the layer, and against the same service when it refuses or is gone. */
export const contract = <E, E2 = never>(
  name: string,
  { fails, layer, pace = AudioFormat.frameMillis, says }: {
    readonly layer: Layer.Layer<SpeechToText.SpeechToText, E>
    readonly says: readonly [Utterance, Utterance]
    /** After how many milliseconds the next frame comes. Default: as in life. */
    readonly pace?: number
    readonly fails?: Layer.Layer<SpeechToText.SpeechToText, E2>
  }
): void => {
  const opened = openedAt(pace)
  describe.concurrent(`Speech to text contract: ${name}`, () => {
    const options = { excludeTestServices: true, timeout: "180 seconds" } as const
    it.layer(layer, options)((it) => {
      it.effect("recognizes one turn after the other, and ends each", () =>
        Effect.scoped(Effect.gen(function*() {
          const { hear, reported, silent, turns } = yield* opened("mulaw")
          for (const { audio } of says) {
            yield* hear(audio("mulaw"))
            yield* silent(pause)
          }
          assert.deepStrictEqual(turns().map(plain).filter((text) => text !== ""), says.map(({ text }) => plain(text)))
          assert.strictEqual(reported.at(-1)?._tag, "Words", "nothing is said after the last turn")
        })))

      it.effect("recognizes the same in every format", () =>
        Effect.forEach(AudioFormat.AudioFormat.literals, (format) =>
          Effect.scoped(Effect.gen(function*() {
            const { hear, silent, turns } = yield* opened(format)
            yield* hear(says[0].audio(format))
            yield* silent(pause)
            assert.include(turns().map(plain), plain(says[0].text), format)
          })), { concurrency: "unbounded", discard: true }))

      it.effect("hears silence without words", () =>
        Effect.scoped(Effect.gen(function*() {
          const { silent, turns } = yield* opened("mulaw")
          yield* silent(pause)
          assert.deepStrictEqual(turns().filter((text) => text !== ""), [])
        })))
    })
    if (fails === undefined) return
    it.layer(fails, options)((it) => {
      it.effect("fails with an error that ends the call politely", () =>
        Effect.scoped(Effect.gen(function*() {
          const { open } = yield* SpeechToText.SpeechToText
          const error = yield* Effect.flip(
            Effect.flatMap(open({ format: "mulaw" }), ({ events }) => Stream.runDrain(events))
          )
          assert.isTrue(error instanceof SpeechToText.SpeechFailed)
        })))
    })
  })
}
