import { assert, describe, it } from "@effect/vitest"
import * as Sentences from "../../src/agent/Sentences.ts"

/** The sentences of a text that comes in pieces of this length. */
const cut = (text: string, length: number): ReadonlyArray<string> => {
  const sentences = Sentences.make()
  const pieces = Array.from(
    { length: Math.ceil(text.length / length) },
    (_, index) => text.slice(index * length, (index + 1) * length)
  )
  return [...pieces.flatMap(sentences.push), ...sentences.rest()]
}

const cases: ReadonlyArray<readonly [why: string, text: string, sentences: ReadonlyArray<string>]> = [
  ["sentences", "Good morning, Grace. How are you? I am fine!", ["Good morning, Grace.", "How are you?", "I am fine!"]],
  ["no end at the end", "Hello there", ["Hello there"]],
  ["nothing", "  \n ", []],
  ["marks that are no words", "... !", []],
  ["an ellipsis", "Well… yes. And then... no.", ["Well…", "yes.", "And then...", "no."]],
  ["quotes", "He said \"yes.\" Then he left.", ["He said \"yes.\"", "Then he left."]],
  ["titles and initials", "I ask Dr. Smith and J. Doe, e.g. today. Right?", [
    "I ask Dr. Smith and J. Doe, e.g. today.",
    "Right?"
  ]],
  ["numbers", "It costs 3.50 euros. Am 5. Mai um 8.30 Uhr.", ["It costs 3.50 euros.", "Am 5. Mai um 8.30 Uhr."]],
  ["addresses", "See example.com or a.b. Bye.", ["See example.com or a.b.", "Bye."]],
  ["other marks", "これは。いいですか？はい", ["これは。", "いいですか？", "はい"]],
  ["Spanish marks", "¿Le va bien? ¡Perfecto!", ["¿Le va bien?", "¡Perfecto!"]],
  ["markup", "**Hello** _Grace_, use `A1`. # Not a heading", ["Hello Grace, use A1.", "Not a heading"]],
  ["lists", "- One\n- Two\n1. Three\n# Four", ["One", "Two", "Three", "Four"]],
  ["links", "See [our page](https://example.com/a).", ["See our page."]],
  ["notices and stage directions", "[The call was answered.] *Hello* [laughs] Grace.", ["Hello Grace."]],
  ["markup of speech", "Wait <break time=\"600s\"/> please. If 3 < 5, <b>yes</b>.", [
    "Wait please.",
    "If 3 < 5, yes ."
  ]],
  ["pictures", "Great 😀👍🏽! Bye ❤️.", ["Great !", "Bye ."]],
  ["snake case and sums", "Use first_name, 5 * 3 is 15.", ["Use first_name, 5 * 3 is 15."]],
  ["thoughts", "<think>She is busy. I end.</think>Goodbye. See you.", ["Goodbye.", "See you."]],
  ["thoughts without an end", "<think>She is busy. I end.", []],
  ["what only looks like thoughts", "<thi", ["<thi"]],
  ["thoughts later on", "Yes. <think> is a word.", ["Yes.", "<think> is a word."]]
]

describe("the sentences of a model", () => {
  it.each(cases)("are spoken with %s, in whatever pieces they come", (_, text, sentences) => {
    for (const length of [1, 2, 3, 7, 1000]) assert.deepStrictEqual(cut(text, length), sentences, `pieces of ${length}`)
  })

  it("come as soon as the next one begins", () => {
    const sentences = Sentences.make()
    assert.deepStrictEqual(sentences.push("Good morning."), [])
    assert.deepStrictEqual(sentences.push(" "), ["Good morning."])
    assert.deepStrictEqual(sentences.push("How are"), [])
    assert.deepStrictEqual(sentences.push(" you? I am Ada, "), ["How are you?"])
    assert.deepStrictEqual(sentences.rest(), ["I am Ada,"])
    assert.deepStrictEqual(sentences.rest(), [])
  })

  it("are cut between words when they have no end, and anywhere when they have no words", () => {
    const words = cut("word ".repeat(1000), 12)
    assert.strictEqual(words.join(" "), "word ".repeat(1000).trim())
    for (const text of words) assert.isAtMost(text.length, 300)
    const letters = cut("a".repeat(10_000), 100)
    assert.strictEqual(letters.join(""), "a".repeat(10_000))
    for (const text of letters) assert.isAtMost(text.length, 300)
  })
})
