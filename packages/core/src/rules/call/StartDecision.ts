/** What a request that starts calls gets: what its idempotency key made before, or what its plan makes of the facts. */
import { type Option, Result } from "effect"
import type { Agent } from "../../domain/Agent.ts"
import type { CallRecord } from "../../domain/Call.ts"
import type { BatchId, CallId } from "../../domain/Ids.ts"
import type { DialFacts } from "../policy/DialFacts.ts"

/** A key that was used: what it made, from which request. */
export interface UsedKey<Id> {
  readonly resourceId: Id
  readonly fingerprint: string
}

export interface StartFacts extends DialFacts {
  readonly agent: Option.Option<Agent>
}

/** With a used key: the call as it is now. Without a call, or to another request, only which call it was. */
export const ofCallKey = (key: UsedKey<CallId>, fingerprint: string, call: CallRecord | undefined) =>
  call !== undefined && key.fingerprint === fingerprint
    ? { _tag: "Replayed", call } as const
    : { _tag: "KeyReused", callId: key.resourceId } as const

/** The same with the key of a batch. */
export const ofBatchKey = <Stored>(key: UsedKey<BatchId>, fingerprint: string, stored: Stored | undefined) =>
  stored !== undefined && key.fingerprint === fingerprint
    ? { _tag: "Replayed", stored } as const
    : { _tag: "KeyReused", batchId: key.resourceId } as const

export type Planned<Refusal> =
  | { readonly _tag: "Started"; readonly call: CallRecord; readonly facts: DialFacts }
  | { readonly _tag: "Refused"; readonly reason: Refusal }

/** With a free key, or without one: the call that the plan makes of the facts, or why it makes none. */
export const ofPlan = <Refusal>(
  plan: (facts: StartFacts) => Result.Result<CallRecord, Refusal>,
  facts: DialFacts,
  agent: Option.Option<Agent>
): Planned<Refusal> =>
  Result.match(plan({ ...facts, agent }), {
    onFailure: (reason): Planned<Refusal> => ({ _tag: "Refused", reason }),
    onSuccess: (call) => ({ _tag: "Started", call, facts })
  })
