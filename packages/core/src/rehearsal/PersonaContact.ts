/** A persona on the line: the contact that makes its moves, and the answers that it has given. */
import { Effect, Schema } from "effect"
import { contains } from "../rules/conversation/ContactWords.ts"
import type { Contact, Move } from "../simulator/SimulatedContact.ts"
import { askedIn } from "./AskedQuestion.ts"
import type { Persona, PersonaAnswer, PersonaMove, Wording } from "./Persona.ts"
import { textsOf } from "./texts/ByLanguage.ts"

/** An answer as it was said or pressed, and the words of which the recorded answer must have one. */
export interface GivenAnswer {
  readonly said: string
  readonly truth: ReadonlyArray<string>
}

/** A persona that was to improvise could not. Nothing can be said of its call. */
export class PersonaFailed extends Schema.TaggedError<PersonaFailed>()("PersonaFailed", {
  persona: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    const { cause, persona } = this
    return `The persona ${persona} failed: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

export interface Played {
  readonly contact: Contact
  /** The questions that it has answered, with its last answer to each. */
  readonly answered: () => ReadonlyMap<string, GivenAnswer>
  /** Improvised words that ask not to be called again. Default: none. */
  readonly optOuts?: () => ReadonlyArray<string>
  /** Why it could not go on, if it could not. */
  readonly failure?: () => PersonaFailed | undefined
}

/** A turn for which the persona has no move. */
export interface Turn {
  /** What was said so far, also to the persona now. */
  readonly spoken: ReadonlyArray<{ readonly speaker: "agent" | "contact"; readonly text: string }>
  /** The question of the agent that it was asked, if any, and its answer to it. */
  readonly question: string | undefined
  readonly answer: PersonaAnswer | undefined
}

export interface Reply {
  readonly move: Move
  /** Whether it answers the question. */
  readonly isAnswer: boolean
  /** Whether its words ask not to be called again. */
  readonly optsOut: boolean
}

/** Decides what a persona does, such as by a language model. */
export type Improvise = (turn: Turn) => Effect.Effect<Reply, PersonaFailed>

export interface PlayOptions {
  readonly persona: Persona
  /** Of the agent. */
  readonly questions: ReadonlyArray<string>
  /** Chooses the wordings: the next number has the next of each. */
  readonly variation: number
  /** Replies where the persona has no move. Default: by its answers and its small talk. */
  readonly improvise?: Improvise
}

/** After so many turns in a row without one of the agent's questions the persona hangs up, so that every conversation ends. */
const mostUnasked = 8

/** The same when it improvises: an agent with a model may ask in words in which its questions are not recognized. */
const mostUnaskedImprovised = 30

export const play = ({ improvise, persona, questions, variation }: PlayOptions): Played => {
  const { moves = [] } = persona
  const reply = improvise ?? prepared(persona, variation)
  const answers = answersTo(questions, persona)
  const answered = new Map<string, GivenAnswer>()
  const optOuts: Array<string> = []
  const spoken: Array<Turn["spoken"][number]> = []
  let failure: PersonaFailed | undefined
  let unasked = 0

  const made = (move: Move): Move => {
    const text = saidIn(move)
    if (text !== undefined) spoken.push({ speaker: "contact", text })
    return move
  }

  const replyTo = Effect.fnUntraced(function*(words: string) {
    const question = askedIn(words, questions)
    const answer = question === undefined ? undefined : answers.get(question)
    unasked = answer === undefined ? unasked + 1 : 0
    if (unasked > (improvise === undefined ? mostUnasked : mostUnaskedImprovised)) return hangsUp
    const { isAnswer, move, optsOut } = yield* reply({ spoken, question, answer })
    const said = saidIn(move)
    if (said !== undefined && optsOut) optOuts.push(said)
    if (said !== undefined && isAnswer && question !== undefined) {
      answered.set(question, { said, truth: answer?.truth === undefined ? [said] : [answer.truth].flat() })
    }
    return move
  })

  return {
    answered: () => answered,
    optOuts: () => optOuts,
    failure: () => failure,
    contact: ({ isSpeaking, moves: index, words }) =>
      Effect.suspend(() => {
        const move = moves[index]
        const isMade = move !== undefined && move.type !== "answers"
        if (isSpeaking) return Effect.succeed(isMade ? made(moveOf(move, variation)) : silent)
        if (words.trim() !== "") spoken.push({ speaker: "agent", text: words })
        if (isMade) return Effect.succeed(made(moveOf(move, variation)))
        if (move === undefined && moves[0]?.type === "machine") return Effect.succeed(silent)
        return Effect.map(
          Effect.catch(replyTo(words), (error) => {
            failure = error
            return Effect.succeed(hangsUp)
          }),
          made
        )
      })
  }
}

/** Gives the answers of the persona, and makes its small talk. */
const prepared = (persona: Persona, variation: number): Improvise => {
  const { smallTalk = textsOf(persona.language)?.smallTalk ?? ["?"] } = persona
  let chats = 0
  return ({ answer }) =>
    Effect.sync(() => {
      if (answer === undefined) {
        const text = smallTalk[Math.min(chats, smallTalk.length - 1)] ?? smallTalk[0]
        chats += 1
        return { move: { _tag: "Says", text }, isAnswer: false, optsOut: false }
      }
      const move: Move = answer.presses === undefined
        ? { _tag: "Says", text: wordingOf(answer.says ?? "", variation) }
        : { _tag: "Presses", digits: answer.presses }
      return { move, isAnswer: true, optsOut: false }
    })
}

/** The words or the keys of a move. */
const saidIn = (move: Move): string | undefined =>
  "text" in move ? move.text : move._tag === "Presses" ? move.digits : undefined

/** The words of an opt-out that the persona may say in this variation. */
export const optOutsOf = ({ moves = [] }: Persona, variation: number): ReadonlyArray<string> =>
  moves.flatMap((move) =>
    "optsOut" in move && move.optsOut === true && move.text !== undefined ? [wordingOf(move.text, variation)] : []
  )

const silent: Move = { _tag: "IsSilent" }
const hangsUp: Move = { _tag: "HangsUp" }

const moveOf = (move: Exclude<PersonaMove, { readonly type: "answers" }>, variation: number): Move => {
  switch (move.type) {
    case "says":
      return { _tag: "Says", text: wordingOf(move.text, variation) }
    case "interrupts":
      return { _tag: "Interrupts", text: wordingOf(move.text, variation), afterWords: move.afterWords }
    case "noise":
      return { _tag: "Noise", afterWords: move.afterWords }
    case "presses":
      return { _tag: "Presses", digits: move.digits }
    case "silent":
      return silent
    case "hangs_up":
      return { _tag: "HangsUp", ...(move.text !== undefined && { text: wordingOf(move.text, variation) }) }
    case "machine":
      return { _tag: "IsMachine", kind: move.kind }
    default:
      return move satisfies never
  }
}

const wordingOf = (text: Wording, variation: number): string =>
  typeof text === "string" ? text : text[variation % text.length] ?? text[0]

/** The answer to each question: the first that names its words, else the next of those that name none. */
const answersTo = (
  questions: ReadonlyArray<string>,
  { answers = [], language }: Persona
): ReadonlyMap<string, PersonaAnswer> => {
  const named = (question: string) =>
    answers.find((answer) => answer.question !== undefined && contains(question, [answer.question].flat()))
  const own = answers.filter(({ question }) => question === undefined)
  const inOrder = own.length > 0 ? own : (textsOf(language)?.answers ?? []).map((says) => ({ says }))
  const result = new Map<string, PersonaAnswer>()
  let next = 0
  for (const question of questions) {
    const answer = named(question) ?? inOrder[next % inOrder.length]
    if (named(question) === undefined) next += 1
    if (answer !== undefined) result.set(question, answer)
  }
  return result
}
