import { assert, it } from "@effect/vitest"
import { Resampler } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import { describe } from "vitest"

/** In pieces of this many samples. */
const resampled = (sound: Int16Array, from: number, to: number, piece = 160): Int16Array => {
  const resampler = Resampler.make(from, to)
  const pieces = Array.from(
    { length: Math.ceil(sound.length / piece) },
    (_, index) => resampler.push(sound.subarray(index * piece, (index + 1) * piece))
  )
  return Int16Array.from([...pieces, resampler.end()].flatMap((samples) => [...samples]))
}

const power = (sound: Int16Array) => Math.sqrt(sound.reduce((sum, sample) => sum + sample * sample, 0) / sound.length)

/** Without the first and last 50 ms. */
const middle = (sound: Int16Array, rate: number) => sound.subarray(rate / 20, -rate / 20)

const rates = [[8_000, 16_000], [16_000, 8_000], [22_050, 8_000], [22_050, 16_000], [24_000, 8_000], [
  16_000,
  24_000
]] as const

describe("the resampler", () => {
  for (const [from, to] of rates) {
    it(`from ${from} to ${to} keeps tones of speech, their loudness and their length`, () => {
      for (const hertz of [100, 440, 1_000, 3_000, 3_400]) {
        const sound = Tones.samples({ hertz, millis: 500, sampleRate: from })
        const after = resampled(sound, from, to)
        assert.closeTo(after.length, to / 2, 1)
        assert.isAbove(Tones.share(middle(after, to), to, hertz), 0.999, `${hertz} Hz`)
        assert.closeTo(power(middle(after, to)) / power(middle(sound, from)), 1, 0.01, `${hertz} Hz`)
      }
    })

    it(`from ${from} to ${to} gives the same in pieces as at once, and begins with the sound`, () => {
      const sound = Tones.samples({ hertz: 700, millis: 200, sampleRate: from })
      const whole = resampled(sound, from, to, sound.length)
      for (const piece of [1, 7, 441]) assert.deepStrictEqual(resampled(sound, from, to, piece), whole)
      const expected = Tones.samples({ hertz: 700, millis: 200, sampleRate: to })
      const difference = whole.subarray(200, 1_000).map((sample, index) => sample - (expected[index + 200] ?? 0))
      assert.isBelow(power(difference), 0.01 * power(expected), "no delay")
    })
  }

  for (const hertz of [4_600, 5_000, 7_000]) {
    it(`removes ${hertz} Hz, which 8,000 samples cannot carry`, () => {
      const sound = Tones.samples({ hertz, millis: 500, sampleRate: 16_000 })
      assert.isBelow(power(middle(resampled(sound, 16_000, 8_000), 8_000)), power(sound) / 1_000)
    })
  }

  it("leaves sound of the same rate as it is, and is as new after its end", () => {
    const sound = Tones.samples({ hertz: 440, millis: 40, sampleRate: 8_000 })
    assert.deepStrictEqual(resampled(sound, 8_000, 8_000), sound)
    const resampler = Resampler.make(16_000, 8_000)
    const once = () => [...resampler.push(sound), ...resampler.end()]
    assert.deepStrictEqual(once(), once())
  })

  it("clips what becomes too loud", () => {
    const square = Int16Array.from({ length: 1_600 }, (_, index) => index % 16 < 8 ? 0x7fff : -0x8000)
    const after = resampled(square, 16_000, 8_000)
    assert.isAtMost(Math.max(...after), 0x7fff)
    assert.isAbove(power(after), 0x6000, "does not wrap around")
  })
})
