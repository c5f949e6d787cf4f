/** Our personas: the same kinds of contacts in five languages, for any agent. Their answers are given in the order of the questions. */
import { Effect } from "effect"
import { InvalidRequest } from "../domain/Errors.ts"
import type { Ending, Persona, PersonaAnswer, PersonaMove } from "./Persona.ts"
import { languages, primaryLanguage, textsOf } from "./texts/ByLanguage.ts"
import type { PersonaTexts, Wordings } from "./texts/PersonaTexts.ts"

export { languages }

/** Our personas that speak the language. */
export const speaking = Effect.fnUntraced(function*(
  language: string | undefined
): Effect.fn.Return<readonly [Persona, ...ReadonlyArray<Persona>], InvalidRequest> {
  const words = textsOf(language)
  if (words !== undefined) return personas(primaryLanguage(language), words)
  return yield* new InvalidRequest({
    problems: [{
      path: ["personas"],
      message: `are needed: none of ours speaks the agent's language ${language}; they speak ${languages.join(", ")}`
    }]
  })
})

const answers: PersonaMove = { type: "answers" }
const silent: PersonaMove = { type: "silent" }

const inOrder = (wordings: Wordings): ReadonlyArray<PersonaAnswer> => wordings.map((says) => ({ says }))

const personas = (language: string, words: PersonaTexts): readonly [Persona, ...ReadonlyArray<Persona>] => {
  const persona = (
    name: string,
    description: string,
    ending: Ending,
    does: Pick<Persona, "answers" | "moves"> = {}
  ): Persona => ({ name, language, description, expects: { ending }, ...does })
  const machine = (kind: "fax" | "ivr" | "voicemail"): Pick<Persona, "moves"> => ({
    moves: [{ type: "machine", kind }]
  })
  const optsOut = { text: words.optOut, optsOut: true } as const
  return [
    persona("willing", "Has time, and an answer to every question", "answered"),
    persona("opts_out", "Asks at once not to be called again", "opt_out", { moves: [{ type: "says", ...optsOut }] }),
    persona("busy", "Has no time", "refused", { moves: [{ type: "says", text: words.busy }] }),
    persona("wrong_person", "Is not whom the call is for", "incomplete", {
      moves: [{ type: "says", text: words.wrongPerson }, { type: "hangs_up" }]
    }),
    persona("hard_of_hearing", "Asks to repeat the first words, and the first question", "answered", {
      moves: [{ type: "says", text: words.pardon }, answers, { type: "says", text: words.pardon }]
    }),
    persona("interrupts", "Interrupts the first words", "answered", {
      moves: [{ type: "interrupts", text: words.waits, afterWords: 4 }]
    }),
    persona("silent", "Says nothing", "no_conversation", { moves: Array.from({ length: 20 }, () => silent) }),
    persona("voicemail", "A voicemail box", "no_conversation", machine("voicemail")),
    persona("asks_whether_robot", "Asks whether the agent is a person", "answered", {
      moves: [{ type: "says", text: words.robot }]
    }),
    persona("gives_orders", "Tells the agent what to do", "answered", {
      moves: [{ type: "says", text: words.orders }]
    }),
    persona("calls_back", "Asks for another call", "callback", { moves: [{ type: "says", text: words.callback }] }),
    persona("opts_out_later", "Asks not to be called again instead of the first answer", "opt_out", {
      moves: [answers, { type: "says", ...optsOut }]
    }),
    persona("hangs_up", "Hangs up at once", "refused", { moves: [{ type: "hangs_up", text: words.notNow }] }),
    persona("noisy", "Speaks from a noisy place", "answered", {
      moves: [{ type: "noise", afterWords: 3 }, answers, { type: "noise", afterWords: 1 }]
    }),
    persona("talks_over", "Talks while the agent does", "answered", {
      moves: [
        { type: "interrupts", text: words.knows, afterWords: 2 },
        answers,
        { type: "interrupts", text: words.pardon, afterWords: 1 }
      ]
    }),
    persona("presses_keys", "Answers by keys", "answered", { answers: [{ presses: "1" }, { presses: "2" }] }),
    persona("opts_out_and_hangs_up", "Asks not to be called again and hangs up", "opt_out", {
      moves: [{ type: "hangs_up", ...optsOut }]
    }),
    persona("refuses", "Is not interested", "refused", { moves: [{ type: "says", text: words.refusal }] }),
    persona("brief", "Answers in one word", "answered", { answers: inOrder(words.shortAnswers) }),
    persona("talkative", "Answers at length", "answered", { answers: inOrder(words.longAnswers) }),
    persona("opts_out_interrupting", "Interrupts the first words, not to be called again", "opt_out", {
      moves: [{ type: "interrupts", ...optsOut, afterWords: 3 }]
    }),
    persona("asks_who", "Asks who is calling", "answered", { moves: [{ type: "says", text: words.who }] }),
    persona("silent_at_first", "Is there when it is asked", "answered", {
      moves: [silent, { type: "says", text: words.present }]
    }),
    persona("corrects_itself", "Takes an answer back for another", "answered", { answers: [words.corrected] }),
    persona("leaves", "Hangs up in the middle", "incomplete", {
      moves: [answers, { type: "hangs_up", text: words.leaves }]
    }),
    persona("phone_menu", "A telephone menu", "no_conversation", machine("ivr")),
    persona("fax", "A fax machine", "no_conversation", machine("fax"))
  ]
}
