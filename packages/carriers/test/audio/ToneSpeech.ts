/**
 * Speech services whose words are tones, on virtual time: a voice that speaks each text as one tone, and a recognition that knows which words
 * each tone is, and that a turn is over after 400 ms of silence. It says nothing before.
 */
import { AudioFormat, Samples, SpeechToText, TextToSpeech } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import { type Cause, Effect, Layer, Queue, Stream } from "effect"

/** How long the voice speaks for a character, in milliseconds. */
export const character = 60

/** From a text to its first sound, in milliseconds. */
export const firstSound = 100

/** A frequency for each text, apart from those of the contact. */
export const pitchOf = (text: string): number => 500 + 50 * (text.length % 30)

export const millisOf = (text: string, speed = 1): number => (text.length * character) / speed

/** So many times faster. */
export const voiceAt = (speed: number) =>
  Layer.succeed(TextToSpeech.TextToSpeech, {
    open: ({ format }) =>
      Effect.succeed({
        speak: (text: string) => {
          const sound = Tones.tone({ format, hertz: pitchOf(text), millis: millisOf(text, speed) })
          const piece = 330 * AudioFormat.bytesPerMilli(format)
          // Faster than real time, in pieces that are no whole frames.
          return Stream.range(0, Math.ceil(sound.length / piece) - 1).pipe(
            Stream.mapEffect((index) =>
              Effect.as(
                Effect.sleep(index === 0 ? firstSound : 20),
                sound.subarray(index * piece, (index + 1) * piece)
              )
            )
          )
        }
      })
  })

export const voice = voiceAt(1)

/** Silence that ends a turn, in frames. */
const turnEnd = 20

/** The words of each tone, by their frequency. Those of other sounds are none. */
export const recognition = (words: Readonly<Record<number, string>>) =>
  Layer.succeed(SpeechToText.SpeechToText, {
    open: ({ format }) =>
      Effect.gen(function*() {
        const events = yield* Queue.unbounded<SpeechToText.RecognitionEvent, Cause.Done>()
        let turn: Array<number> = []
        let quiet = turnEnd
        const end = () => {
          const rate = AudioFormat.sampleRate(format)
          const sound = Int16Array.from(turn)
          const [, text = ""] = Object.entries(words).find(([hertz]) =>
            Tones.heard(sound, rate, Number(hertz)) !== undefined
          ) ?? []
          Queue.offerUnsafe(events, { _tag: "Words", text, isFinal: true })
          turn = []
        }
        const frame = (samples: Int16Array) => {
          const isLoud = samples.some((sample) => Math.abs(sample) > 1_000)
          quiet = isLoud ? 0 : quiet + 1
          if (quiet < turnEnd) turn.push(...samples)
          else if (turn.length > 0) end()
        }
        return {
          events: Stream.fromQueue(events),
          hear: (audio: Uint8Array) =>
            Effect.sync(() => {
              const samples = Samples.samplesOf(format, audio)
              const length = AudioFormat.sampleRate(format) / 50
              for (let at = 0; at < samples.length; at += length) frame(samples.subarray(at, at + length))
            })
        }
      })
  })
