import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import type { AgentInput, AgentPart, Entry } from "../../../src/domain/Conversation.ts"
import * as OptOut from "../../../src/rules/conversation/OptOut.ts"
import { byLanguage, phrasesOf } from "../../../src/rules/conversation/Phrases.ts"
import { scriptedAnswer } from "../../../src/rules/conversation/ScriptedAnswer.ts"

const message = "Hello Grace, this is Ada about your visit."
const isDay = "Does Tuesday suit you?"
const when = "When do you want to come?"
const brief = { script: `${message}\n\nBe friendly.`, questions: [isDay, when] }
const phrases = phrasesOf("en")

/** A log from lines such as `agent: Hello –` (interrupted) and `contact: Yes.` */
const logOf = (lines: ReadonlyArray<string>): ReadonlyArray<Entry> =>
  lines.map((line, index) => ({
    _tag: "Turn",
    speaker: line.startsWith("agent") ? "agent" : "contact",
    text: line.replace(/^\w+: /, "").replace(/ –$/, ""),
    at: index * 1000,
    endedAt: index * 1000,
    ...(line.endsWith(" –") && { interrupted: true })
  }))

const lineOf = (part: AgentPart): string => {
  if (part._tag === "Say") return part.text
  if (part._tag !== "Note") return part._tag
  return part.note._tag === "Answer" ? `${part.note.question} = ${part.note.answer}` : part.note._tag
}

/** What the agent answers to the contact's last words. */
const answers = (
  lines: ReadonlyArray<string>,
  change: Partial<typeof brief> & { readonly firstMessage?: string } = {},
  input?: AgentInput
) => {
  const last = lines.at(-1) ?? ""
  const said: AgentInput = last.startsWith("contact") ? { _tag: "Words", text: last.slice(9) } : { _tag: "Opening" }
  return scriptedAnswer({ ...brief, ...change }, phrases, input ?? said, logOf(lines)).map(lineOf)
}

describe("the scripted agent", () => {
  it.each([
    ["says the first paragraph of the script", [], [message]],
    ["asks the first question after the contact's reply", [`agent: ${message}`, "contact: Hello."], [isDay]],
    [
      "notes the answer and asks the next question",
      [`agent: ${message}`, "contact: Hello.", `agent: ${isDay}`, "contact: Yes, it does."],
      [`${isDay} = Yes, it does.`, when]
    ],
    [
      "notes the last answer, says goodbye and ends",
      [`agent: ${isDay}`, "contact: Yes.", `agent: ${when}`, "contact: At nine."],
      [`${when} = At nine.`, phrases.goodbye, "End"]
    ],
    [
      "joins what the contact said, without sounds of attention",
      [`agent: ${when}`, "contact: Mhm.", "contact: On Monday", "contact: at nine."],
      [`${when} = On Monday at nine.`, phrases.goodbye, "End"]
    ],
    ["takes yes as the answer to a question for yes or no", [`agent: ${isDay}`, "contact: Yes."], [
      `${isDay} = Yes.`,
      when
    ]],
    ["takes digits as an answer", [`agent: ${when}`, "contact: 1", "contact: 5"], [
      `${when} = 15`,
      phrases.goodbye,
      "End"
    ]],
    ["asks again after yes to another question", [`agent: ${when}`, "contact: Yes."], [phrases.repeat, when]],
    ["asks again after a sound that means nothing", [`agent: ${isDay}`, "contact: Hm."], [phrases.repeat, isDay]],
    ["asks again when the contact has not understood", [`agent: ${isDay}`, "contact: Could you repeat that?"], [
      phrases.repeat,
      isDay
    ]],
    [
      "asks again when the contact only says that they are there",
      [`agent: ${isDay}`, `agent: ${phrases.prompt}`, "contact: Yes, I'm here."],
      [phrases.repeat, isDay]
    ],
    [
      "takes an answer that comes after the question whether they are there",
      [`agent: ${isDay}`, `agent: ${phrases.prompt}`, "contact: Tuesday is fine."],
      [`${isDay} = Tuesday is fine.`, when]
    ],
    [
      "takes any words when it has asked twice",
      [`agent: ${when}`, "contact: Yes.", `agent: ${phrases.repeat}`, `agent: ${when}`, "contact: Yes."],
      [`${when} = Yes.`, phrases.goodbye, "End"]
    ],
    ["repeats a message of which little was heard", ["agent: Hello –", "contact: Who is this?"], [message]],
    ["asks again when little of the question was heard", ["agent: Does –", "contact: Well, let me see."], [
      phrases.repeat,
      isDay
    ]],
    ["takes an answer before the end of the question", ["agent: Does Tuesday suit –", "contact: It does."], [
      `${isDay} = It does.`,
      when
    ]],
    [
      "recognizes a message whose cut sentence was repeated",
      ["agent: Hello Grace, this –", `agent: ${message}`, "contact: Hello."],
      [isDay]
    ],
    ["ignores fillers", [`agent: ${isDay}`, `agent: ${phrases.filler}`, "contact: It does."], [
      `${isDay} = It does.`,
      when
    ]],
    ["repeats its goodbye to a contact who goes on", [`agent: ${phrases.goodbye}`, "contact: Wait, and my bill?"], [
      phrases.goodbye,
      "End"
    ]],
    [
      "notes an opt-out before it confirms it",
      [`agent: ${isDay}`, "contact: Please stop calling me."],
      ["OptOut", phrases.optedOut, "End"]
    ],
    ["notes the wish for another call", [`agent: ${message}`, "contact: Call me back tomorrow."], [
      "Callback",
      phrases.callback,
      "End"
    ]],
    ["leaves a contact alone who has no time", [`agent: ${message}`, "contact: I have no time."], [
      phrases.refused,
      "End"
    ]],
    ["ends after a goodbye", [`agent: ${isDay}`, "contact: Okay, bye."], [phrases.goodbye, "End"]],
    [
      "notes an answer that comes with a goodbye",
      [`agent: ${isDay}`, "contact: It does, goodbye."],
      [`${isDay} = It does, goodbye.`, phrases.goodbye, "End"]
    ]
  ])("%s", (_, lines, expected) => assert.deepStrictEqual(answers(lines), expected))

  it("says the first message instead of the script", () => {
    assert.deepStrictEqual(answers([], { firstMessage: "Good morning." }), ["Good morning."])
  })

  it("says goodbye after the reply when it has no questions", () => {
    assert.deepStrictEqual(answers([`agent: ${message}`, "contact: Thanks."], { questions: [] }), [
      phrases.goodbye,
      "End"
    ])
  })

  it("takes the words that interrupted a turn as said after it", () => {
    const [contact, cut] = logOf(["contact: It does.", "agent: Does Tuesday suit –"])
    assert.isDefined(contact)
    const log = [{ ...contact, at: 3000 }, { ...cut, at: 1000 }] as ReadonlyArray<Entry>
    const parts = scriptedAnswer(brief, phrases, { _tag: "Words", text: "It does." }, log)
    assert.deepStrictEqual(parts.map(lineOf), [`${isDay} = It does.`, when])
  })

  it.each([
    [[], [message]],
    [[`agent: ${message}`], []],
    [["agent: Hello Grace –"], [message]],
    [[`agent: ${isDay}`, "contact: Yes.", "agent: When do –"], [when]],
    [[`agent: ${phrases.goodbye}`], ["End"]]
  ])("goes on in another process after %j", (lines, expected) => {
    assert.deepStrictEqual(answers(lines, {}, { _tag: "Resumed" }), expected)
  })

  it("does not talk to a menu", () =>
    assert.deepStrictEqual(answers([], {}, { _tag: "Machine", kind: "ivr" }), ["End"]))

  it("says a long message to the longest answer, and recognizes it", () => {
    const script = "word ".repeat(1000)
    const [said = ""] = answers([], { script })
    assert.isAtMost(said.length, 1500)
    assert.deepStrictEqual(answers([`agent: ${said}`, "contact: Hello."], { script }), [isDay])
  })
})

const wordings: Readonly<
  Record<
    string,
    {
      readonly optOut: ReadonlyArray<string>
      readonly others: Readonly<Record<"callback" | "refused" | "goodbye", string>>
      readonly answer: string
    }
  >
> = {
  en: {
    optOut: [
      "Do not call me again!",
      "Don’t call me any more.",
      "Stop calling.",
      "Take me off your list, please",
      "Please don't call me."
    ],
    others: { callback: "Call me back later.", refused: "Not now, please.", goodbye: "Bye!" },
    answer: "I'm busy on Monday, and don't call me at work."
  },
  es: {
    optOut: ["No me llame más.", "NO ME VUELVAN A LLAMAR", "Por favor, bórrenme de su lista."],
    others: { callback: "Llámeme más tarde.", refused: "No tengo tiempo.", goodbye: "Adios" },
    answer: "Me llaman más los martes."
  },
  fr: {
    optOut: ["Ne m’appelez plus !", "Arrêtez de m'appeler.", "Retirez-moi de votre liste."],
    others: { callback: "Rappelez-moi demain.", refused: "Je n'ai pas le temps.", goodbye: "Au revoir." },
    answer: "Je m'appelle Grace."
  },
  de: {
    optOut: ["Rufen Sie mich nicht mehr an!", "Ich möchte nicht mehr angerufen werden.", "Löschen Sie meine Nummer."],
    others: { callback: "Rufen Sie morgen noch einmal an.", refused: "Ich habe keine Zeit.", goodbye: "Tschüss" },
    answer: "Rufen Sie mich lieber im Büro an."
  },
  pt: {
    optOut: ["Não me ligue mais.", "Parem de me ligar!", "Me tire da sua lista."],
    others: { callback: "Me ligue mais tarde.", refused: "Agora não.", goodbye: "Tchau." },
    answer: "Ligo mais tarde para confirmar."
  }
}

describe.each(Object.keys(byLanguage))("in the language %s", (language) => {
  const own = phrasesOf(`${language}-XX`)
  const { answer = "", optOut = [], others } = wordings[language] ?? {}
  const reactionTo = (text: string) =>
    scriptedAnswer(
      { script: "A.", questions: ["Q?"] },
      own,
      { _tag: "Words", text },
      logOf(["agent: Q?", `contact: ${text}`])
    ).map(lineOf)

  it("has every phrase and list of words, and none is empty", () => {
    const keys = (value: object) => Object.keys(value).sort()
    assert.deepStrictEqual(keys(own), keys(phrases))
    assert.deepStrictEqual(keys(own.words), keys(phrases.words))
    for (const phrase of Object.values(own)) if (typeof phrase === "string") assert.match(phrase, /[.?]$/)
    for (const list of Object.values(own.words)) {
      assert.isNotEmpty(list)
      for (const words of list) assert.match(words, /^\S.*\S$|^\S$/u)
    }
  })

  it("recognizes opt-outs, also in the other languages", () => {
    assert.isNotEmpty(optOut)
    for (const text of optOut) assert.deepStrictEqual(reactionTo(text), ["OptOut", own.optedOut, "End"])
    for (const { optOut } of Object.values(wordings)) {
      for (const text of optOut) assert.include(reactionTo(text), "OptOut")
    }
  })

  it("recognizes the wish for another call, refusals and goodbyes", () => {
    assert.deepStrictEqual(reactionTo(others?.callback ?? ""), ["Callback", own.callback, "End"])
    assert.deepStrictEqual(reactionTo(others?.refused ?? ""), [own.refused, "End"])
    assert.deepStrictEqual(reactionTo(others?.goodbye ?? ""), [own.goodbye, "End"])
  })

  it("takes similar words as an answer", () => {
    assert.deepStrictEqual(reactionTo(answer), [`Q? = ${answer}`, own.goodbye, "End"])
  })
})

describe("phrases", () => {
  it("are English for languages without phrases, whatever their name", () => {
    for (const language of [undefined, "", "it", "constructor", "__proto__", "EN_us"]) {
      assert.strictEqual(phrasesOf(language), phrases)
    }
  })

  it("are your own where you give some", () => {
    const own = { ...phrases, goodbye: "Arrivederci." }
    assert.strictEqual(phrasesOf("it-IT", { it: own }), own)
    assert.strictEqual(phrasesOf("en", { it: own }), phrases)
  })
})

describe("a do-not-call list", () => {
  const isOptOut = (text: string) => OptOut.isOptOut(text, phrases.words)

  it.each([
    "Put me on your do-not-call list.",
    "Is there a do not call list?",
    "I am on the Do Not Call list, so take me off your list.",
    "Stop calling me from your do-not-call list."
  ])("is asked for: %s", (text) => assert.isTrue(isOptOut(text)))

  it.each([
    "Please remove me from the do-not-call list.",
    "Can you take my number off your don't call list?",
    "I want to get off that do not call list."
  ])("is to be left: %s", (text) => assert.isFalse(isOptOut(text)))
})
