/**
 * Sound of fake services for real lines, which do not give back the bytes that they were given: a tone for each text that the contact says,
 * and one for all that the agent says.
 */
import { type AudioFormat, Samples } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import type * as SoundedText from "./SoundedText.ts"

/** How a fake service hears and speaks. */
export interface Speech {
  readonly of: (text: string, form: Form) => Uint8Array
  readonly decoder: (form: Form) => SoundedText.Decoder
}

export interface Form {
  readonly format: AudioFormat.AudioFormat
  readonly sampleRate: number
}

/** What the agent says is this, 60 ms for each character. */
export const agentHertz = 1_000

const characterMillis = 60

/** A tone must last as long to be a text: noise does not. */
const leastMillis = 160

/** A tone with less silence in it is one: packets are late. */
const leastPause = 300

const pieceMillis = 20

/** Louder samples are no silence. */
const loudest = 1_000

/** The texts by the frequency of their tones. */
export const make = (texts: Readonly<Record<number, string>>): Speech => ({
  of: (text, { format, sampleRate }) =>
    Samples.bytesOf(format, Tones.samples({ hertz: agentHertz, millis: text.length * characterMillis, sampleRate })),
  decoder: ({ format, sampleRate }) => {
    const length = (sampleRate * pieceMillis) / 1_000
    let rest = new Int16Array(0)
    let tone: { readonly hertz: string; millis: number } | undefined
    let quiet = 0
    const piece = (samples: Int16Array): ReturnType<SoundedText.Decoder["hear"]> => {
      if (!samples.some((sample) => Math.abs(sample) > loudest)) {
        quiet += pieceMillis
        if (quiet >= leastPause) tone = undefined
        return [{ pauseMillis: quiet }]
      }
      quiet = 0
      const hertz = Object.keys(texts).find((hertz) => Tones.share(samples, sampleRate, Number(hertz)) > 0.5)
      if (hertz === undefined) return []
      if (tone?.hertz !== hertz) tone = { hertz, millis: 0 }
      tone.millis += pieceMillis
      return tone.millis === leastMillis
        ? Array.from(texts[Number(hertz)] ?? "", (character) => ({ character }))
        : []
    }
    return {
      hear: (sound) => {
        const samples = Int16Array.from([...rest, ...Samples.samplesOf(format, sound)])
        const whole = samples.length - samples.length % length
        rest = samples.slice(whole)
        return Array.from(
          { length: whole / length },
          (_, index) => piece(samples.subarray(index * length, (index + 1) * length))
        ).flat()
      }
    }
  }
})
