/** What the server returns, as JSON holds it. The types are the server's own; none of its code is loaded. */
import type { Call, Explanation, Outcome, Webhook } from "../../../src/api/Wire.ts"
import type { ConsoleRole } from "@outdial/core"

export type * from "../../../src/api/Wire.ts"

export type Role = ConsoleRole.Role
export type CallStatus = Call["status"]
export type StatusCode = NonNullable<Call["status_code"]>
export type AnswerEvidence = NonNullable<Outcome["evidence"]>["answers"][string]
export type Verdict = Explanation["rules"][number]

/** One page of a list. */
export interface List<Item> {
  readonly data: ReadonlyArray<Item>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

/** An agent as lists show it; its texts are there for administrators only. */
export interface Agent {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly variables: ReadonlyArray<{ readonly key: string; readonly required: boolean; readonly default?: string }>
  readonly dispositions: ReadonlyArray<string>
  readonly script?: string
  readonly questions?: ReadonlyArray<string>
  readonly created_at: string
  readonly updated_at: string
  readonly archived_at?: string
}

export type EventKind = Webhook["events"][number]

/** A delivery of an event to the webhook, with its attempts. */
export interface Delivery {
  readonly id: string
  readonly event_id: string
  readonly call_id?: string
  readonly batch_id?: string
  readonly type: EventKind
  readonly state: "pending" | "sending" | "delivered" | "exhausted" | "held" | "dropped"
  readonly created_at: string
  readonly next_attempt_at?: string
  readonly attempts: ReadonlyArray<{
    readonly attempt: number
    readonly cause: "schedule" | "probe" | "redeliver" | "recover"
    readonly status_code?: number
    readonly error_code?: string
    readonly duration_ms: number
    readonly created_at: string
  }>
}

/** What a user of the console has changed. */
export interface AuditEntry {
  readonly id: string
  readonly at: string
  readonly actor: string
  readonly role: Role
  readonly account_id: string | null
  readonly action: string
  readonly target: string | null
  /** Null while the change is carried out, or when its end is not known. */
  readonly status: number | null
  readonly details: Readonly<Record<string, unknown>>
}

export interface ListedSession {
  readonly id: string
  readonly role: Role
  readonly name: string
  readonly account_id: string | null
  readonly created_at: string
  readonly expires_at: string
  readonly last_used_at: string
  readonly current: boolean
}
