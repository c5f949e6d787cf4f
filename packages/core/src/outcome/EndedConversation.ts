import type { AgentBrief } from "../domain/Agent.ts"
import type { Contact } from "../domain/Call.ts"
import type { LoggedNote } from "../domain/Conversation.ts"
import type { CallId } from "../domain/Ids.ts"
import type { TranscriptTurn } from "../domain/Outcome.ts"

/** A conversation that has ended, as outcomes are made of it. */
export interface Conversation {
  readonly callId: CallId
  readonly agent: AgentBrief
  readonly contact: Contact
  readonly transcript: ReadonlyArray<TranscriptTurn>
  /** What the agent noted during the conversation, in order. */
  readonly notes: ReadonlyArray<LoggedNote>
  /** Whether Outdial held the conversation. Otherwise the transcript is the carrier's, and there are no notes. */
  readonly isHeld: boolean
}
