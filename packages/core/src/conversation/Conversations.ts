/**
 * Port: lines hand their calls to the engine's conversations here. The engine provides its layer, so that a carrier depends on nothing
 * above it.
 */
import { Context, type Effect, type Stream } from "effect"
import type { Entry, LineEvent } from "../domain/Conversation.ts"
import type { AccountId, CallId } from "../domain/Ids.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"

/** A line that exchanges text: the carrier or a pipeline turns it into sound and back. */
export interface TextLine {
  /** What happens on the line, until it is closed. */
  readonly events: Stream.Stream<LineEvent>
  /** Speaks after what was given to it before. Answered by `Played`, or `Stopped`. */
  readonly speak: (
    utterance: { readonly id: number; readonly text: string; readonly interruptible: boolean }
  ) => Effect.Effect<void>
  /** Falls silent at once. Answered by `Stopped` if something was being said. */
  readonly stopSpeaking: Effect.Effect<void>
  readonly press: (digits: string) => Effect.Effect<void>
  /** Told before anything else, when the line continues a conversation that another process has begun: what is on record of it. */
  readonly resumed?: (entries: ReadonlyArray<Entry>) => Effect.Effect<void>
  readonly hangUp: Effect.Effect<void>
  /**
   * Asks the carrier to connect the call to another process, which continues the conversation from its log. Returns whether it will.
   * Absent on lines that cannot move.
   */
  readonly move?: Effect.Effect<boolean>
  /**
   * Has the carrier connect the contact with this number in place of the conversation. Returns whether it does so; then, and if it does
   * not answer within 5 seconds, the line is released, and the carrier reports the end of the call. If the number does not answer, the carrier may connect the call again: the
   * conversation goes on from its log. Absent on lines that cannot.
   */
  readonly transfer?: (number: PhoneNumber) => Effect.Effect<boolean>
  /** Lets go of the line without ending the call: another process has it, or the contact was transferred. */
  readonly release: Effect.Effect<void>
}

/** What became of a conversation: it was held to its end here, another process has it or gets it, or it cannot be held. */
export type Held = "over" | "taken_over" | "refused"

export class Conversations extends Context.Service<Conversations, {
  /**
   * Holds the conversation of an answered call on this line, from the first word or from where another process left it. Returns when
   * it is over.
   */
  readonly hold: (call: {
    readonly accountId: AccountId
    readonly callId: CallId
    /** The line has moved here from another process, whose lease need not run out. */
    readonly takesOver: boolean
    readonly line: TextLine
  }) => Effect.Effect<Held>
}>()("@outdial/core/conversation/Conversations") {}
