/** Whole calls with a voice that fails in ways that services do. */
import { assert, describe, it } from "@effect/vitest"
import { AudioFormat, Phrases, SpeechToText, SpokenAgent, TextToSpeech } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as AudioCall from "../../packages/testkit/src/test-engine/AudioCall.ts"

const agent = { script: "Hello, this is Ada.", questions: [], variables: [], disclosure: "I am a machine." }

const { fallback } = Phrases.phrasesOf("en")

const deaf = Layer.succeed(SpeechToText.SpeechToText, {
  open: () => Effect.succeed({ hear: () => Effect.void, events: Stream.never })
})

/** 60 ms for each character. */
const sound = (text: string) => AudioFormat.silence("mulaw", 60 * text.length).fill(7)

/** What became of a call whose voice speaks so. */
const calledWith = (speak: TextToSpeech.Voice["speak"]) =>
  Effect.gen(function*() {
    const call = yield* AudioCall.answered()
    let seconds = 0
    for (; seconds < 120 && call.held.pollUnsafe() === undefined; seconds++) {
      yield* TestClock.adjust("1 second")
      yield* Effect.replicateEffect(Effect.yieldNow, 50)
    }
    assert.strictEqual(call.held.pollUnsafe() === undefined ? "talking" : yield* Fiber.join(call.held), "over")
    const { lines } = yield* call.ended
    return { lines, heard: call.heard().length / 8, seconds }
  }).pipe(
    Effect.provide(TestEngine.layer({
      telephony: AudioCall.carrier,
      agent,
      voiceAgent: SpokenAgent.layer.pipe(
        Layer.provide([
          deaf,
          Layer.succeed(TextToSpeech.TextToSpeech, { open: () => Effect.succeed({ speak }) })
        ])
      )
    }))
  )

describe("a call with a voice", () => {
  it.effect("that never speaks has nothing on record, not even the disclosure", () =>
    Effect.gen(function*() {
      const { heard, lines } = yield* calledWith(() => Stream.never)
      assert.deepStrictEqual({ heard, lines }, { lines: [], heard: 0 })
    }))

  it.effect("that speaks late has its words on record once they were heard", () =>
    Effect.gen(function*() {
      const { lines } = yield* calledWith((text) =>
        Stream.concat(Stream.fromEffectDrain(Effect.sleep("4900 millis")), Stream.make(sound(text)))
      )
      assert.deepStrictEqual(lines.slice(0, 2), [`agent: ${agent.disclosure}`, `agent: ${agent.script}`])
    }))

  it.effect("that has a defect once says the fallback phrase, and no words that were not heard are on record", () =>
    Effect.gen(function*() {
      let asked = 0
      const { heard, lines, seconds } = yield* calledWith((text) =>
        (asked += 1) === 1 ? Stream.die(new Error("a bug")) : Stream.make(sound(text))
      )
      assert.deepStrictEqual(lines, [`agent: ${fallback}`])
      assert.strictEqual(heard, 60 * fallback.length)
      assert.isAtMost(seconds, 10, "not only once the line's report is overdue")
    }))

  it.effect("that never ends is cut, and fails", () =>
    Effect.gen(function*() {
      const { heard } = yield* calledWith(() =>
        Stream.fromEffectRepeat(Effect.delay(Effect.succeed(sound("a")), "120 millis"))
      )
      assert.isAtMost(
        heard,
        TextToSpeech.mostSpeech(agent.disclosure) + TextToSpeech.mostSpeech(fallback)
      )
    }))

  it.effect("that speaks a crumb at a time fails", () =>
    Effect.gen(function*() {
      const crumb = new Uint8Array(8).fill(7)
      const { heard } = yield* calledWith(() =>
        Stream.fromEffectRepeat(Effect.delay(Effect.succeed(crumb), "4 seconds"))
      )
      assert.isAtMost(heard, 40)
    }))
})
