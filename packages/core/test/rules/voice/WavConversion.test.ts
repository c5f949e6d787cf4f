import { assert, it } from "@effect/vitest"
import { AudioFormat } from "@outdial/core"
import { describe } from "vitest"
import * as Wav from "../../../src/rules/voice/Wav.ts"
import * as WavConversion from "../../../src/rules/voice/WavConversion.ts"

const file = (sampleRate: number, millis: number) => {
  const bytes = (sampleRate * millis) / 500
  return Buffer.concat([Wav.header({ bytes, channels: 1, sampleRate }), new Uint8Array(bytes)])
}

describe("the conversion of a WAV file", () => {
  for (const rate of [8_000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000, 192_000]) {
    it(`takes ${rate} samples a second`, () => {
      for (const format of ["mulaw", "pcm16"] as const) {
        const conversion = WavConversion.make(format)
        const sound = conversion.push(file(rate, 400))
        assert.closeTo(AudioFormat.millisOf(format, sound.length + conversion.end().length), 400, 1)
      }
    })
  }

  for (const rate of [1, 44_101, 191_999, 4_000_001, 0xffff_ffff]) {
    it(`does not take ${rate} samples a second, at once`, () => {
      assert.strictEqual(
        WavConversion.make("mulaw").push(Wav.header({ bytes: 100, channels: 1, sampleRate: rate })),
        "unknown"
      )
    })
  }
})
