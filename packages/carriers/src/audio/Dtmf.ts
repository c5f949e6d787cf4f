/** The tones of telephone keys, for carriers that have no request for them (ITU-T Q.23). */
import { AudioFormat, Samples } from "@outdial/core"

/** The frequencies of the rows and of the columns of the keys, in hertz. */
const rows = [697, 770, 852, 941]
const columns = [1_209, 1_336, 1_477, 1_633]
const keys = "123A456B789C*0#D"

/** Of a tone and of the pause after it, in milliseconds: at least 40 each (Q.24), and menus miss short ones. */
const length = 100

/** `w` in digits, in milliseconds. */
const pause = 500

/** Of full scale, for each of the two tones: -9 dB. */
const amplitude = 0.35

/** The sound of digits 0-9, A-D, * and #; `w` is a pause of half a second. */
export const tones = (format: AudioFormat.AudioFormat, digits: string): Uint8Array<ArrayBuffer> => {
  const rate = AudioFormat.sampleRate(format)
  const millis = (count: number) => Math.round((count * rate) / 1_000)
  const parts = Array.from(digits, (digit) => {
    const key = keys.indexOf(digit)
    if (key < 0) return new Int16Array(millis(digit === "w" ? pause : 0))
    const [low = 0, high = 0] = [rows[key >> 2], columns[key & 3]]
    return Int16Array.from({ length: millis(2 * length) }, (_, index) =>
      index < millis(length)
        ? Math.round(0x7fff * amplitude * (sine(low, index / rate) + sine(high, index / rate)))
        : 0)
  })
  return Samples.bytesOf(format, Int16Array.from(parts.flatMap((part) => [...part])))
}

const sine = (hertz: number, seconds: number): number => Math.sin(2 * Math.PI * hertz * seconds)
