/**
 * The two codes of ITU-T G.711, which telephony speaks: 8 bits for a sample of 13 or 14. Decoded samples have 16 bits, and encoding what was
 * decoded gives the same byte (of the two zeros of µ-law, the usual one).
 */
import type { AudioFormat } from "../../domain/AudioFormat.ts"

type Code = Exclude<AudioFormat, "pcm16">

/** The samples of bytes in the code. */
export const decode = (code: Code, bytes: Uint8Array): Int16Array<ArrayBuffer> => {
  const table = code === "mulaw" ? fromMulaw : fromAlaw
  const samples = new Int16Array(bytes.length)
  for (let index = 0; index < bytes.length; index++) samples[index] = table[bytes[index] ?? 0] ?? 0
  return samples
}

/** The bytes of samples in the code. */
export const encode = (code: Code, samples: Int16Array): Uint8Array<ArrayBuffer> => {
  const byteOf = code === "mulaw" ? mulawByte : alawByte
  return Uint8Array.from(samples, byteOf)
}

/** Added to a magnitude before its logarithm is taken, at 16 bits. */
const bias = 0x84

const mulawSample = (byte: number): number => {
  const inverted = ~byte & 0xff
  const magnitude = ((((inverted & 0x0f) << 3) + bias) << ((inverted & 0x70) >> 4)) - bias
  return (inverted & 0x80) === 0 ? magnitude : -magnitude
}

const alawSample = (byte: number): number => {
  const even = byte ^ 0x55
  const segment = (even & 0x70) >> 4
  const low = ((even & 0x0f) << 4) + 8
  const magnitude = segment === 0 ? low : (low + 0x100) << (segment - 1)
  return (even & 0x80) === 0 ? -magnitude : magnitude
}

/** The segment of a magnitude: the number of the highest bit above the `lowest`. */
const segmentOf = (magnitude: number, lowest: number): number => Math.max(0, 31 - Math.clz32(magnitude >> lowest))

const mulawByte = (sample: number): number => {
  const magnitude = Math.min(Math.abs(sample), 0x7fff - bias) + bias
  const segment = segmentOf(magnitude, 7)
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | ((magnitude >> (segment + 3)) & 0x0f)) & 0xff
}

const alawByte = (sample: number): number => {
  // There is no code for zero: the first negative one is -1.
  const magnitude = sample < 0 ? ~sample : sample
  const segment = magnitude < 0x100 ? 0 : segmentOf(magnitude, 7)
  const mantissa = (magnitude >> (segment === 0 ? 4 : segment + 3)) & 0x0f
  return ((sample < 0 ? 0 : 0x80) | (segment << 4) | mantissa) ^ 0x55
}

const decoding = (sampleOf: (byte: number) => number) => Int16Array.from({ length: 0x100 }, (_, byte) => sampleOf(byte))

const fromMulaw = decoding(mulawSample)
const fromAlaw = decoding(alawSample)
