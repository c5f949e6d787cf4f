import { assert, it } from "@effect/vitest"
import { type Conversation, Limits, type Outcome, OutcomeEvidence } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { describe } from "vitest"

const question = "Does Tuesday suit you?"

const turn = (line: string): Outcome.TranscriptTurn => {
  const [, speaker, text] = /^(agent|contact): ?(.*)$/su.exec(line) ?? []
  return { speaker: speaker === "agent" ? "agent" : "contact", text: text ?? "" }
}

const spoken = (lines: ReadonlyArray<string>, questions: ReadonlyArray<string> = [question]) => ({
  agent: { questions },
  transcript: lines.map(turn),
  notes: []
})

/** An outcome that quotes this for each of the answers. */
const quoting = (
  transcript: ReadonlyArray<Outcome.TranscriptTurn>,
  answers: Readonly<Record<string, Outcome.Quote>>
): Outcome.SourceOutcome => ({
  ...Factories.outcome,
  answers: Object.fromEntries(Object.keys(answers).map((question) => [question, `The answer to ${question}`])),
  transcript,
  evidence: { answers }
})

const isVerified = (lines: ReadonlyArray<string>, quote: string, sequence: number, asked = question): boolean => {
  const said = spoken(lines, [asked])
  const { answers, evidence } = OutcomeEvidence.checked(
    quoting(said.transcript, { [asked]: { quote, sequence } }),
    said
  )
  const isLeft = Object.hasOwn(answers, asked)
  assert.deepStrictEqual(
    evidence?.answers,
    { [asked]: isLeft ? { status: "verified", quote, sequence } : { status: "unknown" } }
  )
  return isLeft
}

/** Turns 1 to 6; the question is asked in the third. */
const talk = [
  "agent: Hello, this is Ada.",
  "contact: Hello, yes, I have time.",
  `agent: Fine. ${question}`,
  "contact: Well, Tuesday is fine. I'll be there at half-past nine.",
  "agent: So you know the way. How many will you be?",
  "contact: We are two."
]

describe("a quote", () => {
  it.each([
    ["the whole turn", "Well, Tuesday is fine. I'll be there at half-past nine."],
    ["a part of it", "Tuesday is fine"],
    ["another case", "TUESDAY IS FINE"],
    ["other punctuation", "Tuesday is fine - ill be there!"],
    ["typographic quotes", "“Tuesday is fine. I’ll be there”"],
    ["another apostrophe", "I`ll be there"],
    ["other spaces", "  Tuesday\u00a0is\n fine\t"],
    ["another dash", "half–past nine"],
    ["invisible characters", "Tues\u00adday is\u200b fine"],
    ["full-width letters", "Ｔｕｅｓｄａｙ ｉｓ ｆｉｎｅ"]
  ])("is verified with %s", (_, quote) => {
    assert.isTrue(isVerified(talk, quote, 4))
  })

  it.each([
    ["of the agent", "So you know the way", 5],
    ["of the agent that the contact did not say", "So you know the way", 4],
    ["that stands in another turn", "Tuesday is fine", 6],
    ["joined from two turns", "half-past nine. We are two.", 4],
    ["joined from two turns, in the other one", "half-past nine. We are two.", 6],
    ["joined from two places in a turn", "Tuesday at half-past nine", 4],
    ["from before the question", "yes, I have time", 2],
    ["of a part of a word", "Tues", 4],
    ["that is empty", "", 4],
    ["of spaces", " \u00a0\n", 4],
    ["of punctuation", "... — ?!", 4],
    ["of invisible characters", "\u200b\u2060", 4],
    ["that was invented", "Wednesday is fine", 4],
    ["in turn 0", "Tuesday is fine", 0],
    ["in a turn that there is not", "Tuesday is fine", 7],
    ["in a turn far beyond", "Tuesday is fine", 2_147_483_647],
    ["that is huge", "Tuesday is fine. ".repeat(10_000), 4]
  ])("is not verified %s, and its answer is left out", (_, quote, sequence) => {
    assert.isFalse(isVerified(talk, quote, sequence))
  })

  it.each([
    ["German", "Passt Ihnen Dienstag?", "Dienstag paßt, Straße ist bekannt.", "DIENSTAG PASST, STRASSE"],
    ["German, decomposed", "Wie viele?", "Fünf für uns.", "Fu\u0308nf fu\u0308r uns"],
    ["Spanish", "¿Le va bien el martes?", "¡Sí, el martes está bien!", "si, el martes esta bien"],
    ["French", "Mardi vous convient ?", "C’est d’accord, à 9 heures.", "c'est d'accord a 9 heures"],
    ["Portuguese", "Terça serve?", "Não, só à tarde.", "nao so a tarde"],
    ["Turkish", "Salı uygun mu?", "İyi, olur.", "iyi olur"],
    ["Greek", "Μπορείτε;", "Ναι, μπορώ.", "ΝΑΙ, ΜΠΟΡΩ"],
    ["Russian", "Вам подходит вторник?", "Да, вторник подходит.", "ДА, ВТОРНИК"],
    [
      "Japanese, in the middle of what is written without spaces",
      "火曜日は？",
      "はい、火曜日で大丈夫です。",
      "火曜日で大丈夫"
    ],
    ["Japanese, half width", "お車は？", "ガソリン車です。", "ｶﾞｿﾘﾝ車"],
    ["Chinese", "星期二可以吗？", "可以，星期二下午。", "星期二下午"],
    ["Korean", "화요일 괜찮으세요?", "네, 화요일 좋아요.", "화요일 좋아요".normalize("NFD")],
    ["Thai", "วันอังคารสะดวกไหม", "ได้ครับวันอังคารสะดวก", "วันอังคาร"],
    ["Arabic", "هل يناسبك الثلاثاء؟", "نعم، الثلاثاء مناسب.", "الثلاثاء مناسب"],
    ["Hindi", "क्या मंगलवार ठीक है?", "हाँ, मंगलवार ठीक है।", "मंगलवार ठीक है"],
    ["digits", "Press 1 for yes.", "1", "1"]
  ])("is verified in other languages and spellings: %s", (_, asked, answer, quote) => {
    assert.isTrue(isVerified([`agent: ${asked}`, `contact: ${answer}`], quote, 2, asked))
    assert.isFalse(isVerified([`contact: ${answer}`, `agent: ${asked}`], quote, 1, asked))
  })

  it("is not verified by a word that another one begins with", () => {
    assert.isFalse(isVerified([`agent: ${question}`, "contact: I know nothing."], "no", 2))
    assert.isFalse(isVerified([`agent: ${question}`, "contact: Sie Nein-Sager"], "ein", 2))
    assert.isFalse(isVerified(["agent: หรือ", "contact: กี่"], "ก", 2))
  })

  it("comes after the question, also where that is asked in two turns", () => {
    const lines = ["agent: Hello. Does Tuesday", "contact: Yes?", "agent: suit you?", "contact: Yes."]
    assert.deepStrictEqual([isVerified(lines, "yes", 2), isVerified(lines, "yes", 4)], [false, true])
  })

  it("comes after the first words of an agent that asks in words of its own", () => {
    const lines = ["contact: Hello, yes?", "agent: Would next Tuesday be a good day?", "contact: Yes."]
    assert.deepStrictEqual([isVerified(lines, "yes", 1), isVerified(lines, "yes", 3)], [false, true])
  })

  it("may interrupt the question, whose turn then stands after it", () => {
    const transcript = [
      { speaker: "contact", text: "Hello?", startMs: 0, endMs: 400 },
      { speaker: "contact", text: "Yes, yes.", startMs: 4_000, endMs: 4_800 },
      { speaker: "agent", text: question, startMs: 1_000, endMs: 4_100, interrupted: true }
    ] as const
    const statuses = [1, 2].map((sequence) =>
      OutcomeEvidence.checked(
        quoting(transcript, { [question]: { quote: transcript[sequence - 1]?.text ?? "", sequence } }),
        { ...spoken([]), transcript }
      ).evidence?.answers[question]?.status
    )
    assert.deepStrictEqual(statuses, ["unknown", "verified"])
  })
})

describe("an outcome", () => {
  it("has no answer without a quote, and an entry for each question of the agent", () => {
    const said = spoken(talk, [question, "How many?", "When?", "constructor", "__proto__"])
    const made = quoting(said.transcript, {
      [question]: { quote: "Tuesday is fine", sequence: 4 },
      "When?": { sequence: 4 },
      "Another question": { quote: "We are two", sequence: 6 }
    })
    const { answers, evidence } = OutcomeEvidence.checked(made, said)
    assert.deepStrictEqual(answers, { [question]: `The answer to ${question}` })
    const expected = Object.entries(evidence?.answers ?? {}).map(([name, { status }]) => [name, status])
    assert.deepStrictEqual(expected, [
      [question, "verified"],
      ["How many?", "unknown"],
      ["When?", "unknown"],
      ["constructor", "unknown"],
      ["__proto__", "unknown"]
    ])
  })

  it("keeps the answers of the agent's questions among a thousand", () => {
    const questions = Array.from({ length: 50 }, (_, index) => `Question ${index}?`)
    const said = spoken([...talk, ...questions.flatMap((text) => [`agent: ${text}`, "contact: Indeed."])], questions)
    const made = quoting(
      said.transcript,
      Object.fromEntries(
        Array.from({ length: 1_000 }, (_, index) => [
          `Question ${index}?`,
          { quote: "indeed", sequence: talk.length + 2 * Math.min(index, 49) + 2 }
        ])
      )
    )
    const { answers, evidence } = OutcomeEvidence.checked(made, said)
    assert.deepStrictEqual(Object.keys(answers), questions)
    assert.isTrue(Object.values(evidence?.answers ?? {}).every(({ status }) => status === "verified"))
  })

  it("quotes only what stands in both the conversation and the transcript that the source leaves of it", () => {
    const said = spoken(talk)
    const quotes = { [question]: { quote: "Tuesday is fine", sequence: 4 } }
    const hidden = said.transcript.map((turn) => ({ ...turn, text: "(left out)" }))
    const invented = spoken(["agent: Hello.", "contact: Hello?", `agent: ${question}`, "contact: No."])
    for (const [source, record] of [[hidden, said], [said.transcript, invented]] as const) {
      const { answers, evidence } = OutcomeEvidence.checked(quoting(source, quotes), record)
      assert.deepStrictEqual([answers, evidence?.answers], [{}, { [question]: { status: "unknown" } }])
    }
  })

  it("without evidence keeps its answers", () => {
    assert.deepStrictEqual(OutcomeEvidence.checked(Factories.outcome, spoken(talk)), Factories.outcome)
  })

  it("never undoes an opt-out that is on record", () => {
    const optOut: Conversation.Note = { _tag: "OptOut" }
    for (const doNotCall of [undefined, false, true]) {
      const made = { ...Factories.outcome, ...(doNotCall !== undefined && { doNotCall }) }
      assert.isTrue(OutcomeEvidence.checked(made, { ...spoken(talk), notes: [optOut] }).doNotCall)
    }
    assert.isUndefined(OutcomeEvidence.checked(Factories.outcome, spoken(talk)).doNotCall)
  })

  it("of the longest turns is checked in a moment", () => {
    const long = "Well, ".repeat(1_000).slice(0, Limits.outcomeTextLength)
    const lines = Array.from({ length: 200 }, (_, index) => `${index % 2 === 0 ? "agent" : "contact"}: ${long}`)
    const questions = Array.from({ length: 50 }, (_, index) => `Question ${index}?`)
    const said = spoken(lines, questions)
    const quotes = questions.map((text, index) => [text, { quote: "well well", sequence: 2 * index + 2 }])
    const { answers } = OutcomeEvidence.checked(quoting(said.transcript, Object.fromEntries(quotes)), said)
    assert.lengthOf(Object.keys(answers), 50)
  })
})
