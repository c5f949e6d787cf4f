import { assert, it } from "@effect/vitest"
import { AudioFormat, Samples, Wav } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import { describe } from "vitest"

const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const codes = ["mulaw", "alaw"] as const

describe("G.711", () => {
  // ITU-T G.191, software tool library, g711.c: codes of some samples of 16 bits.
  for (
    const [sample, mulaw, alaw] of [
      [0, 0xff, 0xd5],
      [-1, 0x7f, 0x55],
      [8, 0xfe, 0xd5],
      [1_000, 0xce, 0xfa],
      [-1_000, 0x4e, 0x7a],
      [10_000, 0x9c, 0xb6],
      [32_767, 0x80, 0xaa],
      [-32_768, 0x00, 0x2a]
    ] as const
  ) {
    it(`codes ${sample}`, () => {
      const samples = Int16Array.of(sample)
      assert.deepStrictEqual(codes.map((code) => Samples.bytesOf(code, samples)[0]), [mulaw, alaw])
    })
  }

  for (const code of codes) {
    it(`${code} gives back each of its bytes`, () => {
      const again = Samples.bytesOf(code, Samples.samplesOf(code, bytes))
      // The negative zero of µ-law becomes zero.
      const expected = Array.from(bytes, (byte) => code === "mulaw" && byte === 0x7f ? 0xff : byte)
      assert.deepStrictEqual(Array.from(again), expected)
    })

    it(`${code} changes every sample by less than half a step of the code`, () => {
      const samples = Int16Array.from({ length: 0x10000 }, (_, index) => index - 0x8000)
      const after = Samples.samplesOf(code, Samples.bytesOf(code, samples))
      const wrong = samples.filter((sample, index) =>
        Math.abs(sample - (after[index] ?? 0)) > Math.max(16, (Math.abs(sample) + 132) / 32)
      )
      assert.lengthOf(wrong, 0, wrong.slice(0, 5).join(" "))
    })

    it(`the silence of ${code} is silent`, () => {
      const samples = Samples.samplesOf(code, AudioFormat.silence(code, 20))
      assert.lengthOf(samples, 160)
      assert.isTrue(samples.every((sample) => Math.abs(sample) <= 8))
    })
  }

  it("samples of 16 bits are little-endian, wherever they lie in memory", () => {
    const moved = new Uint8Array([9, 0x34, 0x12, 0xff, 0xff, 7]).subarray(1)
    assert.deepStrictEqual(Array.from(Samples.samplesOf("pcm16", moved)), [0x1234, -1])
    assert.deepStrictEqual(Array.from(Samples.bytesOf("pcm16", Int16Array.of(0x1234, -1))), [0x34, 0x12, 0xff, 0xff])
  })
})

describe("the header of a WAV file", () => {
  const header = Wav.header({ bytes: 1_000, channels: 2, sampleRate: 8_000 })

  it("is read as it was written, also before all of it has come", () => {
    const file = Buffer.concat([header, new Uint8Array(1_000)])
    assert.deepStrictEqual(Wav.read(file), {
      _tag: "Known",
      format: { encoding: "pcm16", channels: 2, sampleRate: 8_000 },
      dataAt: 44
    })
    for (let length = 0; length < 44; length++) {
      assert.deepStrictEqual(Wav.read(file.subarray(0, length)), { _tag: "Incomplete" })
    }
  })

  it("has the size that players expect", () => {
    const view = new DataView(header.buffer)
    assert.deepStrictEqual([view.getUint32(4, true), view.getUint32(28, true), view.getUint32(40, true)], [
      1_036,
      32_000,
      1_000
    ])
  })

  it("may have other chunks, an extended format, and no length, as programs write to a pipe", () => {
    const text = (value: string) => Buffer.from(value, "latin1")
    const numbers = (...values: ReadonlyArray<readonly [size: 2 | 4, value: number]>) =>
      Buffer.concat(values.map(([size, value]) => {
        const buffer = Buffer.alloc(size)
        buffer.writeUIntLE(value, 0, size)
        return buffer
      }))
    const file = Buffer.concat([
      text("RIFF"),
      numbers([4, 0xffff_ffff]),
      text("WAVELIST"),
      numbers([4, 3]),
      text("abc\0fmt "),
      numbers([4, 40], [2, 0xfffe], [2, 1], [4, 22_050], [4, 22_050], [2, 1], [2, 8], [2, 22], [2, 8], [4, 4], [2, 7]),
      Buffer.alloc(14),
      text("data"),
      numbers([4, 0x7fff_f000])
    ])
    assert.deepStrictEqual(Wav.read(file), {
      _tag: "Known",
      format: { encoding: "mulaw", channels: 1, sampleRate: 22_050 },
      dataAt: file.length
    })
  })

  it("is not that of other files", () => {
    for (const other of ["ID3\u0004 and the rest of it", "RIFF    AVI LIST    ", "RIFF    WAVEdata    "]) {
      assert.strictEqual(Wav.read(Buffer.from(other, "latin1"))._tag, "Unknown")
    }
  })
})

describe("samples of 16 bits", () => {
  it("are read from any place in memory, and written there as they were", () => {
    const memory = Uint8Array.of(9, 0x34, 0x12, 0xff, 0xff, 0x00, 0x80, 7)
    const bytes = memory.subarray(1)
    assert.deepStrictEqual(Array.from(Samples.fromLittleEndian(bytes)), [0x1234, -1, -0x8000])
    assert.deepStrictEqual(Array.from(Samples.fromLittleEndian(memory)), [0x3409, -0xee, 0xff, 0x780])
    const samples = Int16Array.of(0, 0x1234, -1, -0x8000).subarray(1)
    const written = Samples.toLittleEndian(samples)
    assert.deepStrictEqual(Array.from(written), Array.from(memory.subarray(1, 7)))
    samples.fill(0)
    assert.strictEqual(written[0], 0x34, "it does not share the memory of the samples")
  })
})

describe("a tone", () => {
  it("is found in sound, with its beginning and its end", () => {
    const sound = Int16Array.from([
      ...new Int16Array(800),
      ...Tones.samples({ hertz: 1_000, millis: 300, sampleRate: 8_000 }),
      ...new Int16Array(400)
    ])
    assert.deepStrictEqual(Tones.heard(sound, 8_000, 1_000), { from: 100, to: 400 })
    assert.isUndefined(Tones.heard(sound, 8_000, 1_500))
  })
})
