import { assert, describe, it } from "@effect/vitest"
import { AiSdkModel, ModelPersona } from "@outdial/ai"
import { type Persona, Rehearsal, TextAgent } from "@outdial/core"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as ModelServer from "../support/model/ModelServer.ts"
import { modelOf } from "../support/model/RealClient.ts"

const question = "Does Tuesday suit you?"

const agent = {
  name: "Ada",
  script: "Hello, this is Ada from Riverside Clinic.",
  questions: [question],
  dispositions: ["completed", "not_interested", "do_not_call"]
}

const grace: Persona.Persona = {
  name: "grace",
  description: "A busy pilot",
  contact: { name: "Grace" },
  answers: [{ says: "Yes.", truth: ["yes", "suits"] }]
}

const action = (action: string, text: string, more: object = {}): ModelServer.Reply => ({
  text: JSON.stringify({ action, text, answers_question: false, asks_not_to_be_called_again: false, ...more })
})

/** A rehearsal of one call with the persona, played by a model with these replies. */
const rehearsed = Effect.fnUntraced(function*(
  reply: ModelServer.Options["reply"],
  persona: Persona.Persona = grace,
  textAgent?: Rehearsal.RehearsalOptions["textAgent"]
) {
  const server = yield* ModelServer.make({ reply })
  const player = ModelPersona.layer(AiSdkModel.layer(modelOf(server)))
  const rehearsal = Rehearsal.rehearse({
    agent,
    personas: [persona],
    runs: 1,
    player,
    ...textAgent !== undefined && { textAgent }
  })
  return { server, rehearsal }
})

const lines = (run: { readonly transcript: ReadonlyArray<{ readonly speaker: string; readonly text: string }> }) =>
  run.transcript.map(({ speaker, text }) => `${speaker}: ${text}`)

const systemOf = (request: ModelServer.Request | undefined) => JSON.stringify(request?.messages[0]?.content)

describe("a persona that a model plays", () => {
  it.live("says what the model says, and has its answers compared with the truth", () =>
    Effect.gen(function*() {
      const { rehearsal, server } = yield* rehearsed((_, index) =>
        index === 0
          ? action("says", "Who is calling?")
          : action("says", "Tuesday suits me well.", { answers_question: true })
      )
      const { answers, runs } = yield* rehearsal
      const [run] = runs
      assert.includeMembers(run === undefined ? [] : lines(run), [
        "contact: Who is calling?",
        "contact: Tuesday suits me well."
      ])
      assert.deepStrictEqual(run?.answers, [
        { question, said: "Tuesday suits me well.", recorded: "Tuesday suits me well.", verdict: "right" }
      ])
      assert.strictEqual(answers[0]?.count, 1)
      const [first, second] = server.requests
      assert.include(systemOf(first), "A busy pilot")
      assert.include(systemOf(first), "Your name is Grace.")
      assert.notInclude(systemOf(first), "this is the truth")
      assert.include(systemOf(second), "this is the truth")
      // The model has heard the agent, and knows what it said itself.
      assert.deepStrictEqual(second?.messages.slice(1).map(({ role }) => role), ["user", "assistant", "user"])
      assert.include(JSON.stringify(second?.messages.at(-1)), question)
    }))

  it.live("makes its own moves first, and only then asks the model", () =>
    Effect.gen(function*() {
      const { rehearsal, server } = yield* rehearsed(() => action("hangs_up", "Bye."), {
        ...grace,
        moves: [{ type: "says", text: "Wait a moment." }]
      })
      const { runs } = yield* rehearsal
      assert.deepStrictEqual(
        runs.flatMap(lines).filter((line) => line.startsWith("contact")),
        ["contact: Wait a moment.", "contact: Bye."]
      )
      assert.lengthOf(server.requests, 1)
      assert.include(JSON.stringify(server.requests[0]?.messages), "Wait a moment.")
    }))

  it.live("has its opt-outs checked", () =>
    Effect.gen(function*() {
      const optingOut = () => action("says", "Strike my name from your papers.", { asks_not_to_be_called_again: true })
      const ignoring = TextAgent.TextAgent.layerOf(async function*({ input }) {
        yield { _tag: "Say", text: "I see." }
        if (input._tag !== "Opening") yield { _tag: "End" }
      })
      const ignored = yield* rehearsed(optingOut, grace, ignoring)
      const { musts, passed } = yield* ignored.rehearsal
      assert.deepStrictEqual([passed, musts[0]], [false, { must: "opt_outs", kept: 0, of: 1 }])
      const honouring = TextAgent.TextAgent.layerOf(async function*({ input }) {
        if (input._tag !== "Opening") yield { _tag: "Note", note: { _tag: "OptOut" } }
        yield { _tag: "Say", text: "I see." }
        if (input._tag !== "Opening") yield { _tag: "End" }
      })
      const honoured = yield* rehearsed(optingOut, grace, honouring)
      assert.deepStrictEqual((yield* honoured.rehearsal).musts[0], { must: "opt_outs", kept: 1, of: 1 })
    }))

  it.live("presses only keys, and is silent instead of saying nothing", () =>
    Effect.gen(function*() {
      const { rehearsal } = yield* rehearsed((_, index) =>
        index === 0 ? action("says", " … ") : index === 1 ? action("presses", "key 1!") : action("hangs_up", "")
      )
      const { passed, runs } = yield* rehearsal
      assert.isTrue(passed)
      assert.deepStrictEqual(runs.flatMap(lines).filter((line) => line.startsWith("contact")), ["contact: 1"])
    }))

  const faults: ReadonlyArray<readonly [string, ModelServer.Reply]> = [
    ["fails", { status: 500 }],
    ["says something else", { text: "Hello, I am Grace!" }],
    ["invents an action", action("sings", "La la la.")]
  ]
  for (const [name, fault] of faults) {
    it.live(`makes the rehearsal fail when its model ${name}`, () =>
      Effect.gen(function*() {
        const { rehearsal } = yield* rehearsed(() => fault)
        const error = yield* Effect.flip(rehearsal)
        assert.strictEqual(error._tag, "PersonaFailed")
        assert.match(error.message, /^The persona grace failed: ./u)
      }))
  }

  it.effect("makes the rehearsal fail when its model does not answer within a minute", () =>
    Effect.gen(function*() {
      const { rehearsal, server } = yield* rehearsed(() => ({ fault: "silence" }))
      const rehearsing = yield* Effect.forkChild(Effect.flip(rehearsal))
      yield* until(() => server.requests.length === 1)
      yield* TestClock.adjust("60 seconds")
      const error = yield* Fiber.join(rehearsing)
      assert.strictEqual(error.message, "The persona grace failed: the model did not answer in 60 seconds")
      yield* until(() => server.aborted() === 1)
    }))
})

const until = (isDone: () => boolean) =>
  Effect.eventually(Effect.suspend(() => isDone() ? Effect.void : Effect.fail("not yet")))
