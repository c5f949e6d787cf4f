/** The scripted agent in whole conversations, with contacts who answer, interrupt, or say anything at any time. */
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { describe } from "vitest"
import type { Entry } from "../../../src/domain/Conversation.ts"
import * as Conversation from "../../../src/rules/conversation/Conversation.ts"
import { phrasesOf } from "../../../src/rules/conversation/Phrases.ts"
import { scriptedAnswer } from "../../../src/rules/conversation/ScriptedAnswer.ts"
import { settings } from "../../support/Dialogue.ts"

const phrases = phrasesOf("en")

const brief = {
  script: "Hello Grace. This is Ada about your visit.",
  questions: ["Does Tuesday suit you?", "At what time?"]
}

/** What the contact says, and how long after the beginning or the end of an utterance of the agent. */
interface Reaction {
  readonly text: string
  readonly after: "start" | "end"
  readonly delay: number
}

/** How the contact reacts to an utterance of the agent. */
type Contact = (utterance: string, count: number) => Reaction | undefined

const charactersPerSecond = 15

/** Holds the conversation to its end. After `moveAfter` entries another process continues it. */
const hold = (contact: Contact, moveAfter = Infinity): ReadonlyArray<Entry> => {
  let entries: ReadonlyArray<Entry> = []
  let state = Conversation.start(settings)
  let queue: ReadonlyArray<readonly [number, Conversation.Input]> = []
  let wakeAt = Infinity
  let playedUntil = 0
  let count = 0
  let hasMoved = false
  const take = (now: number, input: Conversation.Input): void => {
    const next = Conversation.step(state, input, now)
    state = next.state
    wakeAt = next.wakeAt
    for (const action of next.actions) {
      if (action._tag === "Log") entries = [...entries, action.entry]
      if (action._tag === "StopSpeaking") {
        const [first] = state.speech
        queue = queue.filter(([, input]) => input._tag !== "Line" || input.event._tag !== "Played")
        if (first !== undefined) {
          const heard = first.text.slice(0, Math.floor((now - first.at) * charactersPerSecond / 1000))
          queue = [...queue, [now, { _tag: "Line", event: { _tag: "Stopped", utterance: first.id, heard } }]]
        }
        playedUntil = now
      }
      if (action._tag === "Speak") {
        const start = Math.max(now, playedUntil)
        playedUntil = start + action.text.length * 1000 / charactersPerSecond
        queue = [...queue, [playedUntil, { _tag: "Line", event: { _tag: "Played", utterance: action.utterance } }]]
        const said = contact(action.text, count++)
        if (said !== undefined) {
          const at = (said.after === "start" ? start : playedUntil) + said.delay
          queue = [...queue, [at, { _tag: "Line", event: { _tag: "Heard", text: said.text, isFinal: true } }]]
        }
      }
      if (action._tag === "Ask") {
        for (const part of scriptedAnswer(brief, phrases, action.input, entries)) {
          queue = [...queue, [now, { _tag: "Part", request: action.request, part }]]
        }
        queue = [...queue, [now, { _tag: "Done", request: action.request }]]
      }
    }
  }
  take(0, { _tag: "Answered" })
  for (let steps = 0; steps < 500 && state.phase !== "over"; steps++) {
    const [next] = queue.toSorted(([one], [other]) => one - other)
    if (!hasMoved && entries.length >= moveAfter) {
      hasMoved = true
      queue = queue.filter(([, input]) => input._tag === "Line" && input.event._tag === "Heard")
      state = Conversation.resume(settings, entries, state.now)
      take(state.now, { _tag: "Answered" })
    } else if (next === undefined || wakeAt < next[0]) {
      take(wakeAt, { _tag: "Time" })
    } else {
      queue = queue.filter((one) => one !== next)
      take(next[0], next[1])
    }
  }
  return entries
}

const answersOf = (entries: ReadonlyArray<Entry>) =>
  Object.fromEntries(
    entries.flatMap((entry) =>
      entry._tag === "Noted" && entry.note._tag === "Answer" ? [[entry.note.question, entry.note.answer]] : []
    )
  )

const reasonOf = (entries: ReadonlyArray<Entry>) =>
  entries.flatMap((entry) => entry._tag === "Over" ? [entry.reason] : [])

const replies: Readonly<Record<string, string>> = {
  [brief.script]: "Hello Ada.",
  "Does Tuesday suit you?": "Yes, it does.",
  "At what time?": "At nine."
}

const willing: Contact = (utterance) => {
  const [, text] = Object.entries(replies).find(([said]) => said.endsWith(utterance)) ?? []
  return text === undefined ? undefined : { text, after: "end", delay: 400 }
}

describe("a scripted conversation", () => {
  it("asks every question, notes the answers and says goodbye", () => {
    const entries = hold(willing)
    assert.deepStrictEqual(
      entries.map((entry) => entry._tag === "Turn" ? `${entry.speaker}: ${entry.text}` : entry._tag),
      [
        `agent: ${brief.script}`,
        "contact: Hello Ada.",
        "agent: Does Tuesday suit you?",
        "contact: Yes, it does.",
        "Noted",
        "agent: At what time?",
        "contact: At nine.",
        "Noted",
        `agent: ${phrases.goodbye}`,
        "Over"
      ]
    )
    assert.deepStrictEqual(reasonOf(entries), ["agent_ended"])
  })

  it("gives the same answers wherever another process continues it", () => {
    const expected = { "Does Tuesday suit you?": "Yes, it does.", "At what time?": "At nine." }
    for (let moveAfter = 0; moveAfter < 10; moveAfter++) {
      assert.deepStrictEqual([moveAfter, answersOf(hold(willing, moveAfter))], [moveAfter, expected])
    }
  })

  it("takes answers that come before the end of the question", () => {
    const hasty: Contact = (utterance) => {
      const reply = willing(utterance, 0)
      return reply && { ...reply, after: "start", delay: utterance.length * 1000 / charactersPerSecond * 0.7 }
    }
    assert.deepStrictEqual(answersOf(hold(hasty)), {
      "Does Tuesday suit you?": "Yes, it does.",
      "At what time?": "At nine."
    })
  })

  it("ends when the contact is silent", () => {
    assert.deepStrictEqual(reasonOf(hold(() => undefined)), ["contact_silent"])
  })

  it("ends with the opt-out, wherever it comes", () => {
    for (const after of ["start", "end"] as const) {
      for (let at = 0; at < 3; at++) {
        const entries = hold((utterance, count) =>
          count === at ? { text: "Do not call me again.", after, delay: 500 } : willing(utterance, count)
        )
        assert.deepStrictEqual([at, ...reasonOf(entries)], [at, "opt_out"])
        assert.isTrue(entries.some((entry) => entry._tag === "Noted" && entry.note._tag === "OptOut"))
      }
    }
  })

  const words = [
    "Yes.",
    "Hm.",
    "What did you say?",
    "At nine.",
    "Who is this?",
    "I am here.",
    "Tuesday",
    "Wait!",
    "",
    "Bye."
  ]
  const Random = Schema.Array(Schema.Struct({
    text: Schema.Literals(words),
    after: Schema.Literals(["start", "end"]),
    delay: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4000 }))
  })).check(Schema.isMaxLength(20))

  it.prop(
    "ends with any contact, asks a question at most twice, and notes only what the contact said",
    [Random],
    ([reactions]) => {
      const entries = hold((_, count) => reactions[count])
      assert.strictEqual(reasonOf(entries).length, 1)
      for (const question of brief.questions) {
        const asked = entries.filter((entry) => entry._tag === "Turn" && entry.text === question)
        assert.isAtMost(asked.length, 2)
      }
      for (const answer of Object.values(answersOf(entries))) {
        assert.isTrue(words.some((text) => text !== "" && answer.includes(text)))
      }
    },
    { arbitrary: { runs: 500 } }
  )
})
