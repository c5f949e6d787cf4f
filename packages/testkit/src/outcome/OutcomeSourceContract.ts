/**
 * The contract of `OutcomeSource`: outcomes fit the agent, whatever was said, and failures can be retried. It cannot check
 * whether an outcome is correct.
 */
import { assert, it } from "@effect/vitest"
import { Limits, Outcome, OutcomeSource } from "@outdial/core"
import { Effect, Fiber, type Layer, Schema } from "effect"
import { describe } from "vitest"
import * as Factories from "../Factories.ts"

/** The same source under failures, if available; each adds a test. */
export interface FailureOptions<E = never> {
  /** Its requests fail, such as with status 500. */
  readonly fails?: Layer.Layer<OutcomeSource.OutcomeSource, E>
  /** Its requests never return. */
  readonly hangs?: Layer.Layer<OutcomeSource.OutcomeSource, E>
}

const turns = [
  { speaker: "agent", text: "Hello Grace, this is Ada. Does Tuesday suit you?" },
  { speaker: "contact", text: "Yes — but ring me again at five. 🙂 \u2028 Ja, bitte." }
] as const

const conversation = (
  transcript: OutcomeSource.Conversation["transcript"],
  agent: Partial<OutcomeSource.Conversation["agent"]> = {}
): OutcomeSource.Conversation => ({
  callId: Factories.callId(),
  contact: { name: "Grace" },
  transcript,
  notes: [],
  isHeld: true,
  agent: Factories.agentBrief(agent)
})

const make = (conversation: OutcomeSource.Conversation) =>
  Effect.flatMap(OutcomeSource.OutcomeSource, (source) => source.make(conversation))

const decode = Schema.decodeUnknownEffect(Outcome.SourceOutcome)

/** Makes the outcome and fails unless the engine would keep it. */
const fitting = Effect.fnUntraced(function*(conversation: OutcomeSource.Conversation) {
  const outcome = yield* Effect.flatMap(make(conversation), decode)
  assert.include(conversation.agent.dispositions, outcome.disposition)
})

/** A very long conversation, with turns of the maximum length. */
const long = Array.from({ length: 100 }, (_, index) => ({
  speaker: index % 2 === 0 ? "agent" as const : "contact" as const,
  text: "Well, ".repeat(1000).slice(0, Limits.outcomeTextLength)
}))

/** Tests by the behaviour that they check. */
const cases: Readonly<Record<string, Effect.Effect<void, unknown, OutcomeSource.OutcomeSource>>> = {
  "makes an outcome that fits the agent": fitting(conversation(turns)),

  "chooses among the dispositions of each agent": Effect.gen(function*() {
    yield* fitting(conversation(turns, { dispositions: ["the only one"] }))
    yield* fitting(conversation(turns, { dispositions: Array.from({ length: 50 }, (_, index) => `Outcome ${index}`) }))
  }),

  "makes an outcome for an agent without questions": fitting(conversation(turns, { questions: [] })),

  "makes an outcome when nothing was said": fitting(conversation([])),

  "makes an outcome when only one side spoke": Effect.gen(function*() {
    for (const turn of turns) yield* fitting(conversation([turn]))
  }),

  "makes an outcome of a very long conversation": fitting(conversation(long)),

  "can be asked again about the same conversation, as after a crash": Effect.gen(function*() {
    const same = conversation(turns)
    yield* fitting(same)
    yield* fitting(same)
  }),

  "makes many outcomes at once": Effect.gen(function*() {
    const agents = Array.from({ length: 20 }, (_, index) => ({ dispositions: [`Outcome ${index}`] }))
    yield* Effect.forEach(agents, (agent) => fitting(conversation(turns, agent)), { concurrency: "unbounded" })
  })
}

const failing = Effect.gen(function*() {
  const error = yield* Effect.flip(make(conversation(turns)))
  assert.strictEqual(error._tag, "OutcomeFailed")
})

const hanging = Effect.gen(function*() {
  const asked = yield* Effect.forkChild(make(conversation(turns)), { startImmediately: true })
  // Returns at once, or the test times out.
  yield* Fiber.interrupt(asked)
})

/** Runs the contract against the layer, which is built once; and against the same source under failures. */
export const contract = <E, E2 = never>(
  name: string,
  layer: Layer.Layer<OutcomeSource.OutcomeSource, E>,
  troubled: FailureOptions<E2> = {}
): void => {
  describe(`Outcome source contract: ${name}`, () => {
    // Models need real time, which a test clock would stop.
    const options = { excludeTestServices: true, timeout: "180 seconds" } as const
    it.layer(layer, options)((it) => {
      for (const [promise, test] of Object.entries(cases)) it.effect(promise, () => test)
    })
    if (troubled.fails !== undefined) {
      it.layer(troubled.fails, options)((it) => {
        it.effect("fails with an error that is retried", () => failing)
      })
    }
    if (troubled.hangs !== undefined) {
      it.layer(troubled.hangs, options)((it) => {
        it.effect("stops when it is interrupted", () => hanging)
      })
    }
  })
}
