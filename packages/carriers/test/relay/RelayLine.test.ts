import { assert, describe, it } from "@effect/vitest"
import { type Conversation, PhoneNumber } from "@outdial/core"
import { type Cause, Effect, Logger, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { type RelayDialect, telnyx, twilio } from "../../src/relay/RelayFrames.ts"
import * as RelayLine from "../../src/relay/RelayLine.ts"

/** A line over a socket whose other end the test holds. */
const opened = Effect.fnUntraced(function*(
  dialect: RelayDialect = twilio,
  options: Pick<RelayLine.RelayLineOptions, "moves" | "transfers"> = { moves: { handoffData: "moved" } }
) {
  const frames = yield* Queue.unbounded<string, Cause.Done>()
  const sent: Array<unknown> = []
  const events: Array<Conversation.LineEvent | "closed"> = []
  const record = (what: unknown) => Effect.sync(() => void sent.push(what))
  const line = yield* RelayLine.make({
    dialect,
    frames: Stream.fromQueue(frames),
    send: (frame) => record(JSON.parse(frame)),
    close: record("closed"),
    hangUp: record("hung up"),
    ...options
  })
  yield* line.events.pipe(
    Stream.runForEach((event) => Effect.sync(() => void events.push(event))),
    Effect.andThen(Effect.sync(() => void events.push("closed"))),
    Effect.forkScoped
  )
  const settled = Effect.replicateEffect(TestClock.adjust(0), 3, { discard: true })
  yield* settled
  return {
    line,
    sent,
    events,
    receive: (frame: unknown) => Effect.andThen(Queue.offer(frames, JSON.stringify(frame)), settled),
    closeSocket: Effect.andThen(Queue.end(frames), settled),
    settled
  }
})

const utterance = (id: number, text: string, interruptible = true) => ({ id, text, interruptible })
const text = (token: string, interruptible = true) => ({
  type: "text",
  token,
  last: true,
  interruptible,
  preemptible: false
})

describe("a relay line", () => {
  it.effect("speaks, and reports what the contact has heard", () =>
    Effect.gen(function*() {
      const { events, line, receive, sent, settled } = yield* opened()
      yield* line.speak(utterance(1, "Hello Grace.", false))
      yield* line.speak(utterance(2, "Does Tuesday suit you?"))
      yield* settled
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(sent, [text("Hello Grace.", false), text("Does Tuesday suit you?")])
      yield* receive({ type: "info", name: "tokensPlayed", value: "Hello Grace." })
      yield* receive({ type: "interrupt", utteranceUntilInterrupt: "Does", durationUntilInterruptMs: "310" })
      assert.deepStrictEqual(events, [
        { _tag: "Played", utterance: 1 },
        { _tag: "Stopped", utterance: 2, heard: "Does" }
      ])
    }))

  it.effect("reports that speech was heard when its time is over, where the relay reports nothing", () =>
    Effect.gen(function*() {
      const { events, line, sent } = yield* opened(telnyx)
      yield* line.speak(utterance(1, "Hello Grace."))
      yield* TestClock.adjust("1500 millis")
      assert.deepStrictEqual(sent, [{ type: "text", token: "Hello Grace.", last: true }])
      assert.deepStrictEqual(events, [])
      yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual(events, [{ _tag: "Played", utterance: 1 }])
    }))

  it.effect("reports partial and final words and digits, and ignores what it does not understand", () =>
    Effect.gen(function*() {
      const { events, receive } = yield* opened()
      yield* receive({ type: "prompt", voicePrompt: "Yes", lang: "en-US", last: false })
      yield* receive({ type: "prompt", voicePrompt: "Yes, please.", lang: "en-US", last: true })
      yield* receive({ type: "prompt", voicePrompt: "Hello?" })
      yield* receive({ type: "dtmf", digit: "1" })
      yield* receive({ type: "new" })
      yield* receive({ type: "error", description: "64107" })
      yield* receive({ type: "setup", sessionId: "VX2", callSid: "CA2" })
      assert.deepStrictEqual(events, [
        { _tag: "Heard", text: "Yes", isFinal: false },
        { _tag: "Heard", text: "Yes, please.", isFinal: true },
        { _tag: "Heard", text: "Hello?", isFinal: true },
        { _tag: "Digits", digits: "1" }
      ])
    }))

  it.effect("logs that the relay refused a message, and not what the agent says in it", () => {
    const logs: Array<string> = []
    const logger = Logger.make(({ message }) => void logs.push(JSON.stringify(message)))
    return Effect.gen(function*() {
      const { receive } = yield* opened()
      yield* receive({ type: "error", description: "Invalid message received: {\"token\":\"Hello Grace.\"}" })
      assert.lengthOf(logs, 1)
      assert.include(logs[0], "Invalid message received")
      assert.notInclude(logs[0], "Grace")
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.effect("reports that the contact starts to speak, unless the agent speaks: then the relay decides what it is", () =>
    Effect.gen(function*() {
      const { events, line, receive } = yield* opened()
      yield* receive({ type: "info", name: "clientSpeaking", value: "on" })
      yield* receive({ type: "info", name: "clientSpeaking", value: "off" })
      yield* line.speak(utterance(1, "Hello Grace."))
      yield* TestClock.adjust(0)
      yield* receive({ type: "info", name: "clientSpeaking", value: "on" })
      assert.deepStrictEqual(events, [{ _tag: "SpeechStarted" }])
    }))

  it.effect("presses digits, ends the session before the call, and is then closed", () =>
    Effect.gen(function*() {
      const { events, line, sent, settled } = yield* opened()
      yield* line.press("1w#")
      yield* line.hangUp
      yield* settled
      assert.deepStrictEqual(sent, [{ type: "sendDigits", digits: "1w#" }, { type: "end" }, "hung up"])
      assert.deepStrictEqual(events, ["closed"])
    }))

  it.effect("moves by ending the session with a word for what follows", () =>
    Effect.gen(function*() {
      const { line, sent } = yield* opened()
      assert.isTrue(yield* line.move ?? Effect.succeed(false))
      yield* line.release
      assert.deepStrictEqual(sent, [{ type: "end", handoffData: "moved" }, "closed"])
    }))

  it.effect("moves by closing the socket, where the carrier hands on no word", () =>
    Effect.gen(function*() {
      const { events, line, sent, settled } = yield* opened(telnyx, { moves: "by_closing" })
      assert.isTrue(yield* line.move ?? Effect.succeed(false))
      yield* settled
      assert.deepStrictEqual([sent, events], [["closed"], ["closed"]])
    }))

  it.effect("is transferred by a word for what follows, or by a command, and goes on if that is refused", () =>
    Effect.gen(function*() {
      const reception = PhoneNumber.PhoneNumber.make("+14155550190")
      const transferred = Effect.fnUntraced(function*(
        dialect: RelayDialect,
        transfers: NonNullable<RelayLine.RelayLineOptions["transfers"]>
      ) {
        const { line, sent, settled } = yield* opened(dialect, { transfers })
        const isTransferred = yield* line.transfer?.(reception) ?? Effect.succeed(undefined)
        yield* line.speak(utterance(1, "Are you there?"))
        yield* settled
        return { isTransferred, sent }
      })
      const spoken = { type: "text", token: "Are you there?", last: true }
      assert.deepStrictEqual(yield* transferred(twilio, { handoffData: (number) => `to ${number}` }), {
        isTransferred: true,
        sent: [{ type: "end", handoffData: `to ${reception}` }]
      })
      assert.deepStrictEqual(
        yield* transferred(telnyx, { command: (number) => Effect.succeed(number === reception) }),
        {
          isTransferred: true,
          sent: [{ type: "end" }]
        }
      )
      assert.deepStrictEqual(yield* transferred(telnyx, { command: () => Effect.succeed(false) }), {
        isTransferred: false,
        sent: [spoken]
      })
    }))

  it.effect("is closed when its socket is, after all that came before", () =>
    Effect.gen(function*() {
      const { closeSocket, events, line, receive, sent } = yield* opened()
      yield* receive({ type: "prompt", voicePrompt: "Bye.", last: true })
      yield* closeSocket
      yield* line.speak(utterance(1, "Hello"))
      yield* line.stopSpeaking
      assert.deepStrictEqual(events, [{ _tag: "Heard", text: "Bye.", isFinal: true }, "closed"])
      assert.deepStrictEqual(sent, [])
    }))
})
