import { assert, it } from "@effect/vitest"
import { SpeechDetector } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import { describe } from "vitest"

const frame = 160

/** When the contact starts and stops to speak, in frames. */
const detected = (sound: Int16Array): ReadonlyArray<readonly [number, boolean]> => {
  let detector = SpeechDetector.initial
  const changes: Array<readonly [number, boolean]> = []
  for (let index = 0; (index + 1) * frame <= sound.length; index++) {
    const after = SpeechDetector.step(detector, sound.subarray(index * frame, (index + 1) * frame))
    if (after.isSpeaking !== detector.isSpeaking) changes.push([index, after.isSpeaking])
    detector = after
  }
  return changes
}

const silence = (millis: number) => new Int16Array(8 * millis)
const speech = (millis: number, amplitude = 0.1) => Tones.samples({ hertz: 300, millis, amplitude, sampleRate: 8_000 })
const sound = (...parts: ReadonlyArray<Int16Array>) => Int16Array.from(parts.flatMap((part) => [...part]))

describe("the speech detector", () => {
  it("hears speech within 60 ms, and its end after 300 ms", () => {
    assert.deepStrictEqual(detected(sound(silence(1_000), speech(400), silence(1_000))), [[52, true], [84, false]])
  })

  it("hears speech from the first frame on a line without any sound before", () => {
    assert.deepStrictEqual(detected(speech(200)), [[2, true]])
  })

  it("takes pauses between words for speech", () => {
    const words = [speech(200), silence(200), speech(200), silence(200), speech(200)]
    assert.deepStrictEqual(detected(sound(silence(200), ...words)), [[12, true]])
  })

  it("ignores clicks and soft sounds", () => {
    const clicks = Array.from({ length: 10 }, () => sound(speech(20, 0.9), silence(180)))
    assert.deepStrictEqual(detected(sound(silence(200), ...clicks, speech(1_000, 0.005))), [])
  })

  it("follows the noise of the line, and hears speech above it", () => {
    // A linear congruential generator: the noise of every run is the same.
    let random = 1
    const noise = Int16Array.from({ length: 8 * 8_000 }, () => {
      random = (random * 16_807) % 0x7fff_ffff
      return Math.round((random / 0x7fff_ffff - 0.5) * 0.04 * 0x7fff)
    })
    const words = sound(silence(7_000), speech(500, 0.3), silence(500))
    const changes = detected(noise.map((sample, index) => sample + (words[index] ?? 0)))
    assert.deepInclude(changes, [352, true], JSON.stringify(changes))
  })
})
