/**
 * Notices when a model reads out its instructions, or the use of a tool that it should have made. Such a sentence is not spoken. It
 * compares words: what a model translates or puts in other words is not noticed.
 */
import { ContactWords } from "@outdial/core"
import * as AgentPrompt from "./AgentPrompt.ts"
import * as BuiltInTools from "./BuiltInTools.ts"

/** So many words in a row from the instructions are no coincidence. */
const run = 8

const wordsOf = (text: string): ReadonlyArray<string> =>
  ContactWords.normalized(text).split(" ").filter((word) => word !== "")

const runsOf = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.slice(run - 1).map((_, index) => words.slice(index, index + run).join(" "))

const instructed: ReadonlySet<string> = new Set(AgentPrompt.rules.flatMap((rule) => runsOf(wordsOf(rule))))

const toolUse = new RegExp(
  `^\\s*[{<]|\\b(?:${BuiltInTools.names.filter((name) => name.includes("_")).join("|")})\\b`,
  "u"
)

/** Whether a sentence must not be spoken, for the sentences of one answer in their order. */
export const make = (): (sentence: string) => boolean => {
  let before: ReadonlyArray<string> = []
  return (sentence) => {
    const words = [...before, ...wordsOf(sentence)]
    before = words.slice(1 - run)
    return toolUse.test(sentence) || runsOf(words).some((words) => instructed.has(words))
  }
}
