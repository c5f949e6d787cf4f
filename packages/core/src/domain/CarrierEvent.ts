/**
 * What a carrier reports about a dialed call. Each event is complete in itself: an end that arrives without the answer
 * still contains when the call was answered, so that a lost report loses no data.
 */
import type { DateTime } from "effect"
import type { AnsweredBy } from "./Call.ts"
import type { CarrierReason } from "./CarrierReason.ts"
import type { MachineKind } from "./Conversation.ts"
import type { Cost } from "./Cost.ts"
import type { CarrierCallId } from "./Ids.ts"
import type { TranscriptTurn } from "./Outcome.ts"

/** The carrier took the call and calls it by this name. */
export interface Accepted {
  readonly _tag: "Accepted"
  readonly carrierCallId: CarrierCallId
}

/** Ringing or talking on: renews the lease, changes no state. */
export interface Alive {
  readonly _tag: "Alive"
}

/** The phone has begun to ring. As `Alive`, and named in the trace of the call. */
export interface Ringing {
  readonly _tag: "Ringing"
}

export interface Answered {
  readonly _tag: "Answered"
  readonly at: DateTime.Utc
  /** `unknown` counts as a person, until a verdict or the conversation says otherwise. */
  readonly by: AnsweredBy
}

/** Who has answered, found out after the answer. A machine is also an input of the conversation, on whichever node that is. */
export interface Verdict {
  readonly _tag: "Verdict"
  readonly by: "human" | MachineKind
}

/** The line is free again. */
export interface Ended {
  readonly _tag: "Ended"
  readonly at: DateTime.Utc
  readonly result: "hung_up" | "no_answer" | "busy" | "failed"
  /** Why it failed. */
  readonly code?: "carrier_refused" | "carrier_lost"
  /** Why it did not connect, in the carrier's own words. They are cleaned before they are stored: see `CarrierReason.shown`. */
  readonly carrierReason?: CarrierReason
  /** Present when it was answered. */
  readonly answeredAt?: DateTime.Utc
  readonly answeredBy?: AnsweredBy
  /** What was said. Absent when the carrier does not know it: the conversation has a log. */
  readonly transcript?: ReadonlyArray<TranscriptTurn>
  /** Whether the recording is stored in `Recordings`. */
  readonly recorded: boolean
  /** The recording comes later, as `Recorded`: the event of the call waits for it, for `Limits.recordingDeadline` at most. */
  readonly recordingFollows?: boolean
}

/** The recording has been stored in `Recordings`, before the end of the call or after it. */
export interface Recorded {
  readonly _tag: "Recorded"
}

/** The recording that the end announces will not come: the event of the call does not wait for it, or no longer. Before the end or after it. */
export interface NotRecorded {
  readonly _tag: "NotRecorded"
}

/** What the carrier charges for the call in all, hours after the end or before it. The last report counts. */
export interface Charged {
  readonly _tag: "Charged"
  readonly cost: Cost
}

export type CarrierEvent = Accepted | Alive | Ringing | Answered | Verdict | Ended | Recorded | NotRecorded | Charged
