import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { describe } from "vitest"
import { beginning, fromCutSentence, heardLength, isQuestion } from "../../../src/rules/conversation/SpokenText.ts"

const text = "Hello Grace. This is Ada! Is 3.5 fine?"

describe("the sentence that was cut", () => {
  it.each([
    ["", text],
    ["Hello Gr", text],
    ["Hello Grace", text],
    ["Hello Grace.", "This is Ada! Is 3.5 fine?"],
    ["Hello Grace. Th", "This is Ada! Is 3.5 fine?"],
    ["Hello Grace. This is Ada! Is 3.", "Is 3.5 fine?"]
  ])("begins after the last sentence that was heard: %j", (heard, rest) => {
    assert.strictEqual(fromCutSentence(text, heard.length), rest)
  })
})

describe("what was heard", () => {
  it.each([
    ["", 0],
    ["Hello", 5],
    [" Hello Grace. ", 12],
    ["hello grace", 12],
    ["hello, grace, this", 17],
    ["HELLO GRACE THIS IS ADA IS 35 FINE", text.length],
    ["Good morning", 0],
    ["Hello Grace. This is Bob", 0],
    [`${text} And more`, 0]
  ])("is the beginning of the text, whatever its case and punctuation: %j", (heard, length) => {
    assert.strictEqual(heardLength(text, heard), length)
  })
})

describe("a beginning", () => {
  it.each([
    ["one two", 7, "one two"],
    ["one two", 6, "one"],
    ["one two", 3, "one"],
    ["onetwo", 3, "one"],
    ["🙂🙂", 3, "🙂"],
    ["one two", 0, ""]
  ])("has whole words and whole characters: %j to %i", (whole, length, expected) => {
    assert.strictEqual(beginning(whole, length), expected)
  })

  it.prop("is never longer than asked, and the text begins with it", [
    Schema.String,
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 }))
  ], ([whole, length]) => {
    const cut = beginning(whole, length)
    assert.isTrue(cut.length <= length && whole.startsWith(cut))
  })
})

describe("a question", () => {
  it.each([["Yes?", true], ["“Yes?”", true], ["Oui ?", true], ["はい？", true], ["No.", false], [
    "Why? Because.",
    false
  ]])(
    "ends with a question mark: %j",
    (words, expected) => assert.strictEqual(isQuestion(words), expected)
  )
})
