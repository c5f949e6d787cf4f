/**
 * The contract of `TextLine`: what it is given is reported once and in order, it falls silent when it is told to, and it is closed by either
 * side. Runs on a test clock. It cannot check what the contact really hears.
 */
import { assert, it } from "@effect/vitest"
import { type Conversation, type Conversations, PhoneNumber } from "@outdial/core"
import { Effect, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"

/** A line to a contact who says nothing. */
export interface OpenLine {
  readonly line: Conversations.TextLine
  /** The contact hangs up. */
  readonly hangsUp: Effect.Effect<void>
}

const [hello, question, goodbye] = [
  "Good morning, this is Ada from the Riverside Clinic. I am calling about your visit on Tuesday.",
  "Does ten o'clock still suit you?",
  "Thank you. Goodbye."
]

const elsewhere = PhoneNumber.PhoneNumber.make("+14155550190")

/** The line, what it has reported so far, and whether it is closed. */
const observed = Effect.fnUntraced(function*<E, R>(open: Effect.Effect<OpenLine, E, R>) {
  const { hangsUp, line } = yield* open
  const reported: Array<Conversation.LineEvent> = []
  let isClosed = false
  yield* line.events.pipe(
    Stream.runForEach((event) => Effect.sync(() => void reported.push(event))),
    Effect.andThen(Effect.sync(() => {
      isClosed = true
    })),
    Effect.forkScoped
  )
  yield* pass(0)
  const speak = (id: number, text: string) => line.speak({ id, text, interruptible: true })
  return { hangsUp, isClosed: () => isClosed || reported.some(({ _tag }) => _tag === "Closed"), line, reported, speak }
})

/** Moves the clock in steps, so that what each step causes happens before the next. */
const pass = (seconds: number) => Effect.replicateEffect(TestClock.adjust("100 millis"), seconds * 10 + 1)

type Case = <E>(open: Effect.Effect<OpenLine, E, Scope.Scope>) => Effect.Effect<void, E, Scope.Scope>

const closes = (close: (opened: OpenLine) => Effect.Effect<void>): Case =>
  Effect.fnUntraced(function*(open) {
    const { hangsUp, isClosed, line, speak } = yield* observed(open)
    yield* speak(1, hello)
    yield* pass(1)
    assert.isFalse(isClosed())
    yield* close({ line, hangsUp })
    yield* pass(1)
    assert.isTrue(isClosed())
    // Calls of a conversation that learns of it late.
    yield* speak(2, goodbye)
    yield* line.stopSpeaking
    yield* line.hangUp
    yield* line.release
  })

/** Tests by the behaviour that they check. */
const cases: Readonly<Record<string, Case>> = {
  "reports each utterance as heard, in order and once": Effect.fnUntraced(function*(open) {
    const { reported, speak } = yield* observed(open)
    yield* speak(1, hello)
    yield* speak(2, question)
    yield* pass(0)
    assert.deepStrictEqual(reported, [], "nothing is heard at once")
    yield* pass(30)
    assert.deepStrictEqual(reported, [{ _tag: "Played", utterance: 1 }, { _tag: "Played", utterance: 2 }])
    yield* speak(3, goodbye)
    yield* pass(30)
    assert.deepStrictEqual(reported.slice(2), [{ _tag: "Played", utterance: 3 }])
  }),

  "falls silent when it is told to, says within a second what was heard, and drops what was to follow": Effect
    .fnUntraced(
      function*(open) {
        const { line, reported, speak } = yield* observed(open)
        yield* speak(1, hello)
        yield* speak(2, question)
        yield* pass(3)
        yield* line.stopSpeaking
        yield* pass(1)
        assert.lengthOf(reported, 1)
        const [stopped] = reported
        if (stopped?._tag !== "Stopped") return assert.fail(JSON.stringify(reported))
        assert.strictEqual(stopped.utterance, 1)
        assert.isTrue(hello.startsWith(stopped.heard), stopped.heard)
        assert.notStrictEqual(stopped.heard, "")
        assert.notStrictEqual(stopped.heard, hello)
        yield* pass(30)
        assert.lengthOf(reported, 1)
      }
    ),

  "speaks again after it was told to stop": Effect.fnUntraced(function*(open) {
    const { line, reported, speak } = yield* observed(open)
    yield* speak(1, hello)
    yield* pass(3)
    yield* line.stopSpeaking
    yield* speak(2, goodbye)
    yield* pass(30)
    assert.deepStrictEqual(reported.map(({ _tag }) => _tag), ["Stopped", "Played"])
    assert.deepInclude(reported[1], { utterance: 2 })
  }),

  "reports nothing when it is told to stop and says nothing": Effect.fnUntraced(function*(open) {
    const { line, reported, speak } = yield* observed(open)
    yield* line.stopSpeaking
    yield* pass(5)
    yield* speak(1, goodbye)
    yield* pass(30)
    yield* line.stopSpeaking
    yield* pass(5)
    assert.deepStrictEqual(reported, [{ _tag: "Played", utterance: 1 }])
  }),

  "reports nothing more after a transfer, and may be released at once": Effect.fnUntraced(function*(open) {
    const { line, reported, speak } = yield* observed(open)
    // Lines need not be able to.
    if (line.transfer === undefined) return
    yield* speak(1, goodbye)
    yield* pass(30)
    assert.isTrue(yield* line.transfer(elsewhere))
    yield* line.release
    yield* pass(5)
    assert.deepStrictEqual(reported.filter(({ _tag }) => _tag !== "Closed"), [{ _tag: "Played", utterance: 1 }])
    // Calls of a conversation that learns of it late.
    yield* line.stopSpeaking
    yield* line.hangUp
  }),

  "is closed when the contact hangs up": closes(({ hangsUp }) => hangsUp),

  "is closed when it is told to hang up": closes(({ line }) => line.hangUp),

  "is closed when it is released": closes(({ line }) => line.release)
}

/** Runs the contract against lines that are opened anew for each test. */
export const contract = <E>(name: string, open: Effect.Effect<OpenLine, E, Scope.Scope>): void => {
  describe(`Text line contract: ${name}`, () => {
    for (const [promise, test] of Object.entries(cases)) it.effect(promise, () => test(open))
  })
}
