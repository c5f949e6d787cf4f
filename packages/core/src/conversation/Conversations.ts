/**
 * Port: lines hand their calls to the engine's conversations here. The engine provides its layer, so that a carrier depends on nothing
 * above it.
 */
import { Context, type Effect, type Stream } from "effect"
import type { LineEvent } from "../domain/Conversation.ts"
import type { AccountId, CallId } from "../domain/Ids.ts"
import type { Holding } from "../rules/conversation/ConversationLog.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { AudioLine } from "./AudioLine.ts"
import type { Line } from "./Line.ts"

/** A line that exchanges text: the carrier or a pipeline turns it into sound and back. */
export interface TextLine extends Line {
  /** What happens on the line, until it is closed. */
  readonly events: Stream.Stream<LineEvent>
  /** Speaks after what was given to it before. Answered by `Played`, or `Stopped`. */
  readonly speak: (
    utterance: { readonly id: number; readonly text: string; readonly interruptible: boolean }
  ) => Effect.Effect<void>
  /** Falls silent at once. Answered by `Stopped` if something was being said. */
  readonly stopSpeaking: Effect.Effect<void>
}

/** What became of a conversation: it was held to its end here, another process has it or gets it, or it cannot be held. */
export type Held = "over" | "taken_over" | "refused"

export class Conversations extends Context.Service<Conversations, {
  /**
   * Who has the conversation of a live call. For a carrier that connects a call again when it is reported that its socket was lost: that
   * report may have been lost, too.
   */
  readonly holding: (call: {
    readonly accountId: AccountId
    readonly callId: CallId
  }) => Effect.Effect<Holding, StorageError>
  /**
   * Holds the conversation of an answered call on this line, from the first word or from where another process left it. Returns when
   * it is over. A call that is refused is hung up.
   */
  readonly hold: (call: {
    readonly accountId: AccountId
    readonly callId: CallId
    /** The line has moved here from another process, whose lease need not run out. */
    readonly takesOver: boolean
    /** An audio line needs a `VoiceAgent`; without one its call is refused. */
    readonly line: TextLine | AudioLine
  }) => Effect.Effect<Held>
  /** Whether there is a `VoiceAgent`: a carrier whose lines exchange sound does not open without one. Default: there is. */
  readonly takesSound?: boolean
}>()("@outdial/core/conversation/Conversations") {}
