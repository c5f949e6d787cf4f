/**
 * The contract of `VoiceAgent`, whichever services it has: words that are given are spoken as they are, and those of the contact are heard; it
 * falls silent at once, and knows what was heard; what it has opened is closed with the conversation. It holds whole conversations, in sound
 * that the suite is given a voice and an ear for.
 */
import { assert, it } from "@effect/vitest"
import { type AudioFormat, Phrases, type TextAgent, type VoiceAgent } from "@outdial/core"
import { Effect, Fiber, type Layer, type Scope } from "effect"
import { describe } from "vitest"
import * as TestEngine from "../TestEngine.ts"
import * as AudioCall from "../test-engine/AudioCall.ts"

/** A voice agent, and how a contact talks with it. */
export interface VoiceAgentTest {
  readonly voiceAgent: Layer.Layer<VoiceAgent.VoiceAgent, never, TextAgent.TextAgent>
  readonly format: AudioFormat.AudioFormat
  /** The frames in which the contact says this, with the pause that ends a turn. */
  readonly sound: (text: string) => ReadonlyArray<Uint8Array>
  /** The words of sound that was heard. */
  readonly text: (sound: Uint8Array) => string
  /** How many connections to services are open, if there are any. */
  readonly connections?: () => number
  /** The services are lost, and cannot be reached again. */
  readonly lose: Effect.Effect<void>
}

/** Waits for what happens outside of the test clock, such as on sockets. */
const until = (isDone: () => boolean) =>
  Effect.eventually(Effect.suspend(() => isDone() ? Effect.void : Effect.fail("not yet")))

const phrases = Phrases.phrasesOf("en")

const agent = {
  script: "Hello, this is Ada about your visit on Tuesday.",
  questions: [],
  variables: [],
  disclosure: "I am a machine."
}

const opening = `${agent.disclosure}${agent.script}`

/** Whole conversations with it. */
const talking = <E>(
  open: Effect.Effect<VoiceAgentTest, E, Scope.Scope>,
  talk: (
    call: Effect.Success<ReturnType<typeof AudioCall.answered>> & {
      /** Returns when the contact has heard exactly this, and the conversation knows it. */
      readonly hears: (text: string) => Effect.Effect<void>
    },
    test: VoiceAgentTest
  ) => Effect.Effect<void, unknown, Scope.Scope>,
  { disclosure = agent.disclosure, isHeld = false }: { readonly disclosure?: string; readonly isHeld?: boolean } = {}
) =>
  Effect.gen(function*() {
    const test = yield* open
    const { connections, format, text, voiceAgent } = test
    yield* Effect.gen(function*() {
      const call = yield* AudioCall.answered({ format, isHeld })
      const hears = (words: string) =>
        Effect.andThen(
          until(() => call.isQuiet() && text(call.heard()) === words),
          Effect.replicateEffect(Effect.yieldNow, 200)
        )
      yield* talk({ ...call, hears }, test)
    }).pipe(
      Effect.provide(TestEngine.layer({ telephony: AudioCall.carrier, voiceAgent, agent: { ...agent, disclosure } }))
    )
    if (connections !== undefined) yield* until(() => connections() === 0)
  })

const stop = "Do not call me again."

/** The suite. The voice agent is opened for each test. */
export const contract = <E>(name: string, open: Effect.Effect<VoiceAgentTest, E, Scope.Scope>) =>
  describe(`VoiceAgent contract: ${name}`, () => {
    it.effect("speaks words as they are given, in order, and hears the contact", () =>
      talking(open, (call, { sound, text }) =>
        Effect.gen(function*() {
          yield* call.hears(opening)
          yield* call.says(sound(stop))
          assert.strictEqual(yield* Fiber.join(call.held), "over")
          assert.strictEqual(text(call.heard()), `${opening}${phrases.optedOut}`)
          assert.deepStrictEqual(call.done, ["hang up"])
          const { lines, notes, status } = yield* call.ended
          assert.deepStrictEqual(lines, [
            `agent: ${agent.disclosure}`,
            `agent: ${agent.script}`,
            `contact: ${stop}`,
            `agent: ${phrases.optedOut}`
          ])
          assert.deepStrictEqual([status, notes.map(({ _tag }) => _tag)], ["completed", ["OptOut"]])
        })))

    it.effect("falls silent at once when the contact interrupts, and knows what was heard", () =>
      talking(open, (call, { sound, text }) =>
        Effect.gen(function*() {
          yield* until(() => call.given() > 1_500)
          yield* call.playTo(1_000)
          yield* call.says(sound(stop))
          yield* until(() => call.given() === 0)
          yield* call.setHeld(false)
          assert.strictEqual(yield* Fiber.join(call.held), "over")
          const [cut = "", ...others] = (yield* call.ended).lines
          assert.deepStrictEqual(others, [`contact: ${stop}`, `agent: ${phrases.optedOut}`])
          const heard = /^agent: (.+) –$/u.exec(cut)?.[1] ?? assert.fail(`${cut} was not interrupted`)
          assert.isTrue(agent.script.startsWith(`${heard} `), heard)
          assert.isTrue(text(call.heard()).startsWith(heard))
        }), { isHeld: true, disclosure: "" }))

    it.effect("ends when the contact hangs up", () =>
      talking(open, (call) =>
        Effect.gen(function*() {
          yield* call.hears(opening)
          yield* call.hangsUp
          assert.strictEqual(yield* Fiber.join(call.held), "over")
          assert.strictEqual((yield* call.ended).lines.length, 2)
        })))

    it.effect("ends the call when its services are lost, and the log has what was heard before", () =>
      talking(open, (call, { lose }) =>
        Effect.gen(function*() {
          yield* call.hears(opening)
          yield* lose
          assert.strictEqual(yield* Fiber.join(call.held), "over")
          assert.deepStrictEqual(call.done, ["hang up"])
          assert.deepStrictEqual((yield* call.ended).lines.slice(0, 2), [
            `agent: ${agent.disclosure}`,
            `agent: ${agent.script}`
          ])
        })))
  })
