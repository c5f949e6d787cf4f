/** Tones to play, and to find in sound: of a line, of a voice, or of a recording. */
import { AudioFormat, Samples } from "@outdial/core"

export interface ToneOptions {
  readonly hertz: number
  readonly millis: number
  readonly format: AudioFormat.AudioFormat
  /** Of full scale. Default: 0.3, as loud as speech. */
  readonly amplitude?: number
}

export const tone = ({ amplitude = 0.3, format, hertz, millis }: ToneOptions): Uint8Array<ArrayBuffer> =>
  Samples.bytesOf(format, samples({ amplitude, hertz, millis, sampleRate: AudioFormat.sampleRate(format) }))

/** The tone as samples of 16 bits. */
export const samples = (
  { amplitude = 0.3, hertz, millis, sampleRate }: Omit<ToneOptions, "format"> & { readonly sampleRate: number }
): Int16Array<ArrayBuffer> =>
  Int16Array.from(
    { length: Math.round((sampleRate * millis) / 1_000) },
    (_, index) => Math.round(0x7fff * amplitude * Math.sin((2 * Math.PI * hertz * index) / sampleRate))
  )

/** Which share of the sound's power is at this frequency, from 0 to 1 (Goertzel's algorithm). That of silence is 0. */
export const share = (sound: Int16Array, sampleRate: number, hertz: number): number => {
  const factor = 2 * Math.cos((2 * Math.PI * hertz) / sampleRate)
  let [before, last, power] = [0, 0, 0]
  for (const sample of sound) {
    ;[before, last] = [last, sample + factor * last - before]
    power += sample * sample
  }
  const found = before * before + last * last - factor * before * last
  return power === 0 ? 0 : (2 * found) / (power * sound.length)
}

/** From when to when the tone is heard, in milliseconds: in pieces of 20 ms at least half of whose power it is. None if it is not. */
export const heard = (
  sound: Int16Array,
  sampleRate: number,
  hertz: number
): { readonly from: number; readonly to: number } | undefined => {
  const piece = (sampleRate * AudioFormat.frameMillis) / 1_000
  let [from, to] = [-1, -1]
  for (let at = 0; at + piece <= sound.length; at += piece) {
    if (share(sound.subarray(at, at + piece), sampleRate, hertz) < 0.5) continue
    if (from < 0) from = at
    to = at + piece
  }
  return from < 0 ? undefined : { from: (from * 1_000) / sampleRate, to: (to * 1_000) / sampleRate }
}
