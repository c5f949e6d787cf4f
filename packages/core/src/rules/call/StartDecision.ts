/** The result of a request that starts calls: what its idempotency key started before, or what its plan decides from the facts. */
import { type Option, Result } from "effect"
import type { Agent } from "../../domain/Agent.ts"
import type { CallRecord } from "../../domain/Call.ts"
import type { BatchId, CallId } from "../../domain/Ids.ts"
import type { DialFacts } from "../policy/DialFacts.ts"

/** A used key: what it started, and the fingerprint of the request. */
export interface UsedKey<Id> {
  readonly resourceId: Id
  readonly fingerprint: string
}

export interface StartFacts extends DialFacts {
  readonly agent: Option.Option<Agent>
}

/** For a used key: the present state of the call. Without a call, or for another request, only the call's id. */
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

/** For a new key, or without a key: the call that the plan makes, or why it makes none. */
export const ofPlan = <Refusal>(
  plan: (facts: StartFacts) => Result.Result<CallRecord, Refusal>,
  facts: DialFacts,
  agent: Option.Option<Agent>
): Planned<Refusal> =>
  Result.match(plan({ ...facts, agent }), {
    onFailure: (reason): Planned<Refusal> => ({ _tag: "Refused", reason }),
    onSuccess: (call) => ({ _tag: "Started", call, facts })
  })
