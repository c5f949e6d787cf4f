/** What lists are filtered by, and what looking up a key tells. */
import type { DateTime, Option } from "effect"
import type { ApiKey } from "../domain/ApiKey.ts"
import type { CallStatus } from "../domain/Call.ts"
import type { SubscribableKind } from "../domain/Event.ts"
import type { AgentId, BatchId, CallId, EventId } from "../domain/Ids.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { DeliveryState } from "../webhook/DeliveryStore.ts"
import type * as RequestWindow from "../rules/access/RequestWindow.ts"

/** Which calls of an account a list shows; what is not given does not filter. */
export interface CallFilter {
  /** Exclusive. */
  readonly createdAfter?: DateTime.Utc
  /** Exclusive. */
  readonly createdBefore?: DateTime.Utc
  /** Any of these. */
  readonly statuses?: ReadonlyArray<CallStatus>
  readonly agentId?: AgentId
  readonly batchId?: BatchId
  readonly phoneNumber?: PhoneNumber
  readonly externalId?: string
  readonly test?: boolean
}

/** A key and what its request window says. The verdict is absent when the key cannot be used, which is not counted. */
export interface KeyUse {
  readonly key: ApiKey
  readonly verdict: Option.Option<RequestWindow.Verdict>
}

export interface EventFilter {
  readonly createdAfter?: DateTime.Utc
  readonly createdBefore?: DateTime.Utc
  readonly callId?: CallId
  readonly type?: SubscribableKind
}

export interface DeliveryFilter {
  readonly createdAfter?: DateTime.Utc
  readonly createdBefore?: DateTime.Utc
  readonly callId?: CallId
  readonly eventId?: EventId
  /** Of any of these. */
  readonly states?: ReadonlyArray<DeliveryState>
}
