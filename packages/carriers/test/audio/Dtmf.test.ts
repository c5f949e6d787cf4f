import { assert, describe, it } from "@effect/vitest"
import { Samples } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import * as Dtmf from "../../src/audio/Dtmf.ts"

/** Of ITU-T Q.23. */
const pairs = [["1", 697, 1_209], ["5", 770, 1_336], ["9", 852, 1_477], ["#", 941, 1_477], ["D", 941, 1_633]] as const

describe("the tones of keys", () => {
  for (const [key, low, high] of pairs) {
    it(`has the two of ${key}, equally loud, for 100 ms, and a pause`, () => {
      for (const [format, rate] of [["mulaw", 8_000], ["pcm16", 16_000]] as const) {
        const sound = Samples.samplesOf(format, Dtmf.tones(format, key))
        assert.lengthOf(sound, rate / 5)
        for (const hertz of [low, high]) {
          assert.closeTo(Tones.share(sound.subarray(0, rate / 10), rate, hertz), 0.5, 0.06, `${hertz} Hz`)
        }
        assert.isTrue(sound.subarray(rate / 10).every((sample) => sample === 0))
      }
    })
  }

  it("follow each other, with half a second for each w", () => {
    assert.lengthOf(Dtmf.tones("mulaw", "12w3"), 8 * (200 + 200 + 500 + 200))
    assert.lengthOf(Dtmf.tones("mulaw", "?"), 0)
  })
})
