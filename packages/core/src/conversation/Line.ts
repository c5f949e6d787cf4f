/** What a conversation asks of every line, whether it exchanges text or sound. */
import type { Effect } from "effect"
import type { Entry } from "../domain/Conversation.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"

export interface Line {
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
