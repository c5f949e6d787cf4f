/** Converts a WAV file to an audio format as it comes: its first channel, at the rate of the format. */
import { type AudioFormat, sampleRate } from "../../domain/AudioFormat.ts"
import * as G711 from "./G711.ts"
import * as Resampler from "./Resampler.ts"
import { bytesOf, fromLittleEndian } from "./Samples.ts"
import * as Wav from "./Wav.ts"

export interface WavConversion {
  /** The sound so far in the format; `unknown` when it is no WAV file with 16-bit samples, µ-law or A-law, or has an unusual rate. */
  readonly push: (bytes: Uint8Array) => Uint8Array<ArrayBuffer> | "unknown"
  /** The rest. */
  readonly end: () => Uint8Array<ArrayBuffer>
}

/** Samples per second. The coefficients for other rates can take seconds and gigabytes: 44,101 has no divisor in common with 8,000. */
const rates: ReadonlySet<number> = new Set([
  8_000,
  11_025,
  12_000,
  16_000,
  22_050,
  24_000,
  32_000,
  44_100,
  48_000,
  88_200,
  96_000,
  192_000
])

export const make = (format: AudioFormat): WavConversion => {
  let rest: Uint8Array = new Uint8Array(0)
  let known: { readonly wav: Wav.WavFormat; readonly resampler: Resampler.Resampler } | undefined

  return {
    push: (bytes) => {
      let all = joined(rest, bytes)
      if (known === undefined) {
        const header = Wav.read(all)
        if (header._tag === "Unknown") return "unknown"
        rest = all
        if (header._tag === "Incomplete") return new Uint8Array(0)
        const { format: wav } = header
        if (!rates.has(wav.sampleRate)) return "unknown"
        known = { wav, resampler: Resampler.make(wav.sampleRate, sampleRate(format)) }
        all = all.subarray(header.dataAt)
      }
      const { resampler, wav } = known
      const size = wav.channels * (wav.encoding === "pcm16" ? 2 : 1)
      const whole = all.length - all.length % size
      rest = all.slice(whole)
      return bytesOf(format, resampler.push(firstChannel(wav, all.subarray(0, whole))))
    },
    end: () => known === undefined ? new Uint8Array(0) : bytesOf(format, known.resampler.end())
  }
}

const firstChannel = ({ channels, encoding }: Wav.WavFormat, bytes: Uint8Array): Int16Array => {
  const samples = encoding === "pcm16" ? fromLittleEndian(bytes) : G711.decode(encoding, bytes)
  return channels === 1 ? samples : samples.filter((_, index) => index % channels === 0)
}

const joined = (first: Uint8Array, second: Uint8Array): Uint8Array => {
  if (first.length === 0) return second
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
