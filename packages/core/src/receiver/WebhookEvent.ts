/** Events as receivers get them: the JSON of a delivery, with the types that this version knows. */
import type { DateTime } from "effect"
import type { BatchWire, CallWire } from "../domain/Wire.ts"

/** Instants are ISO-8601 text in JSON. */
type Json<A> = A extends DateTime.Utc ? string
  : A extends ReadonlyArray<infer Item> ? ReadonlyArray<Json<Item>>
  : A extends object ? { readonly [Key in keyof A]: Json<A[Key]> }
  : A

/** A call as `GET /v1/calls/{id}` returns it. */
export type CallData = Json<typeof CallWire.Encoded>

/** A batch as `GET /v1/batches/{id}` returns it, without its rows. */
export type BatchData = Json<typeof BatchWire.Encoded>

interface Envelope {
  /** The same on every delivery of an event: ignore events with an id that was handled before. */
  readonly id: string
  readonly object: "event"
  /** When it happened, in ISO 8601. */
  readonly timestamp: string
  readonly api_version: string
  /** Whether it belongs to a test call. */
  readonly test: boolean
}

declare const future: unique symbol

/** The name of a kind that this version does not know: any string other than the known ones. */
// An object type, because a brand on `string` would stay comparable to every literal and keep `switch` from narrowing.
// oxlint-disable-next-line typescript/no-wrapper-object-types
export interface FutureKind extends String {
  readonly [future]: never
}

/** An event; kinds that are new to this version have data of any form, and are best answered with 2xx and ignored. */
export type WebhookEvent =
  | Envelope & {
    readonly type:
      | "call.completed"
      | "call.not_connected"
      | "call.dialing"
      | "call.in_progress"
      | "call.outcome_updated"
      | "webhook.test"
    readonly data: CallData
  }
  | Envelope & { readonly type: "batch.completed"; readonly data: BatchData }
  | Envelope & { readonly type: FutureKind; readonly data: unknown }
