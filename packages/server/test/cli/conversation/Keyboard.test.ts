import { assert, it } from "@effect/vitest"
import { Activity, type Conversation, KeyboardCall, ScriptedAgent, TypedLine } from "@outdial/core"
import { type Cause, Effect, Fiber, Option, Queue, Terminal } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import * as Keyboard from "../../../src/cli/conversation/Keyboard.ts"

const agent = {
  name: "Ada",
  script: "Hello, this is Ada from the Riverside Clinic about your appointment on Tuesday.",
  questions: ["Will you be able to come?"],
  dispositions: ["confirmed"]
}

const keyOf = (name: string, ctrl = false): Terminal.UserInput => ({
  input: name.length === 1 ? Option.some(name) : Option.none(),
  key: { name, ctrl, meta: false, shift: false }
})

/** A conversation at a terminal whose clock and keys the test moves. */
const open = Effect.fnUntraced(function*(overrides: object = {}) {
  const keys = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
  let screen = ""
  const terminal = Terminal.make({
    columns: Effect.succeed(80),
    rows: Effect.succeed(24),
    size: Effect.die("not used"),
    readInput: Effect.succeed(keys),
    readLine: Effect.die("not used"),
    display: (text) => Effect.sync(() => void (screen += text))
  })
  const activity = Activity.make()
  const entries: Array<Conversation.Entry> = []
  const keyboard = yield* Keyboard.make("Ada").pipe(Effect.provideService(Terminal.Terminal, terminal))
  const line = yield* TypedLine.make({ activity, pace: 50, speaker: keyboard.speaker })
  yield* Effect.forkScoped(keyboard.type(line))
  const holding = yield* Effect.forkScoped(KeyboardCall.hold({
    activity,
    agent: { ...agent, ...overrides },
    contact: {},
    variables: {},
    line: line.line,
    textAgent: ScriptedAgent.layer,
    onEntry: (entry) => Effect.sync(() => void entries.push(entry))
  }))
  /** Passes so many milliseconds. */
  const pass = (millis: number) =>
    Effect.andThen(Effect.andThen(activity.settled, TestClock.adjust(millis)), activity.settled)
  yield* activity.begun
  yield* pass(0)
  return {
    pass,
    entries,
    screen: () => screen,
    latencies: line.latencies,
    type: (text: string) =>
      Effect.andThen(
        Queue.offerAll(keys, Array.from(text).map((key) => keyOf(key === "\n" ? "return" : key))),
        pass(0)
      ),
    press: (name: string, ctrl = false) => Effect.andThen(Queue.offer(keys, keyOf(name, ctrl)), pass(0)),
    /** Lets the conversation end by itself. */
    ended: Effect.andThen(TestClock.adjust("5 minutes"), Fiber.join(holding))
  }
})

const turnsOf = (entries: ReadonlyArray<Conversation.Entry>) =>
  entries.flatMap((entry) =>
    entry._tag === "Turn" ? [`${entry.speaker}: ${entry.text}${entry.interrupted === true ? " —" : ""}`] : []
  )

describe("a conversation at the terminal", () => {
  it.effect("shows the agent's words as they are spoken", () =>
    Effect.gen(function*() {
      const { pass, screen } = yield* open()
      yield* pass(900)
      assert.match(screen(), /Ada: Hello, this is $/u)
      yield* pass(6_000)
      assert.match(screen(), /Ada: Hello, this is Ada .* on Tuesday\.\n> /u)
    }))

  it.effect("cuts the agent where typing interrupts it, and marks the cut", () =>
    Effect.gen(function*() {
      const { ended, entries, pass, press, screen, type } = yield* open()
      yield* pass(900)
      yield* type("No")
      assert.match(screen(), /Ada: Hello, this is — \(interrupted\)\n> No$/u)
      yield* type(" ti")
      yield* press("backspace")
      yield* type("hanks\n")
      yield* pass(10_000)
      yield* press("d", true)
      yield* ended
      assert.deepStrictEqual(turnsOf(entries).slice(0, 2), ["agent: Hello, this is —", "contact: No thanks"])
      assert.deepInclude(entries.at(-1), { _tag: "Over", reason: "contact_hung_up" })
    }))

  it.effect("lets the disclosure be said to its end, and then shows what was typed", () =>
    Effect.gen(function*() {
      const { pass, screen, type } = yield* open({ disclosure: "This call is made by an AI." })
      yield* pass(500)
      yield* type("Hm")
      assert.match(screen(), /Ada: This call $/u)
      yield* pass(2_000)
      assert.include(screen(), "Ada: This call is made by an AI.\n> Hm")
    }))

  it.effect("takes digits, refuses unknown commands, ignores empty lines and hangs up", () =>
    Effect.gen(function*() {
      const { ended, entries, latencies, pass, screen, type } = yield* open()
      yield* pass(6_000)
      yield* type("\n/bye\n")
      assert.include(screen(), "/bye is not a command; the commands are /hangup and /dtmf DIGITS\n> ")
      yield* type("/dtmf 12#\n")
      yield* pass(5_000)
      yield* type("/hangup\n")
      yield* ended
      assert.deepStrictEqual(turnsOf(entries).slice(1), ["contact: 12#", "agent: Will you be able to come?"])
      assert.deepStrictEqual(latencies(), [{ words: "12#", millis: 0 }])
    }))

  it.effect("asks a contact who types nothing whether they are there, and ends", () =>
    Effect.gen(function*() {
      const { ended, entries, screen } = yield* open({ silenceSeconds: 5 })
      yield* ended
      assert.include(screen(), "Ada: Are you still there?")
      assert.deepInclude(entries.at(-1), { _tag: "Over", reason: "contact_silent" })
    }))
})
