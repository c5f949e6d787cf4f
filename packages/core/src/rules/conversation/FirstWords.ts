/** What an agent says when the call is answered: its first message, or else the first paragraph of its script. */
import { monologue } from "./AgentAnswer.ts"
import { beginning } from "./SpokenText.ts"

/** The texts of an agent, rendered for its call. */
export interface Texts {
  readonly script: string
  readonly firstMessage?: string | undefined
}

/** As one line, at most as long as one answer may be. */
export const firstWords = ({ firstMessage, script }: Texts): string => {
  const [paragraph = ""] = script.trim().split(/\n\s*\n/u)
  return beginning((firstMessage ?? paragraph).replaceAll(/\s+/gu, " ").trim(), monologue)
}
