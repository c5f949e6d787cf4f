/**
 * Checks what an outcome source says that the contact said. A quote must stand in one turn of the contact, after the question was asked;
 * otherwise its answer is left out. That the words were said does not mean that they are true, or that they answer the question.
 */
import type { LoggedNote } from "../../domain/Conversation.ts"
import type { AnswerEvidence, Outcome, SourceOutcome, TranscriptTurn } from "../../domain/Outcome.ts"
import { normalized } from "../conversation/ContactWords.ts"

/** What is on record of the conversation. */
export interface Spoken {
  readonly agent: { readonly questions: ReadonlyArray<string> }
  readonly transcript: ReadonlyArray<TranscriptTurn>
  readonly notes: ReadonlyArray<LoggedNote>
}

/**
 * The outcome with its quotes checked, and with an opt-out that is on record. If it brings evidence, it has answers to the agent's questions
 * only, each with a verified quote. Without evidence its answers stay as they are.
 */
export const checked = ({ evidence, ...outcome }: SourceOutcome, { agent, notes, transcript }: Spoken): Outcome => {
  const hasOptedOut = notes.some(({ _tag }) => _tag === "OptOut")
  const kept: Outcome = hasOptedOut ? { ...outcome, doNotCall: true } : outcome
  if (evidence === undefined) return kept
  // A source may leave words out of the transcript, which then must not stay as quotes, and must not add any.
  const sources = [makeFinder(transcript), makeFinder(outcome.transcript)]
  const results = agent.questions.map((question) => {
    const given = own(evidence.answers, question)
    const answer = own(outcome.answers, question)
    const { quote, sequence } = given ?? {}
    const isVerified = quote !== undefined && sequence !== undefined &&
      sources.every((stands) => stands(quote, sequence, question))
    const checked: AnswerEvidence = answer !== undefined && isVerified
      ? { status: "verified", quote, sequence }
      : { status: "unknown" }
    return { question, answer, checked }
  })
  return {
    ...kept,
    answers: Object.fromEntries(
      results.flatMap(({ answer, checked, question }) =>
        answer !== undefined && checked.status === "verified" ? [[question, answer]] : []
      )
    ),
    evidence: { ...evidence, answers: Object.fromEntries(results.map(({ checked, question }) => [question, checked])) }
  }
}

/** Questions are the account's own words: one may be called `constructor`. */
const own = <A>(record: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** Whether a quote stands in the turn with this number, after the question was asked. */
type Finder = (quote: string, sequence: number, question: string) => boolean

const makeFinder = (transcript: ReadonlyArray<TranscriptTurn>): Finder => {
  const words = new Map<number, string>()
  const wordsOf = (index: number): string => {
    const known = words.get(index) ?? comparable(transcript[index]?.text ?? "")
    words.set(index, known)
    return known
  }
  // As one text: a long turn is split into several, and an interrupted question is continued in the next.
  const saidByAgent = (isMeant: (index: number) => boolean): string =>
    transcript
      .flatMap(({ speaker }, index) => speaker === "agent" && isMeant(index) ? [wordsOf(index)] : [])
      .filter((text) => text !== "")
      .join(" ")
  const all = saidByAgent(() => true)
  // A turn that was interrupted stands after the words that interrupted it.
  const beganBefore = (index: number, other: number): boolean =>
    index < other || (transcript[index]?.startMs ?? Infinity) < (transcript[other]?.startMs ?? -Infinity)
  return (quote, sequence, question) => {
    const index = sequence - 1
    if (transcript[index]?.speaker !== "contact" || !contains(wordsOf(index), comparable(quote))) return false
    const before = saidByAgent((other) => beganBefore(other, index))
    const asked = comparable(question)
    // A question that was asked in other words cannot be recognized: then the agent must have said something.
    return contains(all, asked) ? contains(before, asked) : before !== ""
  }
}

/** In whole words. */
const contains = (text: string, words: string): boolean => words !== "" && ` ${text} `.includes(` ${words} `)

/** Scripts without spaces between words: each of their characters counts as a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*/gu

/** Words in a form that does not depend on case, accents, punctuation, spaces and the way in which Unicode writes them. */
const comparable = (text: string): string =>
  normalized(
    text
      .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
      .replaceAll(/[‘’‚‛ʹʼ′´`]/gu, "'")
      .normalize("NFKC")
      .replaceAll("$", " ")
      // The upper case of ß is SS.
      .toUpperCase()
  ).replaceAll(unspaced, " $& ").replaceAll(/\s+/gu, " ").trim()
