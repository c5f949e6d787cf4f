/**
 * Personas of a rehearsal that a language model plays. A persona still makes the moves that it has; where it has none, the model decides
 * what it does by its description, its answers and what was said so far.
 */
import { type Persona, PersonaContact, PersonaPlayer } from "@outdial/core"
import { Duration, Effect, Layer, Schema } from "effect"
import { LanguageModel, Prompt } from "effect/ai"

/** No phone waits for it, but a rehearsal must end. */
const answerTimeout = Duration.seconds(60)

/** As long as the texts of personas may be, in characters. */
const longestText = 500

const Action = Schema.Struct({
  action: Schema.Literals(["says", "presses", "silent", "hangs_up"]),
  /** What is said, or the keys; empty with `silent`. */
  text: Schema.String,
  answers_question: Schema.Boolean,
  asks_not_to_be_called_again: Schema.Boolean
})

/**
 * Plays personas with this model: the `player` of `rehearse` and of `Rehearsal.rehearse`. If the model fails or takes more than a minute, the
 * rehearsal fails with `PersonaFailed`.
 */
export const layer = <E, R>(
  model: Layer.Layer<LanguageModel.LanguageModel, E, R>
): Layer.Layer<PersonaPlayer.PersonaPlayer, E, R> =>
  Layer.effect(
    PersonaPlayer.PersonaPlayer,
    Effect.map(LanguageModel.LanguageModel, (model) => ({
      play: (options) => PersonaContact.play({ ...options, improvise: improvising(model, options.persona) })
    }))
  ).pipe(Layer.provide(model))

const improvising = (model: LanguageModel.LanguageModel, persona: Persona.Persona): PersonaContact.Improvise => {
  const failed = (cause: unknown) => new PersonaContact.PersonaFailed({ persona: persona.name, cause })
  return (turn) =>
    model.generateObject({ prompt: promptOf(persona, turn), schema: Action, objectName: "action" }).pipe(
      Effect.mapError(failed),
      Effect.timeoutOrElse({
        duration: answerTimeout,
        orElse: () => Effect.fail(failed(`the model did not answer in ${Duration.toSeconds(answerTimeout)} seconds`))
      }),
      Effect.map(({ value }) => replyOf(value))
    )
}

const replyOf = (action: typeof Action.Type): PersonaContact.Reply => {
  const text = action.text.trim().slice(0, longestText)
  const move = moveOf(action.action, text)
  const isSaid = "text" in move || move._tag === "Presses"
  return {
    move,
    isAnswer: isSaid && action.answers_question,
    optsOut: isSaid && action.asks_not_to_be_called_again
  }
}

/** Models leave out words and press keys that no phone has. */
const moveOf = (action: (typeof Action.Type)["action"], text: string): PersonaContact.Reply["move"] => {
  const hasWords = /[\p{L}\p{N}]/u.test(text)
  switch (action) {
    case "says":
      return hasWords ? { _tag: "Says", text } : { _tag: "IsSilent" }
    case "presses": {
      const digits = text.replaceAll(/[^0-9A-D*#]/gu, "").slice(0, 64)
      return digits === "" ? { _tag: "IsSilent" } : { _tag: "Presses", digits }
    }
    case "silent":
      return { _tag: "IsSilent" }
    case "hangs_up":
      return { _tag: "HangsUp", ...(hasWords && { text }) }
    default:
      return action satisfies never
  }
}

/** The model is the contact, so what the agent said has the role of the user. */
const promptOf = (persona: Persona.Persona, { answer, question, spoken }: PersonaContact.Turn): Prompt.Prompt =>
  Prompt.make([
    { role: "system", content: instructions(persona, question, answer) },
    ...spoken.map(({ speaker, text }) =>
      speaker === "agent"
        ? { role: "user", content: [{ type: "text", text }] } as const
        : { role: "assistant", content: [{ type: "text", text }] } as const
    ),
    // Models answer the user, and the agent may have said nothing since.
    ...spoken.at(-1)?.speaker === "agent"
      ? []
      : [{ role: "user", content: [{ type: "text", text: "(silence)" }] } as const]
  ])

const instructions = (
  { contact, description, language = "en", name }: Persona.Persona,
  question: string | undefined,
  answer: Persona.PersonaAnswer | undefined
): string =>
  [
    "You play a person who has answered the phone, to test the agent that calls. Never help the agent, and never leave the role.",
    `Who you are: ${description ?? name}.`,
    ...contact?.name === undefined ? [] : [`Your name is ${contact.name}.`],
    `You speak the language ${language}, in one or two short spoken sentences.`,
    ...question === undefined || answer === undefined ? [] : [
      `If you answer the question ${JSON.stringify(question)}, this is the truth: ${truthOf(answer)}.`
    ],
    "Choose what you do now. action: says, presses (keys of the phone), silent, or hangs_up (text: your last words, or empty).",
    "answers_question: whether your text answers the agent's question.",
    "asks_not_to_be_called_again: whether your text clearly asks never to be called again; a lack of interest is no such wish."
  ].join("\n")

const truthOf = ({ presses, says, truth }: Persona.PersonaAnswer): string =>
  presses === undefined
    ? JSON.stringify([truth ?? [], says ?? []].flat())
    : `you answer it by pressing ${JSON.stringify(presses)}`
