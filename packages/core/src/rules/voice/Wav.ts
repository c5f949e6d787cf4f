/** The header of WAV files (RIFF WAVE) with samples of 16 bits, and of the codes of G.711, to read. */

/** What follows the header, each sample of all channels together. */
export interface WavFormat {
  readonly encoding: "pcm16" | "mulaw" | "alaw"
  readonly channels: number
  /** Samples per second. */
  readonly sampleRate: number
}

export const headerBytes = 44

/** The longest recording of a RIFF file, whose length has 32 bits. */
const longest = 0xffff_ffff - headerBytes

/** The header of so many bytes of 16-bit samples. */
export const header = (
  { bytes, channels, sampleRate }: {
    readonly bytes: number
    readonly channels: number
    readonly sampleRate: number
  }
): Uint8Array<ArrayBuffer> => {
  const written = new Uint8Array(headerBytes)
  const view = new DataView(written.buffer)
  const length = Math.min(bytes, longest)
  written.set(ascii("RIFF"), 0)
  view.setUint32(4, headerBytes - 8 + length, true)
  written.set(ascii("WAVEfmt "), 8)
  view.setUint32(16, 16, true)
  view.setUint16(20, pcm, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * channels * 2, true)
  view.setUint16(32, channels * 2, true)
  view.setUint16(34, 16, true)
  written.set(ascii("data"), 36)
  view.setUint32(40, length, true)
  return written
}

/** What a header says, and where the sound begins; `incomplete` when more bytes are needed, `unknown` when it is no such file. */
export type Header =
  | { readonly _tag: "Known"; readonly format: WavFormat; readonly dataAt: number }
  | { readonly _tag: "Incomplete" }
  | { readonly _tag: "Unknown" }

/** Programs that write to a pipe do not know the length, so it is not read: the sound goes on to the end. */
export const read = (bytes: Uint8Array): Header => {
  if (bytes.length < 12) return { _tag: "Incomplete" }
  if (textAt(bytes, 0) !== "RIFF" || textAt(bytes, 8) !== "WAVE") return { _tag: "Unknown" }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let format: WavFormat | undefined
  for (let at = 12; at + 8 <= bytes.length;) {
    const [name, length] = [textAt(bytes, at), view.getUint32(at + 4, true)]
    const content = at + 8
    if (name === "data") return format === undefined ? { _tag: "Unknown" } : { _tag: "Known", format, dataAt: content }
    if (content + length > bytes.length) return { _tag: length > longestChunk ? "Unknown" : "Incomplete" }
    if (name === "fmt ") {
      format = formatOf(view, content)
      if (format === undefined) return { _tag: "Unknown" }
    }
    // Chunks begin at even places.
    at = content + length + length % 2
  }
  return { _tag: "Incomplete" }
}

/** Chunks before the sound have a few words. */
const longestChunk = 65_536

/** The numbers of RFC 2361 for the encodings; the real one of `extensible` comes later. */
const [pcm, alaw, mulaw, extensible] = [1, 6, 7, 0xfffe]

const formatOf = (view: DataView, at: number): WavFormat | undefined => {
  const [tag, bits] = [view.getUint16(at, true), view.getUint16(at + 14, true)]
  const code = tag === extensible && view.byteLength >= at + 26 ? view.getUint16(at + 24, true) : tag
  const encoding = code === pcm && bits === 16
    ? "pcm16"
    : code === mulaw && bits === 8
    ? "mulaw"
    : code === alaw && bits === 8
    ? "alaw"
    : undefined
  const [channels, sampleRate] = [view.getUint16(at + 2, true), view.getUint32(at + 4, true)]
  return encoding === undefined || channels === 0 || sampleRate === 0 ? undefined : { encoding, channels, sampleRate }
}

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

const textAt = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))
