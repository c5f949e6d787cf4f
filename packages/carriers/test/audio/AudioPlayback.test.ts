import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { describe } from "vitest"
import * as AudioPlayback from "../../src/audio/AudioPlayback.ts"

const options = { format: "mulaw", needsSilence: false, clearing: "reports_left" } as const

/** So many milliseconds of a byte, by which they are known again. */
const sound = (millis: number, byte: number) => new Uint8Array(millis * 8).fill(byte)

const play = (millis: number, byte = 1): AudioPlayback.Input => ({ _tag: "Play", audio: sound(millis, byte) })
const mark = (name: string): AudioPlayback.Input => ({ _tag: "Mark", mark: name })
const marked = (number: number): AudioPlayback.Input => ({ _tag: "Marked", number })
const left = (frames: number): AudioPlayback.Input => ({ _tag: "Left", frames })
const time: AudioPlayback.Input = { _tag: "Time" }
const clear: AudioPlayback.Input = { _tag: "Clear" }
const held = (isHeld: boolean): AudioPlayback.Input => ({ _tag: "Held", isHeld })

/** What the steps do, as lines such as `0 audio 20`. */
const linesOf = (
  inputs: ReadonlyArray<readonly [number, AudioPlayback.Input]>,
  changed: Partial<AudioPlayback.PlaybackOptions> = {}
) => {
  let playback = AudioPlayback.make({ ...options, ...changed })
  return inputs.flatMap(([now, input]) => {
    const step = AudioPlayback.step(playback, input, now)
    playback = step.playback
    return [
      ...step.send.map((command) =>
        command._tag === "Audio"
          ? `${command.audio[0] === 0xff ? "silence" : "audio"} ${command.audio.length / 8}`
          : command._tag === "Mark"
          ? `mark ${command.number}`
          : command._tag.toLowerCase()
      ),
      ...step.marked.map((name) => `played ${name}`),
      ...step.cleared === undefined ? [] : [`cleared after ${step.cleared}`],
      ...step.isFull ? ["is full"] : []
    ].map((line) => `${now} ${line}`)
  })
}

describe("the playback", () => {
  it("gives the carrier what it has ahead, and asks where it is", () => {
    assert.deepStrictEqual(linesOf([[0, play(500)], [10, mark("end")], [30, marked(1)], [510, marked(2)]]), [
      "0 audio 20",
      "0 mark 1",
      "0 audio 400",
      "0 audio 80",
      "10 mark 2",
      "510 played end"
    ])
  })

  it("gives no more than two seconds ahead, and is full after three", () => {
    assert.deepStrictEqual(linesOf([[0, play(4_000)], [20, marked(1)], [440, time], [500, play(400)], [1_200, time]]), [
      "0 audio 20",
      "0 mark 1",
      "0 audio 400",
      "0 audio 400",
      "0 mark 2",
      "0 audio 400",
      "0 audio 400",
      "0 mark 3",
      "0 is full",
      "20 audio 400",
      "20 is full",
      "440 audio 400",
      "440 mark 4",
      "440 is full",
      "500 is full",
      "1200 audio 400",
      "1200 is full"
    ])
  })

  it("reports a mark at once when there is nothing to play, and completes a frame before it", () => {
    assert.deepStrictEqual(
      linesOf([[0, mark("nothing")], [0, { _tag: "Play", audio: new Uint8Array(200) }], [5, mark("frame")]]),
      ["0 played nothing", "0 audio 20", "0 mark 1", "5 audio 20", "5 mark 2"]
    )
  })

  const clears: ReadonlyArray<
    readonly [
      string,
      Partial<AudioPlayback.PlaybackOptions>,
      ReadonlyArray<readonly [number, AudioPlayback.Input]>,
      string
    ]
  > = [
    ["by what the carrier has left", {}, [[820, left(30)]], "820 cleared after 400"],
    ["by the time, when the carrier does not answer", {}, [[820, time], [1_300, time]], "1300 cleared after 800"],
    ["at most all of it", {}, [[820, left(0)]], "820 cleared after 1000"],
    ["at least what a mark has confirmed", {}, [[820, left(400)]], "820 cleared after 20"],
    [
      "by the time of the marks that come back too early",
      { clearing: "returns_marks" },
      [[880, marked(3)]],
      "880 cleared after 880"
    ],
    [
      "by the last mark, when it was played just before",
      { clearing: "returns_marks" },
      [[840, marked(2)], [1_020, marked(3)]],
      "1020 cleared after 1000"
    ]
  ]
  for (const [name, changed, inputs, expected] of clears) {
    it(`knows what was played when it is cleared: ${name}`, () => {
      const lines = linesOf([[0, play(1_000)], [0, mark("end")], [20, marked(1)], [800, clear], ...inputs], changed)
      assert.strictEqual(lines.at(-1), expected)
      assert.include(lines, "800 flush")
    })
  }

  it("is cleared at once when everything was played", () => {
    assert.deepStrictEqual(linesOf([[0, play(20)], [30, marked(1)], [500, clear], [510, clear]]).slice(2), [
      "500 cleared after 20",
      "510 cleared after 0"
    ])
  })

  it("waits with what comes after until it is known what was played", () => {
    assert.deepStrictEqual(
      linesOf([[0, play(1_000)], [100, clear], [101, play(20, 2)], [102, mark("next")], [105, left(45)]]).slice(6),
      ["100 askleft", "100 flush", "105 audio 20", "105 mark 3", "105 mark 4", "105 cleared after 100"]
    )
  })

  it("knows what was played by the time when the carrier is gone, also while it is cleared", () => {
    const gone: AudioPlayback.Input = { _tag: "Gone" }
    assert.strictEqual(linesOf([[0, play(1_000)], [20, marked(1)], [400, gone]]).at(-1), "400 cleared after 400")
    assert.strictEqual(
      linesOf([[0, play(1_000)], [20, marked(1)], [400, clear], [500, gone]]).at(-1),
      "500 cleared after 400"
    )
  })

  it("gives nothing to a carrier that takes nothing", () => {
    assert.deepStrictEqual(linesOf([[0, held(true)], [0, play(20)], [500, time], [600, held(false)]]), [
      "600 audio 20",
      "600 mark 1"
    ])
  })

  it("gives silence when the carrier has played everything, and drops it before the next words", () => {
    assert.deepStrictEqual(
      linesOf([[0, time], [300, play(20)], [320, time], [330, marked(1)], [500, time], [1_400, play(20)]], {
        needsSilence: true
      }),
      [
        "0 silence 400",
        "0 silence 400",
        "0 silence 400",
        "300 flush",
        "300 audio 20",
        "300 mark 1",
        "330 silence 400",
        "330 silence 400",
        "330 silence 400",
        "1400 flush",
        "1400 audio 20",
        "1400 mark 2"
      ]
    )
  })
})

const Happening = Schema.Struct({
  after: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 900 })),
  kind: Schema.Literals(["play", "play", "mark", "clear", "marked", "left", "time", "held", "released"]),
  size: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8_000 }))
})

describe("a playback with random inputs", () => {
  it.prop(
    "plays every byte at most once and in order, answers every clear, and always makes progress",
    [Schema.Array(Happening), Schema.Boolean, Schema.Boolean],
    ([happenings, needsSilence, returnsMarks]) => {
      let playback = AudioPlayback.make({
        format: "mulaw",
        needsSilence,
        clearing: returnsMarks ? "returns_marks" : "reports_left"
      })
      let [now, wakeAt, byte, sent, heard, sinceClear, asked, answered] = [0, 0, 0, 0, 0, 0, 0, 0]
      const inFlight: Array<number> = []
      const names: Array<string> = []
      const reported: Array<string> = []
      const take = (input: AudioPlayback.Input) => {
        const wasClearing = playback.clearingUntil !== undefined
        const step = AudioPlayback.step(playback, input, now)
        playback = step.playback
        wakeAt = step.wakeAt
        assert.isAbove(wakeAt, now)
        if (input._tag === "Clear" && !wasClearing) asked += 1
        for (const command of step.send) {
          if (command._tag === "Mark") inFlight.push(command.number)
          if (command._tag !== "Audio") continue
          assert.strictEqual(command.audio.length % 160, 0)
          assert.isAtMost(command.audio.length, 3_200)
          if (command.audio.some((one) => one !== 0xff)) sent += command.audio.length
        }
        const played = step.heard.reduce((sum, { audio }) => sum + audio.length, 0)
        heard += played
        sinceClear += played
        if (step.cleared !== undefined) {
          answered += 1
          assert.strictEqual(step.cleared, sinceClear / 8)
          sinceClear = 0
        }
        assert.isAtMost(heard, sent)
        reported.push(...step.marked)
      }
      for (const { after, kind, size } of happenings) {
        const until = now + after
        while (wakeAt <= until) {
          now = wakeAt
          take(time)
        }
        now = until
        if (kind === "play") {
          byte = byte % 200 + 1
          take({ _tag: "Play", audio: new Uint8Array(size).fill(byte) })
        }
        if (kind === "mark") {
          names.push(`${names.length}`)
          take(mark(`${names.length - 1}`))
        }
        if (kind === "clear") take(clear)
        if (kind === "marked") take(marked(inFlight[size % Math.max(1, inFlight.length)] ?? 7))
        if (kind === "left") take(left(size % 150))
        if (kind === "time") take(time)
        if (kind === "held") take(held(true))
        if (kind === "released") take(held(false))
      }
      take(held(false))
      for (let turns = 0; wakeAt < Infinity && turns < 200; turns++) {
        now = wakeAt
        take(time)
      }
      assert.strictEqual(answered, asked)
      assert.deepStrictEqual(reported, [...new Set(reported)], "each mark at most once")
      assert.deepStrictEqual(reported, reported.toSorted((a, b) => Number(a) - Number(b)), "in order")
      if (!needsSilence) assert.strictEqual(wakeAt, Infinity, "nothing is left to do")
      assert.lengthOf(playback.waiting, 0)
    },
    { arbitrary: { runs: 40 } }
  )
})
