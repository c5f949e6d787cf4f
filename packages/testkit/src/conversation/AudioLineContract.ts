/**
 * The contract of `AudioLine`: it plays what it is given in real time, knows what was played to within 20 ms, falls silent at once, and hears
 * the contact without gaps. Runs on a test clock, with tones.
 */
import { assert, it } from "@effect/vitest"
import { AudioFormat, type AudioLine, Samples } from "@outdial/core"
import { Effect, Fiber, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import * as Tones from "../voice/Tones.ts"

/** A line to a contact who says nothing. */
export interface OpenAudioLine {
  readonly line: AudioLine.AudioLine
  /** What the contact has heard since the line was opened, with silence where there was nothing. */
  readonly heard: () => Uint8Array
  /** The contact speaks; takes as long as it lasts. */
  readonly says: (audio: Uint8Array) => Effect.Effect<void>
  readonly presses: (digit: string) => Effect.Effect<void>
  /** The contact hangs up. */
  readonly hangsUp: Effect.Effect<void>
}

type Case = <E>(open: Effect.Effect<OpenAudioLine, E, Scope.Scope>) => Effect.Effect<void, E, Scope.Scope>

/** Moves the clock frame by frame, so that what each frame causes happens before the next. */
const pass = (millis: number) =>
  Effect.replicateEffect(TestClock.adjust(AudioFormat.frameMillis), millis / AudioFormat.frameMillis, { discard: true })

/** The line, and what it has reported so far. */
const observed = Effect.fnUntraced(function*<E, R>(open: Effect.Effect<OpenAudioLine, E, R>) {
  const opened = yield* open
  const { format } = opened.line
  const reported: Array<Exclude<AudioLine.AudioEvent, { readonly _tag: "Audio" }>> = []
  const audio: Array<number> = []
  let isClosed = false
  yield* opened.line.events.pipe(
    Stream.runForEach((event) =>
      Effect.sync(() => event._tag === "Audio" ? audio.push(...event.audio) : reported.push(event))
    ),
    Effect.andThen(Effect.sync(() => {
      isClosed = true
    })),
    Effect.forkScoped
  )
  yield* TestClock.adjust(0)
  const toneIn = (bytes: Uint8Array, hertz: number) =>
    Tones.heard(Samples.samplesOf(format, bytes), AudioFormat.sampleRate(format), hertz)
  return {
    ...opened,
    reported,
    isClosed: () => isClosed,
    tone: (hertz: number, millis: number) => Tones.tone({ format, hertz, millis }),
    /** When the contact has heard a tone, since the line was opened. */
    heardTone: (hertz: number) => toneIn(opened.heard(), hertz) ?? assert.fail(`The contact has not heard ${hertz} Hz`),
    /** When the contact has said one, by what the line reports. */
    reportedTone: (hertz: number) =>
      toneIn(Uint8Array.from(audio), hertz) ?? assert.fail(`${hertz} Hz is not reported`),
    reportedMillis: () => AudioFormat.millisOf(format, audio.length)
  }
})

/** One frame: the carrier plays whole ones, by its own clock. */
const tolerance = AudioFormat.frameMillis

const near = (actual: number, expected: number, what: string) => assert.closeTo(actual, expected, tolerance, what)

const closes = (close: (opened: OpenAudioLine) => Effect.Effect<void>): Case =>
  Effect.fnUntraced(function*(open) {
    const opened = yield* observed(open)
    const { isClosed, line, tone } = opened
    const playing = yield* Effect.forkChild(line.play(tone(440, 10_000)))
    yield* pass(200)
    assert.isFalse(isClosed())
    yield* close(opened)
    yield* pass(1_000)
    assert.isTrue(isClosed())
    // Calls of an agent that learns of it late.
    yield* Fiber.join(playing)
    yield* line.play(tone(440, 10_000))
    yield* line.mark("late")
    yield* line.clear
    yield* line.hangUp
    yield* line.release
  })

/** Tests by the behaviour that they check. */
const cases: Readonly<Record<string, Case>> = {
  "plays what it is given, in order, in real time, to its end": Effect.fnUntraced(function*(open) {
    const { heardTone, line, tone } = yield* observed(open)
    yield* pass(400)
    for (const hertz of [440, 880]) {
      const sound = tone(hertz, 500)
      // Pieces that are no whole frames.
      for (let at = 0; at < sound.length; at += 123) yield* line.play(sound.subarray(at, at + 123))
    }
    yield* pass(1_200)
    const [first, second] = [heardTone(440), heardTone(880)]
    near(first.from, 400, "it begins at once")
    near(first.to - first.from, 500, "it has its length")
    near(second.from, first.to, "the next follows")
    near(second.to - second.from, 500, "it is complete")
  }),

  "reports each mark when what was given before was played": Effect.fnUntraced(function*(open) {
    const { line, reported, tone } = yield* observed(open)
    yield* line.play(tone(440, 500))
    yield* line.mark("a")
    yield* line.play(tone(440, 700))
    yield* line.mark("b".repeat(500))
    yield* pass(440)
    assert.deepStrictEqual(reported, [])
    yield* pass(160)
    assert.deepStrictEqual(reported, [{ _tag: "Marked", mark: "a" }])
    yield* pass(540)
    assert.lengthOf(reported, 1)
    yield* pass(160)
    assert.deepStrictEqual(reported.slice(1), [{ _tag: "Marked", mark: "b".repeat(500) }])
    yield* line.mark("at once")
    yield* pass(200)
    assert.deepStrictEqual(reported.slice(2), [{ _tag: "Marked", mark: "at once" }])
  }),

  "falls silent at once when it is cleared, knows what was played, and drops the marks": Effect.fnUntraced(
    function*(open) {
      const { heardTone, line, reported, tone } = yield* observed(open)
      yield* line.play(tone(880, 300))
      yield* line.mark("played")
      const playing = yield* Effect.forkChild(line.play(tone(440, 10_000)))
      yield* Effect.forkChild(line.mark("dropped"))
      yield* pass(1_500)
      const clearing = yield* Effect.forkChild(line.clear, { startImmediately: true })
      yield* pass(1_000)
      const played = yield* Fiber.join(clearing)
      yield* Fiber.join(playing)
      const { from, to } = heardTone(440)
      near(played, 300 + to - from, "what was played is known")
      assert.isAtMost(to, 1_500 + 150, "it is silent within 150 ms")
      yield* pass(2_000)
      assert.strictEqual(heardTone(440).to, to, "nothing follows")
      assert.deepStrictEqual(reported, [{ _tag: "Marked", mark: "played" }])
    }
  ),

  "speaks again at once after it was cleared, and counts afresh": Effect.fnUntraced(function*(open) {
    const { heardTone, line, reported, tone } = yield* observed(open)
    yield* line.play(tone(440, 2_000))
    yield* pass(500)
    const clearing = yield* Effect.forkChild(line.clear, { startImmediately: true })
    yield* line.play(tone(880, 300))
    yield* line.mark("again")
    yield* pass(600)
    near(yield* Fiber.join(clearing), heardTone(440).to - heardTone(440).from, "before")
    near(heardTone(880).to - heardTone(880).from, 300, "after")
    assert.isAtMost(heardTone(880).from, 500 + 150)
    assert.deepStrictEqual(reported, [{ _tag: "Marked", mark: "again" }])
    assert.strictEqual(yield* line.clear, 300)
    assert.strictEqual(yield* line.clear, 0)
  }),

  "has no more than a few seconds to play": Effect.fnUntraced(function*(open) {
    const { heardTone, line, tone } = yield* observed(open)
    yield* line.play(tone(440, 2_000))
    const playing = yield* Effect.forkChild(line.play(tone(440, 8_000)))
    yield* pass(6_000)
    assert.isUndefined(playing.pollUnsafe())
    yield* pass(2_000)
    yield* Fiber.join(playing)
    yield* pass(2_400)
    const { from, to } = heardTone(440)
    near(to - from, 10_000, "all of it is heard")
  }),

  "hears the contact in real time, with silence where nothing is sent": Effect.fnUntraced(function*(open) {
    const { reportedMillis, reportedTone, says, tone } = yield* observed(open)
    yield* pass(200)
    for (const hertz of [440, 880]) {
      const speaking = yield* Effect.forkChild(says(tone(hertz, 600)))
      yield* pass(600)
      yield* Fiber.join(speaking)
      yield* pass(1_000)
    }
    const [first, second] = [reportedTone(440), reportedTone(880)]
    near(first.to - first.from, 600, "the first")
    near(second.to - second.from, 600, "the second")
    assert.closeTo(second.from - first.from, 1_600, 150)
    assert.closeTo(reportedMillis(), 3_400, 300)
  }),

  "reports digits": Effect.fnUntraced(function*(open) {
    const { presses, reported } = yield* observed(open)
    for (const digit of "5#") yield* presses(digit)
    yield* pass(200)
    assert.deepStrictEqual(reported, [{ _tag: "Digits", digits: "5" }, { _tag: "Digits", digits: "#" }])
  }),

  "is closed when the contact hangs up": closes(({ hangsUp }) => hangsUp),

  "is closed when it is told to hang up": closes(({ line }) => line.hangUp),

  "is closed when it is released": closes(({ line }) => line.release)
}

/** Runs the contract against lines that are opened for each test. */
export const contract = <E>(name: string, open: Effect.Effect<OpenAudioLine, E, Scope.Scope>): void => {
  describe(`Audio line contract: ${name}`, () => {
    for (const [promise, test] of Object.entries(cases)) it.effect(promise, () => test(open))
  })
}
