import { assert, describe, it } from "@effect/vitest"
import { AudioFormat, Samples } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import * as RealtimeAudio from "../../src/realtime/RealtimeAudio.ts"

describe("the sound of a realtime session", () => {
  it("takes the codes of telephony as they are", () => {
    for (const format of ["mulaw", "alaw"] as const) {
      const frame = Tones.tone({ format, hertz: 440, millis: 20 })
      assert.deepStrictEqual(RealtimeAudio.toService(format)(frame), frame)
      const sound = RealtimeAudio.sound(format)
      sound.push(frame)
      sound.end()
      assert.deepStrictEqual([sound.millis(), sound.read(0, 20), sound.read(15, 40)], [20, frame, frame.slice(15 * 8)])
    }
  })

  it("converts samples of 16 kHz to 24 kHz and back, frame by frame", () => {
    const tone = Tones.tone({ format: "pcm16", hertz: 440, millis: 1_000 })
    const toService = RealtimeAudio.toService("pcm16")
    const length = AudioFormat.frameBytes("pcm16")
    const sent: Array<number> = []
    for (let at = 0; at < tone.length; at += length) sent.push(...toService(tone.subarray(at, at + length)))
    const served = Uint8Array.from(sent)
    const heard = Tones.heard(Samples.fromLittleEndian(served), 24_000, 440) ?? assert.fail("no tone")
    assert.isAtLeast(heard.to - heard.from, 960)

    const sound = RealtimeAudio.sound("pcm16")
    // Pieces that end within a sample.
    for (let at = 0; at < served.length; at += 1_233) sound.push(served.subarray(at, at + 1_233))
    sound.end()
    assert.closeTo(sound.millis(), served.length / 48, 1)
    const back = Samples.fromLittleEndian(sound.read(0, sound.millis()))
    assert.isAbove(Tones.share(back.subarray(3_200, 12_800), 16_000, 440), 0.99)
  })
})
