import { assert, it } from "@effect/vitest"
import { BuiltInPersonas, type Errors, Persona } from "@outdial/core"
import { Effect } from "effect"
import { describe } from "vitest"
import { askedIn } from "../../src/rehearsal/AskedQuestion.ts"
import { isOptOut } from "../../src/rules/conversation/OptOut.ts"
import { phrasesOf } from "../../src/rules/conversation/Phrases.ts"

const problems = (json: unknown) =>
  Effect.map(
    Effect.flip(Persona.decodingJson(json)),
    (error: Errors.InvalidRequest) => error.problems.map(({ message, path }) => `/${path.join("/")} ${message}`)
  )

describe("a file of personas", () => {
  it.effect("has names in snake_case, and one wording or several", () =>
    Effect.gen(function*() {
      const read = yield* Persona.decodingJson([{
        name: "grace",
        language: "en-US",
        description: "Has no time",
        contact: { name: "Grace", external_id: "7" },
        moves: [
          { type: "machine", kind: "ivr" },
          { type: "says", text: ["Stop it.", "No more."], opts_out: true },
          { type: "answers" },
          { type: "interrupts", text: "Wait.", after_words: 3 },
          { type: "noise", after_words: 0 },
          { type: "presses", digits: "12#" },
          { type: "silent" },
          { type: "hangs_up" }
        ],
        answers: [{ question: "how often", says: "Twice.", truth: ["twice", "2"] }, { presses: "1" }],
        small_talk: ["Hello."],
        expects: { ending: "opt_out", dispositions: ["do_not_call"] }
      }])
      assert.deepStrictEqual(read[0], {
        name: "grace",
        language: "en-US",
        description: "Has no time",
        contact: { name: "Grace", externalId: "7" },
        moves: [
          { type: "machine", kind: "ivr" },
          { type: "says", text: ["Stop it.", "No more."], optsOut: true },
          { type: "answers" },
          { type: "interrupts", text: "Wait.", afterWords: 3 },
          { type: "noise", afterWords: 0 },
          { type: "presses", digits: "12#" },
          { type: "silent" },
          { type: "hangs_up" }
        ],
        answers: [{ question: "how often", says: "Twice.", truth: ["twice", "2"] }, { presses: "1" }],
        smallTalk: ["Hello."],
        expects: { ending: "opt_out", dispositions: ["do_not_call"] }
      })
    }))

  const cases: ReadonlyArray<readonly [unknown, ReadonlyArray<string>]> = [
    [{}, ["/ must be a list"]],
    [[], ["/ must have at least one persona"]],
    [[{}], ["/0/name is required"]],
    [[{ name: "a" }, { name: "a" }], ["/1/name is the name of an earlier persona"]],
    [[{ name: "a", smalltalk: ["x"] }], ["/0/smalltalk is not a known field; did you mean small_talk?"]],
    [[{ name: "a", moves: [{ type: "shouts" }] }], [
      "/0/moves/0 must have one of the types says, answers, interrupts, noise, presses, silent, hangs_up, machine"
    ]],
    [[{ name: "a", moves: [{ type: "says" }] }], ["/0/moves/0/text is required"]],
    [[{ name: "a", moves: [{ type: "says", text: "…" }] }], ["/0/moves/0/text must have a letter or a digit"]],
    [[{ name: "a", moves: [{ type: "says", text: 3 }] }], [
      "/0/moves/0/text must be words of at most 500 characters, or a list of such texts"
    ]],
    [[{ name: "a", moves: [{ type: "noise", after_words: -1 }] }], ["/0/moves/0/after_words must be 0 to 200 words"]],
    [[{ name: "a", moves: [{ type: "silent" }, { type: "machine", kind: "fax" }] }], [
      "/0/moves/1 must be the first move: a machine answers the phone"
    ]],
    [[{ name: "a", moves: [{ type: "hangs_up", opts_out: true }] }], [
      "/0/moves/0/text is required: an opt-out needs words"
    ]],
    [[{ name: "a", answers: [{ question: "x" }] }], ["/0/answers/0/says is needed, or presses, and not both"]],
    [[{ name: "a", answers: [{ presses: "one" }] }], ["/0/answers/0/presses must have 1 to 64 of 0-9, A-D, * and #"]],
    [[{ name: "a", expects: { ending: "happy" } }], [
      "/0/expects/ending must be one of answered, callback, refused, opt_out, incomplete, no_conversation"
    ]]
  ]
  for (const [json, expected] of cases) {
    it.effect(`is refused, such as ${JSON.stringify(json)}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* problems(json), expected)
      }))
  }

  it.effect("needs texts in a language that ours do not speak", () =>
    Effect.gen(function*() {
      const [problem] = yield* problems([{ name: "a", language: "it" }])
      assert.include(problem ?? "", "is required: there are defaults for the languages en, es, fr, de, pt only")
      yield* Persona.decodingJson([{ name: "a", language: "it", small_talk: ["Pronto."], answers: [{ says: "Sì." }] }])
    }))
})

describe("our personas", () => {
  it.effect("are valid, and as many in each language", () =>
    Effect.forEach(BuiltInPersonas.languages, (language) =>
      Effect.gen(function*() {
        const personas = yield* BuiltInPersonas.speaking(language)
        yield* Persona.decoding(personas)
        assert.strictEqual(personas.length, 27)
      })))

  it.effect("opt out in words that the scripted agent understands", () =>
    Effect.forEach(BuiltInPersonas.languages, (language) =>
      Effect.gen(function*() {
        const { words } = phrasesOf(language)
        const moves = (yield* BuiltInPersonas.speaking(language)).flatMap(({ moves = [] }) => moves)
        const said = moves.flatMap((move) => "optsOut" in move && move.text !== undefined ? [move.text].flat() : [])
        assert.isAtLeast(new Set(said).size, 9)
        assert.deepStrictEqual(said.filter((text) => !isOptOut(text, words)), [])
        const others = moves.flatMap((move) => "text" in move && !("optsOut" in move) ? [move.text ?? []].flat() : [])
        assert.isAbove(others.length, 20)
        assert.deepStrictEqual(others.filter((text) => isOptOut(text, words)), [])
      })))
})

describe("the question that was asked", () => {
  const questions = ["Does Tuesday suit you?", "How often do you come?", "How often do you come by bus?"]

  const cases: ReadonlyArray<readonly [string, string | undefined]> = [
    ["Hello, this is Ada.", undefined],
    ["", undefined],
    ["Thanks! Does Tuesday suit you?", "Does Tuesday suit you?"],
    ["DOES TUESDAY SUIT YOU", "Does Tuesday suit you?"],
    ["Does Tuesday suit you? And how often do you come?", "How often do you come?"],
    ["How often do you come? Does Tuesday suit you?", "Does Tuesday suit you?"],
    ["And would Tuesday suit you?", "Does Tuesday suit you?"],
    ["How often, would you say, do you come by bus?", "How often do you come by bus?"]
  ]
  for (const [words, question] of cases) {
    it(`is ${question ?? "none"} in ${JSON.stringify(words)}`, () => {
      assert.strictEqual(askedIn(words, questions), question)
    })
  }
})
