/** The bytes of an audio format as samples of 16 bits, at the format's rate, and back. */
import type { AudioFormat } from "../../domain/AudioFormat.ts"
import * as G711 from "./G711.ts"

/** Of `pcm16` they may share the memory of the bytes. */
export const samplesOf = (format: AudioFormat, bytes: Uint8Array): Int16Array =>
  format === "pcm16" ? fromLittleEndian(bytes) : G711.decode(format, bytes)

export const bytesOf = (format: AudioFormat, samples: Int16Array): Uint8Array<ArrayBuffer> =>
  format === "pcm16" ? toLittleEndian(samples) : G711.encode(format, samples)

/** Whether the machine has samples in memory as they are sent. */
const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/** Half a sample at the end is left out. They may share the memory of the bytes: each frame of each call comes through here. */
export const fromLittleEndian = (bytes: Uint8Array): Int16Array => {
  if (isLittleEndian) {
    const aligned = bytes.byteOffset % 2 === 0 ? bytes : new Uint8Array(bytes)
    return new Int16Array(aligned.buffer, aligned.byteOffset, bytes.length >> 1)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Int16Array.from({ length: bytes.length >> 1 }, (_, index) => view.getInt16(2 * index, true))
}

/** They may share the memory of the samples. */
export const littleEndianOf = (samples: Int16Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  isLittleEndian
    ? new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
    : toLittleEndian(samples)

export const toLittleEndian = (samples: Int16Array): Uint8Array<ArrayBuffer> => {
  if (isLittleEndian) return new Uint8Array(new Int16Array(samples).buffer)
  const bytes = new Uint8Array(2 * samples.length)
  const view = new DataView(bytes.buffer)
  for (const [index, sample] of samples.entries()) view.setInt16(2 * index, sample, true)
  return bytes
}
