/**
 * Sound that carries its text: each character is 60 ms of a byte or a sample of its own, about as long as in speech. What a fake service
 * recognizes is therefore what was sent, if it arrives unchanged and in order.
 */
import { AudioFormat } from "@outdial/core"

const characterMillis = 60

/** Keeps samples of characters away from silence, which is 0. */
const louder = 64

const unitOf = (format: AudioFormat.AudioFormat, character: string): Uint8Array => {
  const code = (character.codePointAt(0) ?? 63) % 128
  if (format !== "pcm16") return Uint8Array.of(code)
  const sample = code * louder
  return Uint8Array.of(sample % 256, sample >> 8)
}

/** The sound of the text. */
export const of = (text: string, format: AudioFormat.AudioFormat = "mulaw"): Uint8Array => {
  const bytes = characterMillis * AudioFormat.bytesPerMilli(format)
  const sound = new Uint8Array(text.length * bytes)
  for (const [index, character] of Array.from(text).entries()) {
    const unit = unitOf(format, character)
    for (let at = 0; at < bytes; at += unit.length) sound.set(unit, index * bytes + at)
  }
  return sound
}

/** The frames of the sound, with a pause after it. */
export const frames = (
  text: string,
  { format = "mulaw", pauseMillis = 400 }: {
    readonly format?: AudioFormat.AudioFormat
    readonly pauseMillis?: number
  } = {}
): ReadonlyArray<Uint8Array> => {
  const length = AudioFormat.frameBytes(format)
  const sound = Buffer.concat([of(text, format), AudioFormat.silence(format, pauseMillis)])
  return Array.from(
    { length: Math.floor(sound.length / length) },
    (_, index) => Uint8Array.from(sound.subarray(index * length, (index + 1) * length))
  )
}

export interface Decoder {
  /** What is heard with this sound: a character, or a pause of so many milliseconds until now. */
  readonly hear: (sound: Uint8Array) => ReadonlyArray<{ readonly character: string } | { readonly pauseMillis: number }>
}

/** Reads the text back. A character that is shorter than 60 ms is heard when its sound ends. */
export const decoder = (format: AudioFormat.AudioFormat): Decoder => {
  const perMilli = AudioFormat.bytesPerMilli(format)
  const unit = format === "pcm16" ? 2 : 1
  const [quiet = 0] = AudioFormat.silence(format, 1)
  let last: number | undefined
  let bytes = 0
  return {
    hear: (sound) => {
      const heard: Array<{ readonly character: string } | { readonly pauseMillis: number }> = []
      const end = () => {
        if (last !== undefined && bytes > 0) heard.push({ character: String.fromCodePoint(last) })
        bytes = 0
      }
      for (let at = 0; at + unit <= sound.length; at += unit) {
        const value = unit === 1 ? sound[at] ?? 0 : ((sound[at] ?? 0) + 256 * (sound[at + 1] ?? 0)) / louder
        const code = value === (unit === 1 ? quiet : 0) ? undefined : value
        if (code !== last) {
          end()
          last = code
        }
        bytes += unit
        if (code !== undefined && bytes === characterMillis * perMilli) end()
      }
      if (last === undefined) heard.push({ pauseMillis: bytes / perMilli })
      return heard
    }
  }
}

/** The text of whole sound. */
export const textOf = (sound: Uint8Array, format: AudioFormat.AudioFormat = "mulaw"): string =>
  decoder(format).hear(Buffer.concat([sound, AudioFormat.silence(format, 20)]))
    .flatMap((heard) => "character" in heard ? [heard.character] : []).join("")
