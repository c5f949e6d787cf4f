/** Whole calls with the agent of a language model: the engine, a simulated contact, and a model server over real HTTP. */
import { assert, describe, it } from "@effect/vitest"
import { AiSdkModel, ModelAgent } from "@outdial/ai"
import { Calls, type Persona, PhoneNumber, Phrases, Rehearsal, Tool } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer, Metric, Schema } from "effect"
import * as ModelServer from "../support/model/ModelServer.ts"
import { inOrder, uses } from "../support/model/ModelTalk.ts"
import { modelOf } from "../support/model/RealClient.ts"

const agent = {
  name: "Ada",
  script: "Hello, this is Ada about your visit.\n\nAsk kindly.",
  questions: ["Will you come?"],
  dispositions: ["confirmed", "declined", "opted out"],
  maxDurationSeconds: 120
}

const says = (text: string): Persona.PersonaMove => ({ type: "says", text })

/** One call with a contact who makes these moves. */
const call = Effect.fnUntraced(function*(
  reply: ModelServer.Options["reply"],
  moves: ReadonlyArray<Persona.PersonaMove>,
  options: Partial<Rehearsal.RehearsalOptions> = {}
) {
  const server = yield* ModelServer.make({ reply })
  const report = yield* Rehearsal.rehearse({
    agent,
    personas: [{ name: "contact", moves }],
    runs: 1,
    textAgent: Layer.orDie(ModelAgent.layer({ models: { fast: AiSdkModel.layer(modelOf(server)) } })),
    ...options
  })
  const [run] = report.runs
  if (run === undefined) return yield* Effect.die(new Error("There is no run"))
  return { run, server }
})

const linesOf = (
  { transcript }: { readonly transcript: ReadonlyArray<{ readonly speaker: string; readonly text: string }> }
) => transcript.map(({ speaker, text }) => `${speaker}: ${text}`)

/** The words of a message. */
const textOf = (content: unknown): string => typeof content === "string" ? content : JSON.stringify(content ?? "")

const phrases = Phrases.phrasesOf("en")

describe("a call with a language model", () => {
  it.live("is talked through: answers, disposition and tokens are on record", () =>
    Effect.gen(function*() {
      const { run } = yield* call(
        inOrder([
          { text: "Wonderful, thank you. Will you come?" },
          uses("record_answer", { question: 1, answer: "Yes, gladly." }),
          { text: "See you then. Goodbye.", ...uses("end_call") }
        ]),
        [says("Hello."), says("Yes, gladly.")]
      )
      assert.deepStrictEqual(linesOf(run), [
        "agent: Hello, this is Ada about your visit.",
        "contact: Hello.",
        "agent: Wonderful, thank you.",
        "agent: Will you come?",
        "contact: Yes, gladly.",
        "agent: See you then.",
        "agent: Goodbye."
      ])
      assert.deepInclude(run, {
        status: "completed",
        endReason: "agent_ended",
        disposition: "confirmed",
        failures: [],
        isListed: false
      })
      assert.deepStrictEqual(run.answers.map(({ recorded }) => recorded), ["Yes, gladly."])
      const [usage] = run.usage
      assert.deepInclude(usage, { model: "test-model", requests: 3 })
      assert.isAbove(usage?.inputTokens ?? 0, 1000)
    }))

  it.live("whose contact interrupts tells the model what was heard", () =>
    Effect.gen(function*() {
      const { run, server } = yield* call(
        (_, index) =>
          index === 0
            ? { text: "We have many rooms. ".repeat(60) }
            : { text: "Of course. Goodbye.", ...uses("end_call") },
        [says("Hello."), { type: "interrupts", text: "Wait, please stop.", afterWords: 6 }]
      )
      const cut = run.transcript.find(({ interrupted }) => interrupted === true)
      assert.isTrue("We have many rooms.".startsWith(cut?.text ?? "?"))
      const heard = server.requests[1]?.messages.findLast(({ role }) => role === "assistant")?.content
      assert.match(textOf(heard), /^We have many rooms\. We.* –$/u)
      assert.deepStrictEqual(run.failures, [])
    }))

  const failing: ReadonlyArray<readonly [string, ModelServer.Reply]> = [
    ["has a wrong key", { status: 401 }],
    ["is unknown", { status: 404 }],
    ["is down", { status: 500 }]
  ]
  it.live.each(failing)("whose model %s ends with the fallback phrase", ([name, reply]) =>
    Effect.gen(function*() {
      const { run } = yield* call(() => reply, [says("Hello?")])
      assert.deepStrictEqual(linesOf(run).at(-1), `agent: ${phrases.fallback}`)
      assert.strictEqual(run.endReason, "agent_failed")
      assert.deepStrictEqual(run.failures.map(({ must }) => must), ["agent"])
      if (reply.status !== undefined) assert.include(run.failures[0]?.message, "The language model fast", name)
    }))

  it.effect("whose model is silent ends with the fallback phrase after 15 seconds", () =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make({ reply: () => ({ fault: "silence" }) })
      const textAgent = Layer.orDie(ModelAgent.layer({ models: { fast: AiSdkModel.layer(modelOf(server)) } }))
      // Without an answer to wait for, the clock of the test need not be the real one.
      const call = yield* Effect.gen(function*() {
        const calls = yield* Calls.Calls
        const { accountId, agentId } = yield* TestEngine.Tenant
        const phoneNumber = PhoneNumber.PhoneNumber.make("+14155550100")
        const { id } = yield* calls.start(accountId, { agentId, phoneNumber, variables: { topic: "your visit" } })
        yield* TestEngine.advance("5 minutes")
        return yield* calls.get(accountId, id)
      }).pipe(
        Effect.provide(
          TestEngine.layer({ textAgent, contact: () => [{ _tag: "Says", text: "Hello?" }, { _tag: "IsSilent" }] })
        )
      )
      assert.strictEqual(call.status, "completed")
      assert.deepStrictEqual(call.outcome?.transcript.map(({ text }) => text).slice(-2), [
        phrases.filler,
        phrases.fallback
      ])
      assert.strictEqual(server.aborted(), 1)
    }))

  it.live("whose model speaks for ten minutes is cut after a minute and a half", () =>
    Effect.gen(function*() {
      const { run, server } = yield* call(
        () => ({ text: "One two three four five. ".repeat(400) }),
        [says("Tell me a story."), { type: "hangs_up" }]
      )
      const said = run.transcript.slice(2).map(({ text }) => text).join(" ")
      assert.isAtMost(said.length, 1_600)
      assert.deepStrictEqual(run.failures, [])
      assert.strictEqual(server.requests.length, 1)
    }))

  const Day = Schema.Struct({ day: Schema.String })
  const tools: ReadonlyArray<readonly [string, Tool.ToolOptions<typeof Day>["run"], RegExp]> = [
    ["hangs", () => Effect.never, /did not answer in time/u],
    ["throws", () => {
      throw new Error("the password is 1234")
    }, /^The tool failed/u],
    [
      "returns 1 MB",
      () => Effect.succeed("x".repeat(1_000_000)),
      /^"x{16383} … \(cut: the result has 1000002 characters\)$/u
    ]
  ]
  it.live.each(tools)("goes on after a tool that %s", ([, run, told]) =>
    Effect.gen(function*() {
      const { run: { endReason, failures, status }, server } = yield* call(
        inOrder([uses("find", { day: "Tuesday" }), { text: "I could not find out. Goodbye.", ...uses("end_call") }]),
        [says("When are you open?")],
        {
          agent: { ...agent, tools: ["find"] },
          tools: [
            Tool.make({ name: "find", description: "Finds free times.", parameters: Day, timeout: "200 millis", run })
          ]
        }
      )
      assert.deepStrictEqual({ endReason, failures, status }, {
        endReason: "agent_ended",
        failures: [],
        status: "completed"
      })
      assert.match(textOf(server.requests[1]?.messages.at(-1)?.content), told)
    }))

  it.live("is counted by agent and model", () =>
    Effect.gen(function*() {
      yield* call(inOrder([{ text: "Goodbye.", ...uses("end_call") }]), [says("Hello?")])
      const series = yield* Metric.snapshot
      const of = (id: string) => series.filter((metric) => metric.id === id)
      const requests = of("outdial_model_requests_total")
      assert.deepStrictEqual(requests.map(({ attributes }) => [attributes?.["model"], attributes?.["result"]]), [[
        "fast",
        "answered"
      ]])
      assert.match(requests[0]?.attributes?.["agent"] ?? "", /^[0-9a-f-]{36}$/u)
      assert.deepStrictEqual(of("outdial_model_tokens_total").map(({ attributes }) => attributes?.["direction"]), [
        "input",
        "output"
      ])
      assert.lengthOf(of("outdial_model_first_part_seconds"), 1)
      assert.lengthOf(of("outdial_model_reply_seconds"), 1)
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))

  it.live("is counted when it fails, and when the contact interrupts it", () =>
    Effect.gen(function*() {
      const results = Effect.map(Metric.snapshot, (series) =>
        series.filter(({ id }) =>
          id === "outdial_model_requests_total"
        ).map(({ attributes, state }) => [
          attributes?.["result"],
          "count" in state ? state.count : undefined
        ]))
      yield* call(() => ({ status: 500 }), [says("Hello?")])
      assert.deepStrictEqual(yield* results, [["failed", 2]])
      const series = yield* Metric.snapshot
      assert.isEmpty(series.filter(({ id }) => id === "outdial_model_tokens_total" || /model_.*_seconds/u.test(id)))
      yield* call(
        (_, index) => index === 0 ? { text: "We have rooms. ".repeat(2_000) } : { text: "Bye.", ...uses("end_call") },
        [says("Hello."), { type: "interrupts", text: "Wait, please stop.", afterWords: 6 }]
      )
      const interrupted = (yield* results).find(([result]) => result === "interrupted")
      assert.deepStrictEqual(interrupted, ["interrupted", 1])
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))
})
