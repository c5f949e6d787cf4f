import { assert, it } from "@effect/vitest"
import type { Conversation } from "@outdial/core"
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import { type Contact, following, type Moment, type Script } from "../../src/simulator/SimulatedContact.ts"
import * as SimulatedLine from "../../src/simulator/SimulatedLine.ts"

/** A line, and what it has reported, with the seconds at which it did. */
const opened = Effect.fnUntraced(function*(contact: Contact) {
  const { line } = yield* SimulatedLine.make({ contact, speed: 1 })
  const reported: Array<readonly [number, Conversation.LineEvent]> = []
  yield* Effect.forkScoped(
    Stream.runForEach(line.events, (event) =>
      Effect.flatMap(
        TestClock.testClockWith((clock) => clock.currentTimeMillis),
        (now) => Effect.sync(() => reported.push([Math.round(now / 100) / 10, event]))
      ))
  )
  yield* TestClock.adjust(0)
  return { line, reported }
})

const utterance = (id: number, text: string) => ({ id, text, interruptible: true })

const script: Script = [
  { _tag: "Interrupts", afterWords: 2, text: "Wait, who is this, please?" },
  { _tag: "Says", text: "I see." }
]

describe("a simulated line", () => {
  it.effect("lets the contact speak when the agent has finished, and tells it what it has heard", () =>
    Effect.gen(function*() {
      const moments: Array<Moment> = []
      const { line, reported } = yield* opened((moment) => {
        if (!moment.isSpeaking) moments.push(moment)
        return Effect.succeed({ _tag: "Says", text: `Reply ${moment.moves}` })
      })
      yield* line.speak(utterance(1, "Hello Grace."))
      yield* line.speak(utterance(2, "Does Tuesday suit you?"))
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(moments, [{ moves: 0, words: "Hello Grace. Does Tuesday suit you?", isSpeaking: false }])
      assert.deepStrictEqual(reported, [
        [0.8, { _tag: "Played", utterance: 1 }],
        [2.2, { _tag: "Played", utterance: 2 }],
        [3.3, { _tag: "Heard", text: "Reply", isFinal: false }],
        [3.4, { _tag: "Heard", text: "Reply 0", isFinal: true }]
      ])
    }))

  it.effect("says one thing at a time: after an interruption the contact waits for the agent to go on", () =>
    Effect.gen(function*() {
      const { line, reported } = yield* opened(following(script))
      yield* line.speak(utterance(1, "Hello Grace, this is Ada from the clinic."))
      yield* TestClock.adjust("1 second")
      yield* line.stopSpeaking
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(reported, [
        [0.8, { _tag: "Heard", text: "Wait, who is this, please?", isFinal: false }],
        [1, { _tag: "Stopped", utterance: 1, heard: "Hello Grace," }],
        [2.5, { _tag: "Heard", text: "Wait, who is this, please?", isFinal: true }]
      ])
    }))

  it.effect("lets the contact go on when the agent was not stopped and has nothing to answer", () =>
    Effect.gen(function*() {
      const { line, reported } = yield* opened(following(script))
      yield* line.speak(utterance(1, "Hello Grace, this is Ada."))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(reported, [
        [0.8, { _tag: "Heard", text: "Wait, who is this, please?", isFinal: false }],
        [1.7, { _tag: "Played", utterance: 1 }],
        [2.5, { _tag: "Heard", text: "Wait, who is this, please?", isFinal: true }],
        [3.3, { _tag: "Heard", text: "I", isFinal: false }],
        [3.6, { _tag: "Heard", text: "I see.", isFinal: true }]
      ])
    }))
})
