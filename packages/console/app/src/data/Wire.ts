/** What the API of an account returns, as JSON holds it. The types are those of the server; none of its code is loaded. */
import type { Wire } from "@outdial/core"
import type { DateTime } from "effect"

/** Instants become ISO 8601 text. */
type Json<T> = T extends DateTime.DateTime ? string
  : T extends string | number | boolean | null | undefined ? T
  : T extends ReadonlyArray<infer Item> ? ReadonlyArray<Json<Item>>
  : T extends object ? { readonly [Key in keyof T]: Json<T[Key]> }
  : T

export type Call = Json<(typeof Wire.CallWire)["Encoded"]>
export type CallStatus = Call["status"]
export type StatusCode = NonNullable<Call["status_code"]>
export type Outcome = NonNullable<Call["outcome"]>
export type AnswerEvidence = NonNullable<Outcome["evidence"]>["answers"][string]
export type Batch = Json<(typeof Wire.BatchWire)["Encoded"]>
export type RejectedRow = Json<(typeof Wire.RejectedRowWire)["Encoded"]>
export type Explanation = Json<(typeof Wire.ExplanationWire)["Encoded"]>
export type Verdict = Explanation["rules"][number]
export type Transcript = Json<(typeof Wire.TranscriptWire)["Encoded"]>
export type Turn = Transcript["turns"][number]

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
