/** Which of the agent's questions was asked. Agents with a language model ask in words of their own. */
import { normalized } from "../rules/conversation/ContactWords.ts"

/** How much of a question's words must be heard for it to be recognized, when it was not asked literally. */
const share = 0.6

/** The question that the words ask last; the likest if they ask none literally; `undefined` if none is like them. */
export const askedIn = (words: string, questions: ReadonlyArray<string>): string | undefined => {
  const said = ` ${normalized(words)} `
  const [literal] = questions
    .map((question) => ({ question, at: said.lastIndexOf(` ${normalized(question)} `) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => other.at - one.at)
  if (literal !== undefined) return literal.question
  const heard = new Set(said.trim().split(" "))
  const [likest] = questions
    .map((question) => {
      const own = normalized(question).split(" ")
      const found = own.filter((word) => heard.has(word)).length
      return { question, found, likeness: found / own.length }
    })
    .filter(({ likeness }) => likeness >= share)
    .sort((one, other) => other.likeness - one.likeness || other.found - one.found)
  return likest?.question
}
