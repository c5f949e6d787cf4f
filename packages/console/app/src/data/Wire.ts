/** What the server returns, as JSON holds it. The types are the server's own; none of its code is loaded. */
import type { Call, Explanation, Outcome } from "../../../src/api/Wire.ts"

export type * from "../../../src/api/Wire.ts"

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
