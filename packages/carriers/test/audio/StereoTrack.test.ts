import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { describe } from "vitest"
import * as StereoTrack from "../../src/audio/StereoTrack.ts"

const sampleRate = 8_000

const loud = (millis: number, sample = 1_000) => new Int16Array(millis * 8).fill(sample)

/** Both channels of all that was taken. */
const channelsOf = (pieces: Iterable<Int16Array>) => {
  const both = { contact: [] as Array<number>, agent: [] as Array<number> }
  for (const piece of pieces) {
    for (const [at, sample] of piece.entries()) (at % 2 === 0 ? both.contact : both.agent).push(sample)
  }
  return both
}

/** From when to when there is sound, in milliseconds. */
const loudIn = (samples: ReadonlyArray<number>) => {
  const first = samples.findIndex((sample) => sample !== 0)
  return first < 0 ? undefined : [first / 8, (samples.findLastIndex((sample) => sample !== 0) + 1) / 8]
}

describe("the two sides of a call", () => {
  it("are at their times, with silence between, on a side each", () => {
    const track = StereoTrack.make({ startedAt: 500, sampleRate })
    track.write("agent", 700, loud(20))
    track.write("contact", 1_500, loud(20))
    assert.strictEqual(track.end(), 1_520)
    const { agent, contact } = channelsOf(track.take(2_500))
    assert.deepStrictEqual([loudIn(agent), loudIn(contact)], [[200, 220], [1_000, 1_020]])
    assert.strictEqual(agent.length, 16_000)
  })

  it("follow what was taken when they come too late", () => {
    const track = StereoTrack.make({ startedAt: 0, sampleRate })
    assert.deepStrictEqual(channelsOf(track.take(1_000)).agent.length, 8_000)
    track.write("agent", 500, loud(20))
    assert.deepStrictEqual(loudIn(channelsOf(track.take(2_000)).agent), [0, 20])
  })

  it("lose silence, and no words, while they are ahead of their time", () => {
    const track = StereoTrack.make({ startedAt: 0, sampleRate })
    // It is 100 ms late, and then in time again.
    track.write("contact", 100, loud(100))
    for (const [at, sample] of [[120, 100], [140, 1_000], [160, 100]] as const) {
      track.write("contact", at, loud(20, sample))
    }
    assert.strictEqual(track.end(), 220)
  })
})

const Written = Schema.Struct({
  side: Schema.Literals(["agent", "contact"]),
  pause: Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 2_000 })),
  millis: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3_000 })),
  takes: Schema.Boolean
})

describe("a track with random sound", () => {
  it.prop(
    "gives each sample once, in its place, however much waits",
    [Schema.Array(Written)],
    ([written]) => {
      const track = StereoTrack.make({ startedAt: 0, sampleRate })
      const expected = { agent: new Map<number, number>(), contact: new Map<number, number>() }
      const taken = { agent: [] as Array<number>, contact: [] as Array<number> }
      const take = (until: number) => {
        const { agent, contact } = channelsOf(track.take(until))
        for (const sample of agent) taken.agent.push(sample)
        for (const sample of contact) taken.contact.push(sample)
      }
      let at = 0
      for (const [index, { millis, pause, side, takes }] of written.entries()) {
        at += pause
        track.write(side, at, loud(millis, index + 300))
        for (let sample = at * 8; sample < (at + millis) * 8; sample++) expected[side].set(sample, index + 300)
        if (takes) take(at)
        at += millis
      }
      take(at)
      for (const side of ["agent", "contact"] as const) {
        assert.strictEqual(taken[side].length, at * 8)
        assert.strictEqual(taken[side].findIndex((sample, index) => sample !== (expected[side].get(index) ?? 0)), -1)
      }
    },
    { arbitrary: { runs: 10 } }
  )
})
