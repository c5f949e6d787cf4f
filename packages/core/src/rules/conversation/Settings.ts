/** How the conversation of a call is conducted, from the agent of the call. */
import { Duration } from "effect"
import type { AgentBrief } from "../../domain/Agent.ts"
import type { Settings } from "./Conversation.ts"
import type { Phrases } from "./Phrases.ts"

export const settingsOf = (agent: AgentBrief, phrases: Phrases): Settings => ({
  phrases,
  disclosure: agent.disclosure,
  maxDuration: Duration.toMillis(Duration.seconds(agent.maxDurationSeconds)),
  silence: Duration.toMillis(Duration.seconds(agent.silenceSeconds)),
  interruptible: agent.interruptible,
  endPhrases: agent.endPhrases,
  transferNumbers: agent.transferNumbers,
  voicemailMessage: agent.voicemail === "leave_message" ? agent.voicemailMessage : undefined
})
