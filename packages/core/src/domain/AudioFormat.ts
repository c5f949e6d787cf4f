/**
 * The forms of sound that lines, speech services and voice agents exchange: one channel, without a header. The samples of telephony are
 * `mulaw` (North America, Japan) and `alaw` (elsewhere), ITU-T G.711.
 */
import { Schema } from "effect"

/** `mulaw` and `alaw`: 8 bits at 8 kHz. `pcm16`: 16 bits, signed, little-endian, at 16 kHz. */
export const AudioFormat = Schema.Literals(["mulaw", "alaw", "pcm16"])
export type AudioFormat = typeof AudioFormat.Type

/** Lines exchange sound in frames of this length, as RTP does (RFC 3551 §4.2). */
export const frameMillis = 20

/** Samples per second. */
export const sampleRate = (format: AudioFormat): 8_000 | 16_000 => format === "pcm16" ? 16_000 : 8_000

export const bytesPerMilli = (format: AudioFormat): 8 | 32 => format === "pcm16" ? 32 : 8

export const frameBytes = (format: AudioFormat): 160 | 640 => format === "pcm16" ? 640 : 160

/** How long so many bytes last, in milliseconds. */
export const millisOf = (format: AudioFormat, bytes: number): number => bytes / bytesPerMilli(format)

/** The byte of which silence consists: sample 0 of each code. */
const zero = { mulaw: 0xff, alaw: 0xd5, pcm16: 0 } as const

export const silence = (format: AudioFormat, millis: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Math.round(millis * bytesPerMilli(format))).fill(zero[format])
