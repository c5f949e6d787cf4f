import { assert, describe, it } from "@effect/vitest"
import { definitionOf, draftOf, emptyDraft, fieldOf, variablesOf } from "../../app/src/pages/agents/AgentDraft.ts"
import { diffLines } from "../../app/src/pages/agents/LineDiff.ts"

const content = {
  name: "Ada",
  script: "Hello {{contact.name}}, {{ day }}",
  language: "de",
  variables: [{ key: "day", default: "" }],
  questions: ["Really?"],
  dispositions: ["yes", "no"],
  caller_id: "+14155550199",
  voicemail_message: "Please call {{clinic}}.",
  voicemail: "leave_message",
  first_message: "Hello",
  disclosure: "This is an AI.",
  max_duration_seconds: 600,
  silence_seconds: 10,
  interruptible: false,
  end_phrases: ["bye"],
  transfer_numbers: [{ name: "reception", number: "+14155550198" }],
  model: "fast",
  voice: "Aoede",
  tools: ["book_visit"]
} as const

describe("an agent's draft", () => {
  it("gives back every field of an agent", () => {
    assert.deepStrictEqual(definitionOf(draftOf(content)), content)
  })

  it("leaves out what is empty, and sends a wrong number as it was typed", () => {
    const draft = { ...emptyDraft, name: "Ada", script: "Hi", dispositions: ["yes", " "], silence_seconds: "ten" }
    assert.deepStrictEqual(definitionOf(draft), {
      name: "Ada",
      script: "Hi",
      questions: [],
      dispositions: ["yes"],
      interruptible: true,
      silence_seconds: "ten"
    })
  })

  it("knows the placeholders of all its texts", () => {
    assert.deepStrictEqual(variablesOf(draftOf(content)), ["day", "clinic"])
  })

  it("shows a problem at its field, also behind entries that were empty and not sent", () => {
    const draft = {
      ...draftOf(content),
      questions: ["", "one", "", "two"],
      transfer_numbers: [{ name: "", number: "" }, { name: "reception", number: "x" }]
    }
    assert.deepStrictEqual(
      ["/script", "/questions/1", "/questions", "/transfer_numbers/0/number", "/variables/0/default"].map((pointer) =>
        fieldOf(pointer, draft)
      ),
      ["script", "questions.3", "questions", "transfer_numbers.1.number", "defaults.day"]
    )
  })
})

describe("the difference of two texts", () => {
  const shown = (left: string, right: string) =>
    diffLines(left.split(""), right.split("")).map(({ left = "_", right = "_" }) => left + right)

  it("keeps equal lines beside each other", () => {
    assert.deepStrictEqual(shown("abcd", "abxd"), ["aa", "bb", "cx", "dd"])
    assert.deepStrictEqual(shown("abc", "bc"), ["a_", "bb", "cc"])
    assert.deepStrictEqual(shown("", "ab"), ["_a", "_b"])
    assert.deepStrictEqual(shown("abc", "abc"), ["aa", "bb", "cc"])
    assert.deepStrictEqual(shown("abcabba", "cbabac").join("").replaceAll("_", "").length, 13)
  })

  it("loses no line, in their order, and shows texts without a common line as replaced", () => {
    const left = Array.from({ length: 3_000 }, (_, index) => `left ${index}`)
    const right = Array.from({ length: 2_900 }, (_, index) => `right ${index}`)
    const rows = diffLines(left, right)
    assert.deepStrictEqual(rows.flatMap((row) => row.left ?? []), left)
    assert.deepStrictEqual(rows.flatMap((row) => row.right ?? []), right)
  })
})
