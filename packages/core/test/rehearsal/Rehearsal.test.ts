import { assert, it } from "@effect/vitest"
import {
  Errors,
  OutcomeSource,
  type Persona,
  PersonaPlayer,
  Rehearsal,
  SimulatedContact,
  TextAgent,
  Tool
} from "@outdial/core"
import { Clock, Context, Duration, Effect, Layer, Stream } from "effect"
import { describe } from "vitest"
import * as HastyClock from "../../../../test/support/HastyClock.ts"
import { ada, answer, end, say, saying } from "./Agents.ts"

const { rehearse } = Rehearsal

const [suits, often] = ada.questions

const agents = {
  en: ada,
  es: {
    ...ada,
    language: "es",
    script: "Hola, soy Ada de la clínica. ¿Tiene un momento?",
    questions: ["¿Le viene bien el martes?", "¿Cuántas veces viene?"]
  },
  fr: {
    ...ada,
    language: "fr-CA",
    script: "Bonjour, ici Ada de la clinique. Vous avez un moment ?",
    questions: ["Mardi vous convient-il ?", "Combien de fois venez-vous ?"]
  },
  de: {
    ...ada,
    language: "de",
    script: "Guten Tag, hier ist Ada von der Praxis. Haben Sie einen Moment?",
    questions: ["Passt Ihnen Dienstag?", "Wie oft kommen Sie?"]
  },
  pt: {
    ...ada,
    language: "pt-BR",
    script: "Olá, aqui é a Ada da clínica. Você tem um momento?",
    questions: ["Terça está bom para você?", "Quantas vezes você vem?"]
  }
}

/** As many as we have personas in a language. */
const personas = 27

const words = (run: { readonly transcript: ReadonlyArray<{ readonly speaker: string; readonly text: string }> }) =>
  run.transcript.map(({ speaker, text }) => `${speaker}: ${text}`)

describe("a rehearsal of the scripted agent", () => {
  for (const [language, agent] of Object.entries(agents)) {
    it.live(`keeps every must, and ends as each of our personas expects, in ${language}`, () =>
      Effect.gen(function*() {
        // The words differ in the second round.
        const rounds = language === "en" ? 2 : 1
        const of = rounds * personas
        const { answers, expected, listedUnasked, musts, passed, runs } = yield* rehearse({ agent, runs: of })
        assert.deepStrictEqual(runs.filter(({ isExpected }) => isExpected !== true), [])
        assert.deepStrictEqual(runs.flatMap(({ failures }) => failures), [])
        assert.deepStrictEqual({ passed, expected, listedUnasked }, {
          passed: true,
          expected: { met: of, of },
          listedUnasked: 0
        })
        assert.deepStrictEqual(musts, [
          // Four of our personas opt out.
          { must: "opt_outs", kept: 4 * rounds, of: 4 * rounds },
          ...(["duration", "silence", "monologue", "disclosure", "agent"] as const)
            .map((must) => ({ must, kept: of, of }))
        ])
        const [right, ...others] = answers
        assert.isAbove(right?.count ?? 0, 25 * rounds)
        assert.deepStrictEqual(others.map(({ count }) => count), [0, 0, 0])
      }), 120_000)
  }

  it.live("is the same again with the same seed, and another with another", () =>
    Effect.gen(function*() {
      const held = Effect.fnUntraced(function*(seed: number, concurrency: number) {
        const { latencyMs: _, runs, ...report } = yield* rehearse({ agent: ada, runs: 15, seed, concurrency })
        return { ...report, seed: 0, runs: runs.map(({ latenciesMs: _, ...run }) => run) }
      })
      const first = yield* held(7, 1)
      assert.deepStrictEqual(yield* held(7, 10), first)
      assert.notDeepEqual(yield* held(8, 1), first)
    }), 120_000)

  it.live("says what came of each call", () =>
    Effect.gen(function*() {
      const { runs } = yield* rehearse({ agent: ada, runs: 1 })
      const [{ latenciesMs, ...run } = { latenciesMs: [] }] = runs
      assert.strictEqual(latenciesMs.length, 3)
      assert.deepStrictEqual(run, {
        number: 1,
        persona: "willing",
        status: "completed",
        endReason: "agent_ended",
        disposition: "completed",
        isExpected: true,
        answers: [
          { question: suits, said: "Yes, that suits me.", recorded: "Yes, that suits me.", verdict: "right" },
          { question: often, said: "I think so.", recorded: "I think so.", verdict: "right" }
        ],
        optedOut: false,
        isListed: false,
        failures: [],
        usage: [],
        durationMs: 16_422,
        transcript: [
          { speaker: "agent", text: "This call is recorded.", startMs: 0, endMs: 1_452 },
          { speaker: "agent", text: ada.script, startMs: 1_452, endMs: 5_610 },
          { speaker: "contact", text: "Yes, this is a good time.", startMs: 6_640, endMs: 7_960 },
          { speaker: "agent", text: suits, startMs: 7_960, endMs: 9_412 },
          { speaker: "contact", text: "Yes, that suits me.", startMs: 10_442, endMs: 11_366 },
          { speaker: "agent", text: often, startMs: 11_366, endMs: 12_818 },
          { speaker: "contact", text: "I think so.", startMs: 13_650, endMs: 14_244 },
          { speaker: "agent", text: "Thank you for your time. Goodbye.", startMs: 14_244, endMs: 16_422 }
        ]
      })
    }))
})

describe("a rehearsal of an agent of one's own", () => {
  it.live("fails when an opt-out is ignored, and has the words", () =>
    Effect.gen(function*() {
      const personas: ReadonlyArray<Persona.Persona> = [{
        name: "firm",
        moves: [{ type: "says", text: "Delete me from everything you have.", optsOut: true }, { type: "hangs_up" }]
      }]
      const { musts, passed, runs } = yield* rehearse({
        agent: ada,
        personas,
        runs: 2,
        textAgent: saying([say("Hello.")], [say("I see. Does Tuesday suit you?")])
      })
      assert.isFalse(passed)
      assert.deepStrictEqual(musts[0], { must: "opt_outs", kept: 0, of: 2 })
      const [run] = runs
      assert.deepStrictEqual(run?.failures, [{
        must: "opt_outs",
        message:
          "The contact said \"Delete me from everything you have.\", and the number is not on the do-not-call list."
      }])
      assert.include(run === undefined ? [] : words(run), "contact: Delete me from everything you have.")
    }))

  it.live("compares the recorded answers with those that were given", () =>
    Effect.gen(function*() {
      const personas: ReadonlyArray<Persona.Persona> = [{
        name: "Grace",
        smallTalk: ["Hello."],
        answers: [{ question: ["how often", "how many"], says: "Twice, or three times.", truth: ["twice", "2"] }, {
          says: "Yes, gladly."
        }]
      }]
      const recorded = Effect.fnUntraced(function*(...notes: ReadonlyArray<readonly [string, string]>) {
        const textAgent = saying(
          [say("Hello.")],
          [say(suits)],
          [say("And tell me, how often would you say that you do come?")],
          [...notes.map(([question, text]) => answer(question, text)), say("Goodbye."), end]
        )
        const { runs } = yield* rehearse({ agent: ada, personas, runs: 1, textAgent })
        return runs[0]?.answers.map(({ recorded, said, verdict }) => [said, recorded, verdict])
      })
      const yes = ["Yes, gladly.", "yes", "right"]
      const said = "Twice, or three times."
      assert.deepStrictEqual(yield* recorded([suits, "yes"], [often, "2 times"]), [yes, [said, "2 times", "right"]])
      assert.deepStrictEqual(yield* recorded([suits, "yes"], [often, "three times"]), [yes, [
        said,
        "three times",
        "wrong"
      ]])
      assert.deepStrictEqual(yield* recorded([suits, "no"]), [["Yes, gladly.", "no", "wrong"], [said, null, "missing"]])
    }))

  it.live("finds answers that were not given", () =>
    Effect.gen(function*() {
      const { answers } = yield* rehearse({
        agent: ada,
        personas: [{ name: "Grace" }],
        runs: 1,
        textAgent: saying([say("Hello.")], [answer(suits, "yes"), say("Goodbye."), end])
      })
      assert.deepStrictEqual(answers.filter(({ count }) => count > 0), [{ verdict: "not_given", count: 1 }])
    }))

  it.live("fails when the agent fails", () =>
    Effect.gen(function*() {
      const textAgent = TextAgent.TextAgent.layerOfAnswers(() =>
        Stream.fail(new TextAgent.AgentFailed({ cause: "no model" }))
      )
      const { musts, passed, runs } = yield* rehearse({ agent: ada, runs: 3, textAgent })
      assert.deepStrictEqual([passed, musts.at(-1)], [false, { must: "agent", kept: 0, of: 3 }])
      assert.deepStrictEqual(runs[0]?.failures, [{ must: "agent", message: "The agent failed: no model" }])
    }))

  it.live("stands still while the agent thinks, and measures how long it does", () =>
    Effect.gen(function*() {
      const textAgent = TextAgent.TextAgent.layerOf(async function*({ input }) {
        await new Promise((done) => setTimeout(done, 30))
        yield say(input._tag === "Opening" ? "Hello." : "Goodbye.")
        if (input._tag === "Words") yield end
      })
      const { latencyMs, runs } = yield* rehearse({ agent: ada, personas: [{ name: "Grace" }], runs: 1, textAgent })
      assert.deepStrictEqual(runs.map(words), [[
        "agent: This call is recorded.",
        "agent: Hello.",
        "contact: Yes, this is a good time.",
        "agent: Goodbye."
      ]])
      const [, , heard, said] = runs[0]?.transcript ?? []
      assert.strictEqual(said?.startMs, heard?.endMs)
      assert.isAtLeast(latencyMs?.p50 ?? 0, 29)
    }))

  it.live("does not wait for ever for an agent that does not answer", () =>
    Effect.gen(function*() {
      const textAgent = TextAgent.TextAgent.layerOfAnswers(() => Stream.never)
      const { runs } = yield* rehearse({ agent: ada, personas: [{ name: "Grace" }], runs: 1, textAgent })
      assert.deepStrictEqual(runs.map(({ endReason, failures }) => [endReason, failures]), [[
        "agent_failed",
        [{ must: "agent", message: "The agent failed: It did not answer in time" }]
      ]])
    }).pipe(Effect.provideService(Clock.Clock, HastyClock.make(200))))

  it.live("asks an outcome source again when that allows it, in real time", () =>
    Effect.gen(function*() {
      const asked: Array<number> = []
      const { make } = Context.get(
        yield* Layer.build(OutcomeSource.OutcomeSource.layerScripted()),
        OutcomeSource.OutcomeSource
      )
      const outcomes = Layer.succeed(OutcomeSource.OutcomeSource, {
        make: (conversation) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            asked.push(now) > 1
              ? make(conversation)
              : Effect.fail(new OutcomeSource.OutcomeFailed({ cause: "limited", retryAfter: Duration.seconds(7) })))
      })
      const { runs } = yield* rehearse({ agent: ada, runs: 1, outcomes })
      assert.notStrictEqual(runs[0]?.disposition, null)
      const [first = 0, second = 0, ...others] = asked
      assert.isEmpty(others)
      assert.isAtLeast(second - first, 7_000)
    }).pipe(Effect.provideService(Clock.Clock, HastyClock.make(50))))

  it.live("ends with a contact and an agent that talk for ever", () =>
    Effect.gen(function*() {
      const { runs } = yield* rehearse({
        agent: { ...ada, maxDurationSeconds: 120 },
        personas: [{ name: "chatty", moves: Array.from({ length: 500 }, () => ({ type: "says", text: "And then?" })) }],
        runs: 1,
        textAgent: saying([say("Well.")])
      })
      assert.deepStrictEqual(runs.map(({ endReason, failures }) => [endReason, failures]), [["max_duration", []]])
    }))
})

describe("the options of a rehearsal", () => {
  it.live("let another play the persona", () =>
    Effect.gen(function*() {
      const { runs } = yield* rehearse({
        agent: ada,
        personas: [{ name: "parrot", description: "Repeats what it hears" }],
        runs: 1,
        player: Layer.succeed(PersonaPlayer.PersonaPlayer, {
          play: ({ persona }) => ({
            answered: () => new Map(),
            contact: ({ isSpeaking, moves, words }) =>
              Effect.succeed<SimulatedContact.Move>(
                isSpeaking ? { _tag: "IsSilent" } : moves > 1 ? { _tag: "HangsUp" } : {
                  _tag: "Says",
                  text: `${persona.description}: ${words}`
                }
              )
          })
        })
      })
      assert.deepStrictEqual(
        runs.flatMap(words).filter((line) => line.startsWith("contact")),
        [
          `contact: Repeats what it hears: This call is recorded. ${ada.script}`,
          `contact: Repeats what it hears: ${suits}`
        ]
      )
    }))

  const refused = (options: Partial<Rehearsal.RehearsalOptions>) =>
    Effect.map(
      Effect.flip(rehearse({ agent: ada, ...options })),
      (error) => error instanceof Errors.InvalidRequest ? error.problems : error
    )

  it.live("are checked", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* refused({ runs: 0, seed: -1, concurrency: 1.5 }), [
        { path: ["runs"], message: "must be 1 to 10000" },
        { path: ["seed"], message: "must be 0 to 2147483647" },
        { path: ["concurrency"], message: "must be a whole number" }
      ])
      assert.deepStrictEqual(yield* refused({ personas: [] }), [
        { path: ["personas"], message: "must have at least one persona" }
      ])
      assert.deepStrictEqual(yield* refused({ agent: { ...ada, language: "it-IT" } }), [{
        path: ["personas"],
        message: "are needed: none of ours speaks the agent's language it-IT; they speak en, es, fr, de, pt"
      }])
      const error = yield* Effect.flip(rehearse({ agent: { ...ada, script: "Hello {{contact.name}} of {{town}}." } }))
      assert.include(error.message, "town")
    }))

  it.live("fill the placeholders of the agent's texts", () =>
    Effect.gen(function*() {
      const { runs } = yield* rehearse({
        agent: { ...ada, script: "Hello {{contact.name}} of {{town}}." },
        variables: { town: "Arlington" },
        personas: [{ name: "Grace", contact: { name: "Grace Hopper" } }],
        runs: 1
      })
      assert.include(runs.flatMap(words), "agent: Hello Grace Hopper of Arlington.")
    }))
})

describe("a rehearsal of an agent with tools", () => {
  it.live("runs them in real time, while the call's clock stands still", () =>
    Effect.gen(function*() {
      const find = Tool.make({
        name: "find",
        description: "Finds a free time.",
        parameters: { type: "object" },
        timeout: "5 seconds",
        run: () => Effect.as(Effect.sleep("300 millis"), "Tuesday")
      })
      const textAgent = TextAgent.TextAgent.layerOf(async function*({ input, tools }) {
        if (input._tag === "Opening") return yield say("Hello, do you have a minute?")
        yield say(`I found ${JSON.stringify(await tools.run("find", {}))}.`)
        yield end
      })
      const { runs } = yield* rehearse({
        agent: { ...ada, tools: ["find"] },
        textAgent,
        tools: [find],
        personas: [{ name: "Grace" }],
        runs: 2
      })
      for (const run of runs) assert.include(words(run), "agent: I found {\"result\":\"Tuesday\"}.")
    }))
})
