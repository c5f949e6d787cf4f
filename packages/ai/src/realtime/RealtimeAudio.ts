/** The sound of a realtime session. The service takes the codes of telephony as they are, and samples of 16 bits at 24 kHz only. */
import { AudioFormat, Resampler, Samples } from "@outdial/core"

/** Of `audio/pcm`, in samples per second. */
export const serviceRate = 24_000

const lineRate = AudioFormat.sampleRate("pcm16")

/** The sound of a line, in the form that the service takes. */
export const toService = (format: AudioFormat.AudioFormat): (frame: Uint8Array) => Uint8Array => {
  if (format !== "pcm16") return (frame) => frame
  const resampler = Resampler.make(lineRate, serviceRate)
  return (frame) => Samples.toLittleEndian(resampler.push(Samples.fromLittleEndian(frame)))
}

/** Sound that grows. */
export interface Sound {
  readonly push: (bytes: Uint8Array) => void
  /** Nothing follows. */
  readonly end: () => void
  readonly millis: () => number
  /** From one millisecond to another. */
  readonly read: (from: number, to: number) => Uint8Array
}

/** The sound of the service, in the form of the line. */
export const sound = (format: AudioFormat.AudioFormat): Sound => {
  const resampler = format === "pcm16" ? Resampler.make(serviceRate, lineRate) : undefined
  const perMilli = AudioFormat.bytesPerMilli(format)
  let bytes = new Uint8Array(16 * 1024)
  let length = 0
  /** The first byte of a sample whose second one comes with the next piece. */
  let half = new Uint8Array(0)
  const resampled = (resampler: Resampler.Resampler, given: Uint8Array) => {
    const whole = new Uint8Array(half.length + given.length)
    whole.set(half)
    whole.set(given, half.length)
    half = whole.slice(whole.length - whole.length % 2)
    return Samples.toLittleEndian(resampler.push(Samples.fromLittleEndian(whole)))
  }
  const add = (more: Uint8Array) => {
    if (length + more.length > bytes.length) {
      const larger = new Uint8Array(2 * (length + more.length))
      larger.set(bytes.subarray(0, length))
      bytes = larger
    }
    bytes.set(more, length)
    length += more.length
  }
  return {
    push: (given) => add(resampler === undefined ? given : resampled(resampler, given)),
    end: () => resampler === undefined ? undefined : add(Samples.toLittleEndian(resampler.end())),
    millis: () => length / perMilli,
    read: (from, to) => bytes.slice(Math.round(from * perMilli), Math.min(length, Math.round(to * perMilli)))
  }
}
