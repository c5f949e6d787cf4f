/**
 * Whether the contact speaks, by how loud the line is: enough to fall silent when the contact interrupts, and used for nothing else. It
 * follows the noise of the line, and ignores clicks.
 */

export interface SpeechDetector {
  /** The noise of the line, in dB of full scale. */
  readonly noise: number
  /** Which of the last frames were loud, the latest as the lowest bit. */
  readonly loud: number
  /** The contact speaks, since a frame before. */
  readonly isSpeaking: boolean
}

/** Before anything was heard: a quiet line. */
export const initial: SpeechDetector = { noise: -60, loud: 0, isSpeaking: false }

/** Speech is louder than the noise by this, in dB. */
const aboveNoise = 12

/** Softer than this nothing is speech, in dB of full scale: telephone speech has -20 to -30 (ITU-T P.56, G.100). */
const softest = -42

/** How much the noise may rise in a frame, in dB: 6 dB in 2 seconds, so that speech is not taken for it. */
const rise = 0.06

/** Three loud frames of four: 60 to 80 ms. A click is shorter. */
const startFrames = 3

/** Frames without a loud one after which speech is over: 300 ms. */
const quietFrames = 15

/** After a frame of 20 ms. */
export const step = (before: SpeechDetector, samples: Int16Array): SpeechDetector => {
  const level = loudness(samples)
  const isLoud = level > Math.max(softest, before.noise + aboveNoise)
  const loud = ((before.loud << 1) | (isLoud ? 1 : 0)) & ((1 << quietFrames) - 1)
  return {
    loud,
    noise: level < before.noise ? Math.max(level, -80) : before.noise + rise,
    isSpeaking: before.isSpeaking ? loud !== 0 : bits(loud & 0b1111) >= startFrames
  }
}

/** In dB of full scale; of digital silence -100. */
const loudness = (samples: Int16Array): number => {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return samples.length === 0 ? -100 : 10 * Math.log10(sum / samples.length / 0x8000 ** 2 + 1e-10)
}

const bits = (value: number): number => value === 0 ? 0 : (value & 1) + bits(value >> 1)
