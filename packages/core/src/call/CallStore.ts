/** What starting calls and batches takes and gives. */
import type { DateTime, Option, Result } from "effect"
import type { Agent } from "../domain/Agent.ts"
import type { BatchCall, BatchRecord } from "../domain/Batch.ts"
import type { CallRecord } from "../domain/Call.ts"
import type { EventWriter } from "../domain/Event.ts"
import type { AccountId, AgentId, BatchId, CallId } from "../domain/Ids.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { DialRules } from "../rules/policy/DialDecision.ts"
import type { DialFacts } from "../rules/policy/DialFacts.ts"
import type { AliasesOf } from "../privacy/ErasureStore.ts"
import type { Standing } from "../do-not-call/DoNotCallStore.ts"

export interface Idempotency {
  readonly key: string
  /** SHA-256 of the normalised request, in hex. */
  readonly fingerprint: string
}

export interface StartOptions<Refusal> {
  readonly accountId: AccountId
  readonly agentId: AgentId
  readonly phoneNumber: PhoneNumber
  readonly now: DateTime.Utc
  readonly rules: Pick<DialRules, "dayStart">
  /** Needed for an account that has erased somebody. */
  readonly aliasesOf?: AliasesOf
  readonly idempotency: Option.Option<Idempotency>
  /** Makes the call from what storage knows, or says why not; asked again when the number has been taken meanwhile. */
  readonly plan: (facts: StartFacts) => Result.Result<CallRecord, Refusal>
  readonly events: EventWriter
}

export interface StartFacts extends DialFacts {
  readonly agent: Option.Option<Agent>
}

export type StartResult<Refusal> =
  /** With the facts that it was planned on. */
  | { readonly _tag: "Started"; readonly call: CallRecord; readonly facts: DialFacts }
  /** The key made this call before; it is returned as it is now. */
  | { readonly _tag: "Replayed"; readonly call: CallRecord }
  /** The key made this call before, from another request. */
  | { readonly _tag: "KeyReused"; readonly callId: CallId }
  /** A request with the same key is being worked on. */
  | { readonly _tag: "KeyInUse" }
  | { readonly _tag: "Refused"; readonly reason: Refusal }

export interface StartBatchOptions {
  readonly accountId: AccountId
  readonly now: DateTime.Utc
  readonly idempotency: Option.Option<Idempotency>
  /** Agents and numbers that the plan will ask about. */
  readonly agentIds: ReadonlyArray<AgentId>
  readonly phoneNumbers: ReadonlyArray<PhoneNumber>
  readonly rules: Pick<DialRules, "dayStart">
  /** Needed for an account that has erased somebody. */
  readonly aliasesOf?: AliasesOf
  /** Makes the batch and its calls from what storage knows. */
  readonly plan: (facts: BatchFacts) => BatchPlan
  readonly events: EventWriter
}

export interface BatchFacts extends Standing {
  readonly agents: ReadonlyMap<AgentId, Agent>
}

export interface BatchPlan {
  readonly batch: BatchRecord
  /** No two of them to one number, and none to a number that waits, but for calls that the plan makes final. */
  readonly calls: ReadonlyArray<CallRecord>
}

/** A batch with what it needs to know of its calls, in the order of its rows. */
export interface StoredBatch {
  readonly batch: BatchRecord
  readonly calls: ReadonlyArray<BatchCall>
}

export type StartBatchResult =
  | { readonly _tag: "Started"; readonly stored: StoredBatch }
  | { readonly _tag: "Replayed"; readonly stored: StoredBatch }
  | { readonly _tag: "KeyReused"; readonly batchId: BatchId }
  | { readonly _tag: "KeyInUse" }

export type CancelResult =
  | { readonly _tag: "Canceled"; readonly call: CallRecord }
  /** It had moved on already. */
  | { readonly _tag: "NotCancelable"; readonly call: CallRecord }
  | { readonly _tag: "NotFound" }
