/** The bytes of an audio format as samples of 16 bits, at the format's rate, and back. */
import type { AudioFormat } from "../../domain/AudioFormat.ts"
import * as G711 from "./G711.ts"

export const samplesOf = (format: AudioFormat, bytes: Uint8Array): Int16Array<ArrayBuffer> =>
  format === "pcm16" ? fromLittleEndian(bytes) : G711.decode(format, bytes)

export const bytesOf = (format: AudioFormat, samples: Int16Array): Uint8Array<ArrayBuffer> =>
  format === "pcm16" ? toLittleEndian(samples) : G711.encode(format, samples)

/** Half a sample at the end is left out. */
export const fromLittleEndian = (bytes: Uint8Array): Int16Array<ArrayBuffer> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Int16Array.from({ length: bytes.length >> 1 }, (_, index) => view.getInt16(2 * index, true))
}

export const toLittleEndian = (samples: Int16Array): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(2 * samples.length)
  const view = new DataView(bytes.buffer)
  for (const [index, sample] of samples.entries()) view.setInt16(2 * index, sample, true)
  return bytes
}
