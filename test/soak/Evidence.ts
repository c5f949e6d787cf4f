/** What a run has left behind, from four witnesses that know nothing of each other: carrier, database, receiver, owners. */
import type * as Carrier from "./Carrier.ts"
import type { Received } from "./Received.ts"
import type { Rules } from "./Tenants.ts"

/** A call as its owner asks for it. */
export interface Wish {
  readonly phone_number?: string
  readonly not_before?: string
  readonly expires_at?: string
}

export interface Answer {
  /** When that which was answered was sent; what was sent before may have had no answer, and be at work on a node that is frozen. */
  readonly askedAt: number
  readonly status: number
  readonly id?: string
  readonly accepted?: number
}

/** A request of an owner, with every answer that it was given. */
export interface Sent {
  readonly key: string
  readonly path: "/calls" | "/batches"
  readonly accountId: string
  readonly body: Wish & { readonly agent_id?: string; readonly calls?: ReadonlyArray<Wish> }
  readonly answers: Array<Answer>
}

/** A call whose cancellation was reported to its owner. */
export interface Canceled {
  readonly callId: string
  readonly at: number
}

/** A number that must not ring any more from this instant on. */
export interface Stop {
  readonly accountId: string
  readonly phoneNumber: string
  readonly at: number
}

/** From the confirmation of a pause until before it was lifted. */
export interface Pause {
  readonly accountId: string
  readonly from: number
  readonly to: number
}

/** One step of a call, by the true clock of the database; `dialedAt` is by the clock of the node that claimed it. */
export interface Step {
  readonly accountId: string
  readonly callId: string
  readonly status: string
  readonly claimToken: string | null
  readonly submitted: boolean
  readonly dialedAt: number | null
  readonly at: number
}

/** A call as it stands at the end. */
export interface KeptCall {
  readonly accountId: string
  readonly id: string
  readonly batchId: string | null
  readonly phoneNumber: string
  readonly status: string
  readonly statusCode: string | null
  readonly outcomeState: string
  /** Which request, and which row of it, made it. */
  readonly key: string
}

export interface KeptEvent {
  readonly accountId: string
  readonly id: string
  readonly callId: string | null
  readonly type: string
  /** Of the bytes of its body. */
  readonly hash: string
}

export interface Evidence {
  readonly accounts: ReadonlyArray<Rules & { readonly id: string }>
  readonly rings: ReadonlyArray<Carrier.LineCall>
  /** How many calls the carrier has reported completely. */
  readonly reported: number
  /** In the order in which they were taken. */
  readonly steps: ReadonlyArray<Step>
  readonly calls: ReadonlyArray<KeptCall>
  readonly events: ReadonlyArray<KeptEvent>
  readonly received: ReadonlyArray<Received>
  readonly sent: ReadonlyArray<Sent>
  readonly canceled: ReadonlyArray<Canceled>
  readonly stops: ReadonlyArray<Stop>
  readonly pauses: ReadonlyArray<Pause>
}

/** A promise that was not kept. */
export interface Breach {
  readonly promise: string
  readonly what: string
}
