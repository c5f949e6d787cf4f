import { assert, it } from "@effect/vitest"
import { type Conversation, OutcomeSource } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { OutcomeSourceContract } from "@outdial/testkit/contracts"
import { describe } from "vitest"
import { scriptedOutcome } from "../../src/outcome/ScriptedOutcome.ts"

type Note = Conversation.Note

const questions = ["Does Tuesday suit you?", "When?"]

const conversation = (
  contact: ReadonlyArray<string>,
  notes: ReadonlyArray<Note>,
  agent: Partial<OutcomeSource.Conversation["agent"]> = {}
): OutcomeSource.Conversation => ({
  callId: Factories.callId(),
  contact: {},
  transcript: contact.map((text) => ({ speaker: "contact" as const, text })),
  notes,
  isHeld: true,
  agent: Factories.agentBrief({ questions, ...agent })
})

const answer = (question: string, answer: string): Note => ({ _tag: "Answer", question, answer })
const both = [answer("Does Tuesday suit you?", "Yes."), answer("When?", "At nine.")]
const optOut: Note = { _tag: "OptOut" }
const callback: Note = { _tag: "Callback", timeText: "Call me tomorrow." }

describe("the outcome of a scripted conversation", () => {
  it("has the answers in the contact's own words; the last to a question counts", () => {
    const made = conversation(["Yes.", "At nine.", "At ten."], [...both, answer("When?", "At nine. At ten.")])
    assert.deepStrictEqual(scriptedOutcome(made), {
      disposition: "interested",
      summary: "The contact answered all 2 questions.",
      answers: { "Does Tuesday suit you?": "Yes.", "When?": "At nine. At ten." },
      callbackRequested: false,
      evidence: {
        answers: {
          "Does Tuesday suit you?": { quote: "Yes.", sequence: 1 },
          "When?": { quote: "At ten.", sequence: 3 }
        }
      },
      transcript: made.transcript
    })
  })

  it.each([
    ["the words of the answer, not the sounds after them", "At nine.", 2, { quote: "Well, at nine.", sequence: 1 }],
    ["the turn before the note, for an agent that notes its own words", "09:00", 2, { quote: "Mhm.", sequence: 2 }],
    ["no turn after the note", "at ten", 2, { quote: "Mhm.", sequence: 2 }],
    ["the words, where a version before noted no turn", "at nine", undefined, { quote: "Well, at nine.", sequence: 1 }],
    ["nothing, where nothing is known", "09:00", undefined, {}],
    ["nothing for a turn that the carrier's transcript does not have", "09:00", 9, {}]
  ] as ReadonlyArray<[string, string, number | undefined, object]>)(
    "quotes the contact's turn: %s",
    (_, text, sequence, expected) => {
      const note = { ...answer("When?", text), ...(sequence !== undefined && { sequence }) }
      const { evidence } = scriptedOutcome(conversation(["Well, at nine.", "Mhm.", "At ten!"], [note]))
      assert.deepStrictEqual(evidence?.answers, { "When?": expected })
    }
  )

  it("asks not to call again after an opt-out", () => {
    const made = conversation(["Stop calling."], [optOut])
    assert.deepStrictEqual(scriptedOutcome(made), {
      disposition: "not_interested",
      summary: "The contact asked not to be called again.",
      answers: {},
      callbackRequested: false,
      doNotCall: true,
      evidence: { answers: {} },
      transcript: made.transcript
    })
  })

  it("asks for another call, when the contact wants it", () => {
    const { callbackRequested, callbackTimeText, followUp, summary } = scriptedOutcome(
      conversation(["Call me tomorrow."], [callback])
    )
    assert.deepStrictEqual({ callbackRequested, callbackTimeText, followUp, summary }, {
      callbackRequested: true,
      callbackTimeText: "Call me tomorrow.",
      followUp: "CALL",
      summary: "The contact asked for another call."
    })
  })

  it("has the meeting that was requested", () => {
    const { meeting } = scriptedOutcome(conversation(["Yes."], [{ _tag: "Meeting", timeText: "Monday" }]))
    assert.deepStrictEqual(meeting, { requested: true, timeText: "Monday" })
  })

  it.each([
    ["answered", ["Yes."], both, ["good", "bad"], "good"],
    ["answered, by name", ["Yes."], both, ["other", "Completed"], "Completed"],
    ["answered in part", ["Yes."], both.slice(0, 1), ["good", "bad"], "bad"],
    ["answered in part, by name", ["Yes."], both.slice(0, 1), ["good", "incomplete", "bad"], "incomplete"],
    ["refused", ["I have no time."], [], ["good", "Not interested", "bad"], "Not interested"],
    ["callback, by name", ["Call me tomorrow."], [callback], ["good", "call-back", "bad"], "call-back"],
    ["opt-out, by name", ["Stop calling."], [optOut], ["good", "Do not call", "bad"], "Do not call"],
    [
      "opt-out before all others",
      ["Stop calling."],
      [...both, callback, optOut],
      ["good", "callback", "opt_out"],
      "opt_out"
    ],
    ["opt-out during the last words", ["Yes.", "And do not call me again."], both, ["good", "bad"], "bad"],
    ["silent", [], [], ["good", "bad"], "bad"],
    ["one disposition", [], [], ["only"], "only"]
  ] as ReadonlyArray<[string, ReadonlyArray<string>, ReadonlyArray<Note>, ReadonlyArray<string>, string]>)(
    "has a disposition of the agent: %s",
    (_, contact, notes, dispositions, expected) => {
      assert.strictEqual(scriptedOutcome(conversation(contact, notes, { dispositions })).disposition, expected)
    }
  )

  it.each([
    [[], [], "The contact said nothing."],
    [["Well."], [], "The contact answered 0 of 2 questions."],
    [["I have no time."], [], "The contact did not want to talk."]
  ] as ReadonlyArray<[ReadonlyArray<string>, ReadonlyArray<Note>, string]>)(
    "has a summary in one sentence: %j",
    (contact, notes, summary) => {
      assert.strictEqual(scriptedOutcome(conversation(contact, notes)).summary, summary)
    }
  )

  it("is answered without questions when the contact replied", () => {
    const { disposition, summary } = scriptedOutcome(conversation(["Thanks."], [], { questions: [] }))
    assert.deepStrictEqual([disposition, summary], ["interested", "The contact heard the message and replied."])
  })
})

OutcomeSourceContract.contract("scripted", OutcomeSource.OutcomeSource.layerScripted())
