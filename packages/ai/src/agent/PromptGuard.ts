/**
 * Notices when a model reads out its instructions, or the use of a tool that it should have made. Such words are not spoken. It compares
 * letters, so that spelling them out changes nothing: what a model translates or puts in other words is not noticed.
 */
import { ContactWords } from "@outdial/core"
import * as AgentPrompt from "./AgentPrompt.ts"
import * as BuiltInTools from "./BuiltInTools.ts"

/** So many letters in a row from the instructions, some seven words, are no coincidence. */
const run = 30

const lettersOf = (text: string): string => ContactWords.normalized(text).replaceAll(/[^\p{L}\p{N}]/gu, "")

const runsOf = (letters: string): ReadonlyArray<string> =>
  Array.from({ length: Math.max(0, letters.length - run + 1) }, (_, index) => letters.slice(index, index + run))

/** What must not be read out of these instructions. */
export const instructedBy = (texts: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => runsOf(lettersOf(text))))

const byAgentPrompt = instructedBy(AgentPrompt.fixed)

/** A word that nobody can say, such as text in base64. */
const encoded = /(?=[a-z+/=_-]*\d)[\w+/=-]{40,}/iu

/** Names that are no words of a language. */
const isIdentifier = (name: string): boolean => /_|[a-z][A-Z]/u.test(name)

/** For one answer. */
export interface PromptGuard {
  /** Another reply of the model begins: it may do better. */
  readonly replyBegins: () => void
  /** Whether the next sentence must not be spoken. What follows the instructions in a reply is not spoken either. */
  readonly isUnspeakable: (sentence: string) => boolean
}

/** Default: the instructions of the agent's prompt, and no tools of the host. */
export const make = (hostTools: ReadonlyArray<string> = [], instructed = byAgentPrompt): PromptGuard => {
  const names = [...BuiltInTools.names, ...hostTools].filter(isIdentifier)
  const toolUse = new RegExp(`^\\s*[{<]|\\b(?:${names.join("|")})\\b`, "u")
  let before = ""
  let isReading = false
  let isEncoded = false
  return {
    replyBegins: () => {
      isReading = false
      isEncoded = false
    },
    isUnspeakable: (sentence) => {
      const letters = before + lettersOf(sentence)
      before = letters.slice(1 - run)
      isReading ||= runsOf(letters).some((run) => instructed.has(run))
      // A long word comes in pieces.
      isEncoded = encoded.test(sentence) || (isEncoded && !/\s/u.test(sentence))
      return isReading || isEncoded || toolUse.test(sentence)
    }
  }
}
