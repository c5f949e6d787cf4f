/**
 * Port: makes a text line of an audio line, and brings what is said on it. The runner enforces the limits, the disclosure and the tools on
 * that line, and writes the log, as with every other.
 */
import { Context, type Effect, type Scope } from "effect"
import type { Entry } from "../domain/Conversation.ts"
import type { AudioLine } from "./AudioLine.ts"
import type { TextLine } from "./Conversations.ts"
import { AgentFailed, type ConversationBrief, type TextTalk } from "./TextAgent.ts"

export { AgentFailed }

export interface VoiceCall {
  readonly brief: ConversationBrief
  /** What was said before, on another line. */
  readonly entries: ReadonlyArray<Entry>
  readonly line: AudioLine
}

export interface VoiceTalk {
  /**
   * Speaks with the agent's voice, also what the agent did not produce: the disclosure, fillers, and last words. Reports what the contact
   * says as words. It is closed with the audio line.
   */
  readonly line: TextLine
  /** Answers on that line. */
  readonly talk: TextTalk
}

export class VoiceAgent extends Context.Service<VoiceAgent, {
  /** Begins a conversation, or continues it after the entries. The contact hears nothing until it returns, for at most 10 seconds. */
  readonly open: (call: VoiceCall) => Effect.Effect<VoiceTalk, AgentFailed, Scope.Scope>
}>()("@outdial/core/conversation/VoiceAgent") {}
