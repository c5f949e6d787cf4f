/** Tools of the host application, used by agents in conversations on the simulator. */
import { assert, describe, it } from "@effect/vitest"
import {
  AgentNames,
  Agents,
  Calls,
  type Conversation,
  Errors,
  MemoryStorage,
  type SimulatedContact,
  SimulatedTelephony,
  Storage,
  TextAgent,
  Tool
} from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { Effect, Layer, Logger, Option, Schema } from "effect"
import * as CallSteps from "../support/CallSteps.ts"
import { recording } from "../support/RecordedLog.ts"

const number = "+14155550100"
const says = (text: string): SimulatedContact.Move => ({ _tag: "Says", text })
const say = (text: string): Conversation.AgentPart => ({ _tag: "Say", text })
const end: Conversation.AgentPart = { _tag: "End" }

const book = (run: Tool.ToolOptions<typeof Booking>["run"], options: Partial<Tool.ToolOptions<typeof Booking>> = {}) =>
  Tool.make({ name: "book", description: "Books a visit.", parameters: Booking, run, ...options })

const Booking = Schema.Struct({ day: Schema.String })
const tuesday = { day: "Tuesday" }

/** Asks for the tool whenever the contact says something, says what it answered, and ends. Hears `answers`. */
const booking = (answers: Array<Conversation.ToolAnswer>, args: unknown = tuesday, name = "book") =>
  TextAgent.TextAgent.layerOf(async function*({ input, tools }) {
    if (input._tag === "Opening") return yield say("Hello, which day?")
    const answer = await tools.run(name, args)
    answers.push(answer)
    yield say(`It is ${JSON.stringify(answer.result)}`.slice(0, 100))
    yield end
  })

interface Options extends TestEngine.TestEngineOptions {
  readonly contact?: () => SimulatedContact.Script
}

const engine = (options: Options) =>
  TestEngine.layer({ agent: { tools: ["book"] }, contact: () => [says("Tuesday, please.")], ...options })

const called = Effect.gen(function*() {
  const { id } = yield* CallSteps.start(number)
  yield* TestEngine.advance("15 minutes")
  return yield* CallSteps.get(id)
})

const toolEntries = (entries: ReadonlyArray<Conversation.Entry>) =>
  entries.filter((entry) => entry._tag === "ToolIntent" || entry._tag === "ToolResult").map(({ at: _, ...entry }) =>
    entry
  )

const intent = { _tag: "ToolIntent", id: "1", name: "book", arguments: tuesday } as const

describe("a tool", () => {
  it.effect("runs once its intent is stored, and its answer goes to the agent and on record", () =>
    Effect.gen(function*() {
      const entries: Array<Conversation.Entry> = []
      const answers: Array<Conversation.ToolAnswer> = []
      const seen: Array<unknown> = []
      const call = yield* called.pipe(Effect.provide(engine({
        storage: recording(entries),
        textAgent: booking(answers),
        tools: [
          book(({ day }, { callId, contact, key }) =>
            Effect.sync(() => {
              seen.push({ stored: toolEntries(entries), day, contact, isKey: key === `${callId}/1` })
              return { booked: day, at: undefined }
            })
          )
        ]
      })))
      assert.strictEqual(call.status, "completed")
      assert.deepStrictEqual(seen, [{ stored: [intent], day: "Tuesday", contact: {}, isKey: true }])
      assert.deepStrictEqual(answers, [{ result: { booked: "Tuesday" } }])
      assert.deepStrictEqual(toolEntries(entries), [intent, {
        _tag: "ToolResult",
        id: "1",
        result: { booked: "Tuesday" }
      }])
    }))

  it.effect("may be described by JSON Schema and return a promise", () =>
    Effect.gen(function*() {
      const answers: Array<Conversation.ToolAnswer> = []
      const tool = Tool.make({
        name: "book",
        description: "Books a visit.",
        parameters: {
          type: "object",
          properties: { day: { type: "string", pattern: "^[A-Z][a-z]+$" } },
          required: ["day"],
          additionalProperties: false
        },
        run: async ({ day }) => ({ booked: day })
      })
      yield* called.pipe(Effect.provide(engine({ textAgent: booking(answers), tools: [tool] })))
      assert.deepStrictEqual(answers, [{ result: { booked: "Tuesday" } }])
      for (const args of [{ day: "tuesday" }, {}, [], null, "Tuesday"]) {
        answers.length = 0
        yield* called.pipe(Effect.provide(engine({ textAgent: booking(answers, args), tools: [tool] })))
        assert.deepStrictEqual(answers.map(({ problem }) => problem), ["invalid_arguments"])
      }
    }))

  const failing: ReadonlyArray<readonly [string, Tool.ToolOptions<typeof Booking>["run"]]> = [
    ["throws", () => {
      throw new Error("Tuesday +14155550100")
    }],
    ["rejects", () => Promise.reject(new Error("Tuesday +14155550100"))],
    ["rejects with no error", () => Promise.reject("Tuesday")],
    ["fails", () => Effect.fail({ day: "Tuesday" })],
    ["dies", () => Effect.die(new Error("Tuesday"))],
    ["returns what is no JSON", () => Effect.succeed(1n)]
  ]
  it.effect.each(failing)("that %s is answered with a problem, and the conversation goes on", ([, run]) => {
    const lines: Array<string> = []
    const answers: Array<Conversation.ToolAnswer> = []
    return Effect.gen(function*() {
      const { outcome, status } = yield* called
      assert.strictEqual(status, "completed")
      assert.deepStrictEqual(answers.map(({ problem }) => problem), ["failed"])
      assert.include(outcome?.transcript.at(-1)?.text, "It is \"The tool failed.")
      for (const line of lines) assert.notMatch(line, /Tuesday|4155550100/u)
    }).pipe(
      Effect.provide(Layer.mergeAll(
        engine({ textAgent: booking(answers), tools: [book(run)] }),
        Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))])
      ))
    )
  })

  it.effect("that hangs is given up once, and told so", () =>
    Effect.gen(function*() {
      for (const run of [() => Effect.never, () => new Promise(() => {}), () => Effect.uninterruptible(Effect.never)]) {
        const answers: Array<Conversation.ToolAnswer> = []
        const signals: Array<AbortSignal> = []
        const tool = book((_, context) => {
          signals.push(context.signal)
          return run()
        }, { timeout: "3 seconds", filler: "I look it up." })
        const { outcome } = yield* called.pipe(Effect.provide(engine({ textAgent: booking(answers), tools: [tool] })))
        // A contact who hears the words of the tool says "Tuesday" again.
        assert.deepStrictEqual([...new Set(answers.map(({ problem }) => problem))], ["timed_out"])
        assert.isTrue(outcome?.transcript.some(({ text }) => text === "I look it up."))
        assert.lengthOf(signals, 1)
        if (!run.toString().includes("uninterruptible")) assert.isTrue(signals[0]?.aborted)
      }
    }))

  it.effect("does not run any more when its intent could not be stored in its time", () =>
    Effect.gen(function*() {
      const slow = Layer.effect(
        Storage.Storage,
        Effect.map(Storage.Storage, (storage) => ({
          ...storage,
          conversations: {
            ...storage.conversations,
            append: (options) => {
              const isIntent = options.logs.some(({ entries }) => toolEntries(entries).length > 0)
              return Effect.delay(storage.conversations.append(options), isIntent ? "4 seconds" : 0)
            }
          }
        }))
      ).pipe(Layer.provide(MemoryStorage.layer))
      const answers: Array<Conversation.ToolAnswer> = []
      let runs = 0
      const tool = book(() => Effect.sync(() => ++runs), { timeout: "3 seconds" })
      const { status } = yield* called.pipe(
        Effect.provide(engine({ storage: slow, textAgent: booking(answers), tools: [tool] }))
      )
      assert.strictEqual(status, "completed")
      assert.strictEqual(answers[0]?.problem, "timed_out")
      assert.strictEqual(runs, 0)
    }))

  it.effect("that returns a megabyte is cut, and says so", () =>
    Effect.gen(function*() {
      const answers: Array<Conversation.ToolAnswer> = []
      yield* called.pipe(
        Effect.provide(engine({ textAgent: booking(answers), tools: [book(async () => "x".repeat(1_000_000))] }))
      )
      const result = answers[0]?.result
      assert.isBelow(JSON.stringify(result).length, 17_000)
      assert.match(JSON.stringify(result), /… \(cut: the result has 1000002 characters\)"$/u)
    }))

  it.effect("that returns 10,000 levels is text", () =>
    Effect.gen(function*() {
      const answers: Array<Conversation.ToolAnswer> = []
      const deep = Array.from({ length: 10_000 }).reduce<unknown>((inner) => [inner], 0)
      yield* called.pipe(Effect.provide(engine({ textAgent: booking(answers), tools: [book(async () => deep)] })))
      assert.isString(answers[0]?.result)
    }))

  it.effect("refuses arguments that are too long, too deep or no JSON, and leaves nothing of them on record", () =>
    Effect.gen(function*() {
      const circle: Record<string, unknown> = {}
      circle["day"] = circle
      const deep = Array.from({ length: 10_000 }).reduce<unknown>((inner) => [inner], 0)
      for (const args of [{ day: "x".repeat(20_000) }, { day: "Tuesday", deep }, circle, 1n, { day: 7 }, {}]) {
        const entries: Array<Conversation.Entry> = []
        const answers: Array<Conversation.ToolAnswer> = []
        let runs = 0
        const tool = book(() => Effect.sync(() => ++runs))
        yield* called.pipe(
          Effect.provide(engine({ storage: recording(entries), textAgent: booking(answers, args), tools: [tool] }))
        )
        assert.deepStrictEqual(answers.map(({ problem }) => problem), ["invalid_arguments"])
        assert.deepStrictEqual([runs, toolEntries(entries).length], [0, 0])
      }
    }))

  it.effect("is not there for an agent that does not name it", () =>
    Effect.gen(function*() {
      const answers: Array<Conversation.ToolAnswer> = []
      const tools = [book(() => Effect.die("not reached"))]
      yield* called.pipe(Effect.provide(engine({ agent: {}, textAgent: booking(answers), tools })))
      yield* called.pipe(Effect.provide(engine({ textAgent: booking(answers, tuesday, "cancel"), tools })))
      assert.deepStrictEqual(answers.map(({ problem }) => problem), ["unknown_tool", "unknown_tool"])
    }))

  it.effect("runs to its end when the contact interrupts, once for both answers", () =>
    Effect.gen(function*() {
      const entries: Array<Conversation.Entry> = []
      const answers: Array<Conversation.ToolAnswer> = []
      let runs = 0
      const contact = (): SimulatedContact.Script => [
        says("Tuesday, please."),
        { _tag: "Interrupts", afterWords: 2, text: "In the morning!" },
        says("Thank you.")
      ]
      const tool = book(
        () => Effect.andThen(Effect.sleep("5 seconds"), Effect.sync(() => ++runs)),
        { filler: "I am looking for a free time on Tuesday for you now." }
      )
      yield* called.pipe(
        Effect.provide(engine({ storage: recording(entries), textAgent: booking(answers), tools: [tool], contact }))
      )
      assert.strictEqual(runs, 1)
      assert.deepStrictEqual(answers, [{ result: 1 }])
      assert.deepStrictEqual(toolEntries(entries), [intent, { _tag: "ToolResult", id: "1", result: 1 }])
      const said = entries.flatMap((entry) => entry._tag === "Turn" ? [entry.text] : [])
      assert.include(said, "In the morning!")
    }))

  it.effect("is shown to an agent whose answer was interrupted", () =>
    Effect.gen(function*() {
      const seen: Array<ReadonlyArray<string>> = []
      const textAgent = TextAgent.TextAgent.layerOf(async function*({ entries, input, tools }) {
        if (input._tag === "Opening") return yield say("Hello, which day?")
        seen.push(toolEntries(entries).map(({ _tag }) => _tag))
        if (seen.length === 1) await tools.run("book", tuesday)
        yield say("It is booked. Is there anything else that I can do for you?")
        if (seen.length === 3) yield end
      })
      const contact = (): SimulatedContact.Script => [
        says("Tuesday, please."),
        { _tag: "Interrupts", afterWords: 2, text: "In the morning!" },
        says("No.")
      ]
      const tool = book(() => Effect.as(Effect.sleep("2 seconds"), "ok"), { filler: "I am looking for a free time." })
      yield* called.pipe(Effect.provide(engine({ textAgent, tools: [tool], contact })))
      assert.deepStrictEqual(seen, [[], ["ToolIntent"], ["ToolIntent", "ToolResult"]])
    }))

  it.effect("that a process has left running does not run again: its result is unknown", () =>
    Effect.gen(function*() {
      const storage = Layer.succeed(Storage.Storage, yield* Storage.Storage)
      const dialed: Array<SimulatedTelephony.JournalEntry> = []
      const journal: SimulatedTelephony.Journal = {
        unfinished: Effect.sync(() => [...dialed]),
        dialed: (entry) => Effect.sync(() => void dialed.push(entry)),
        finished: () => Effect.void
      }
      const answers: Array<Conversation.ToolAnswer> = []
      let runs = 0
      const running = book(() => Effect.andThen(Effect.sync(() => ++runs), Effect.never), { timeout: "30 seconds" })
      const process = engine({ storage, journal, textAgent: booking(answers), tools: [running] })
      const { accountId, id } = yield* Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const { id } = yield* CallSteps.start(number)
        while (runs === 0) yield* TestEngine.advance("250 millis")
        return { accountId, id }
      }).pipe(Effect.provide(process, { local: true }))
      yield* Effect.gen(function*() {
        yield* TestEngine.advance("5 minutes")
        const { outcome, status } = yield* (yield* Calls.Calls).get(accountId, id)
        assert.strictEqual(status, "completed")
        assert.include(outcome?.transcript.at(-1)?.text, "It is \"The result is unknown.")
      }).pipe(Effect.provide(process, { local: true }))
      assert.deepStrictEqual([runs, answers.map(({ problem }) => problem)], [1, ["unknown"]])
    }).pipe(Effect.provide(MemoryStorage.layer)))
})

describe("an agent that names tools and a model", () => {
  const models = Layer.merge(
    booking([]),
    Layer.succeed(AgentNames.ModelNames, Option.some(["fast", "exact"]))
  )

  const put = (fields: object) =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      return yield* (yield* Agents.Agents).put(accountId, Factories.agentDefinition(fields))
    })

  it.effect("is refused if this deployment does not have them", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(put({ tools: ["book", "cancel"], model: "slow" }))
      assert.instanceOf(error, Errors.InvalidRequest)
      assert.deepStrictEqual(error instanceof Errors.InvalidRequest && error.problems, [
        { path: ["tools", 1], message: "is not known to this deployment; known are book" },
        { path: ["model"], message: "is not known to this deployment; known are fast, exact" }
      ])
      const { model, tools } = yield* put({ tools: ["book"], model: "fast" })
      assert.deepStrictEqual([tools, model], [["book"], "fast"])
    }).pipe(Effect.provide(TestEngine.layer({ textAgent: models, tools: [book(() => Effect.void)] }))))

  it.effect("is accepted where they are not known", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* put({ tools: ["book"], model: "slow" })).tools, ["book"])
    }).pipe(Effect.provide(TestEngine.layer())))
})

describe("the tools of a deployment", () => {
  const wrong: ReadonlyArray<readonly [string, string, ReadonlyArray<Tool.Tool>]> = [
    ["has no legal name", "name", [book(() => Effect.void, { name: "book visit" })]],
    ["has the name of another", "name", [book(() => Effect.void), book(() => Effect.void)]],
    ["has the name of a tool of every agent", "name", [book(() => Effect.void, { name: "end_call" })]],
    ["has the reserved name transfer", "name", [book(() => Effect.void, { name: "transfer" })]],
    ["has no description", "description", [book(() => Effect.void, { description: " " })]],
    ["may take too long", "timeout", [book(() => Effect.void, { timeout: "31 seconds" })]],
    ["has no time", "timeout", [book(() => Effect.void, { timeout: 0 })]],
    [
      "takes no object",
      "parameters",
      [Tool.make({ name: "a", description: "A", parameters: Schema.String, run: () => Effect.void })]
    ],
    [
      "has a JSON Schema that cannot be read",
      "parameters",
      [Tool.make({
        name: "a",
        description: "A",
        parameters: { type: "object", $ref: "nowhere" },
        run: () => Effect.void
      })]
    ]
  ]
  it.effect.each(wrong)("are refused if one %s", ([, field, tools]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.scoped(Layer.build(Tool.layer(tools))))
      assert.deepStrictEqual(error.problems.map(({ path }) => path.at(-1)), [field])
    }))
})
