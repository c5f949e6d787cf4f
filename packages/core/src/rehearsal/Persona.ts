/**
 * A person, or a machine, who answers the phone in a rehearsal: what it does, what its true answers are, and what should come of the call.
 * Personas are data, so that they can be kept in a file beside the agent.
 */
import { Schema } from "effect"
import { Contact } from "../domain/Call.ts"
import * as Limits from "../domain/Limits.ts"
import { nonEmptyText } from "../domain/Text.ts"
import { ContactWire, snakeKeys } from "../domain/Wire.ts"
import { hasWords } from "../rules/conversation/SpokenText.ts"
import * as Decoding from "../domain/Decoding.ts"
import { languages, textsOf } from "./texts/ByLanguage.ts"

/** Longest text of a persona, in characters: more than half a minute of speech. */
const textLength = 500

/** Most moves, answers and personas: far more than a conversation or a rehearsal has. */
const most = 1_000

const Spoken = nonEmptyText(textLength).check(
  Schema.makeFilter((words: string) => hasWords(words) || "must have a letter or a digit")
)

/** One wording, or several of the same: each run has the next. */
export const Wording = Schema.Union([Spoken, Schema.NonEmptyArray(Spoken)]).annotate({
  message: `must be words of at most ${textLength} characters, or a list of such texts`
})
export type Wording = typeof Wording.Type

const AfterWords = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 200 }, { message: "must be 0 to 200 words" })
)

const Digits = Schema.String.annotate({ message: "must be text" }).check(
  Schema.isPattern(/^[0-9A-D*#]{1,64}$/u, { message: "must have 1 to 64 of 0-9, A-D, * and #" })
)

const OptsOut = Schema.optionalKey(Schema.Boolean)

const type = <const T extends string>(name: T) => Schema.Literal(name)

/** Says something. `optsOut` marks words after which the number must be on the do-not-call list. */
const Says = Schema.Struct({ type: type("says"), text: Wording, optsOut: OptsOut })
/** Says its answer to what it was asked; small talk if it was asked nothing. */
const Answers = Schema.Struct({ type: type("answers") })
/** Begins to speak after that many words of the agent. */
const Interrupts = Schema.Struct({ type: type("interrupts"), text: Wording, afterWords: AfterWords, optsOut: OptsOut })
/** A noise that is no word, after that many words of the agent. */
const Noise = Schema.Struct({ type: type("noise"), afterWords: AfterWords })
const Presses = Schema.Struct({ type: type("presses"), digits: Digits })
/** Says nothing until the agent speaks again. */
const Silent = Schema.Struct({ type: type("silent") })
/** Hangs up, after these words if there are any. */
const HangsUp = Schema.Struct({ type: type("hangs_up"), text: Schema.optionalKey(Wording), optsOut: OptsOut })
/** A machine has answered. Only as the first move. */
const Machine = Schema.Struct({ type: type("machine"), kind: Schema.Literals(["voicemail", "ivr", "fax"]) })

const moves = [Says, Answers, Interrupts, Noise, Presses, Silent, HangsUp, Machine] as const

const oneOfTheMoves = {
  message: `must have one of the types ${moves.map(({ fields }) => fields.type.literal).join(", ")}`
}

/** What a persona does when it is its turn. */
export const PersonaMove = Schema.Union(moves).annotate(oneOfTheMoves)
export type PersonaMove = typeof PersonaMove.Type

const MoveWire = Schema.Union([
  snakeKeys(Says),
  Answers,
  snakeKeys(Interrupts),
  snakeKeys(Noise),
  Presses,
  Silent,
  snakeKeys(HangsUp),
  Machine
]).annotate(oneOfTheMoves)

/** An answer that the persona gives, by words or by keys. */
export const PersonaAnswer = Schema.Struct({
  /** Words of the question that it is to; in the order of the agent's questions without them. */
  question: Schema.optionalKey(Wording),
  says: Schema.optionalKey(Wording),
  presses: Schema.optionalKey(Digits),
  /** The recorded answer is right if it has one of these words. Default: what is said or pressed. */
  truth: Schema.optionalKey(Wording)
}).check(
  Schema.makeFilter(({ presses, says }) =>
    (presses === undefined) !== (says === undefined) || { path: ["says"], issue: "is needed, or presses, and not both" }
  )
)
export type PersonaAnswer = typeof PersonaAnswer.Type

/** What should come of a conversation. */
export const Ending = Schema.Literals(["answered", "callback", "refused", "opt_out", "incomplete", "no_conversation"])
export type Ending = typeof Ending.Type

const Expected = Schema.Struct({
  ending: Schema.optionalKey(Ending),
  /** One of these dispositions of the agent; chosen by the ending when not given. */
  dispositions: Schema.optionalKey(Schema.NonEmptyArray(nonEmptyText(Limits.contactTextLength)))
})

const list = <S extends Schema.Constraint>(schema: S) =>
  Schema.Array(schema).check(Schema.isMaxLength(most, { message: `must have at most ${most} entries` }))

const fields = {
  name: nonEmptyText(Limits.contactTextLength),
  /** The primary subtag of its language. Default: `en`. */
  language: Schema.optionalKey(nonEmptyText(35)),
  /** Who it is, for readers of the report. */
  description: Schema.optionalKey(nonEmptyText(Limits.outcomeTextLength)),
  /** The contact of its calls. */
  contact: Schema.optionalKey(Contact),
  /** What it does, one move for each turn. After the last it answers. */
  moves: Schema.optionalKey(list(PersonaMove)),
  answers: Schema.optionalKey(list(PersonaAnswer)),
  /** What it says when it is asked none of the agent's questions, in order; the last again and again. Default: by its language. */
  smallTalk: Schema.optionalKey(Schema.NonEmptyArray(Spoken)),
  expects: Schema.optionalKey(Expected)
}

const machineFirst = Schema.makeFilter(({ moves = [] }: { readonly moves?: ReadonlyArray<PersonaMove> }) => {
  const index = moves.findIndex(({ type }, index) => type === "machine" && index > 0)
  return index < 0 || { path: ["moves", index], issue: "must be the first move: a machine answers the phone" }
})

/** An opt-out without words could not be compared with what was recorded. */
const optsOutInWords = Schema.makeFilter(({ moves = [] }: { readonly moves?: ReadonlyArray<PersonaMove> }) => {
  const index = moves.findIndex((move) => move.type === "hangs_up" && move.optsOut === true && move.text === undefined)
  return index < 0 || { path: ["moves", index, "text"], issue: "is required: an opt-out needs words" }
})

/** Our texts are in a few languages. In another, a persona that would need them must have its own. */
const hasTexts = Schema.makeFilter((persona: Pick<Persona, "answers" | "language" | "smallTalk">) => {
  if (textsOf(persona.language) !== undefined) return true
  const lacking = persona.smallTalk === undefined ? "smallTalk" : persona.answers === undefined ? "answers" : undefined
  return lacking === undefined ||
    { path: [lacking], issue: `is required: there are defaults for the languages ${languages.join(", ")} only` }
})

export const Persona = Schema.Struct(fields).check(machineFirst, optsOutInWords, hasTexts)
export type Persona = Schema.Struct.Type<typeof fields>

const PersonaWire = snakeKeys(Schema.Struct({
  ...fields,
  contact: Schema.optionalKey(ContactWire),
  moves: Schema.optionalKey(list(MoveWire))
})).check(machineFirst, optsOutInWords, hasTexts)

const distinct = Schema.makeFilter((personas: ReadonlyArray<Persona>) => {
  const index = personas.findIndex(({ name }, index) => personas.findIndex((other) => other.name === name) < index)
  return index < 0 || { path: [index, "name"], issue: "is the name of an earlier persona" }
})

const some = <S extends Schema.Constraint>(schema: S) =>
  list(schema).check(Schema.isMinLength(1, { message: "must have at least one persona" }))

/** Personas as code gives them. */
export const decoding = Decoding.decoding(some(Persona).check(distinct), { at: "personas" })

/** Personas as a file has them: a list, with names in snake_case. */
export const decodingJson = Decoding.decoding(some(PersonaWire).check(distinct))
