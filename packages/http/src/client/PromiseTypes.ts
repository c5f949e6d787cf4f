/**
 * The types of the promise client: camelCase with `Date`s, the same as those of the embedded engine. They are derived from the
 * contract's schemas. Values are mapped by name and not checked, so that an older client can read newer responses.
 */
import type { Agent, Batch, Call, Explanation, PreviewCall, Transcript, WebhookEndpoint, Wire } from "@outdial/core"
import type { DateTime } from "effect"
import type { AgentWire } from "../account/AgentsApi.ts"
import type { DeliveryWire, EventWire } from "../event/EventsApi.ts"

/** Values under these keys have data as keys, not field names. */
type DataKeyed = "variables" | "metadata" | "answers" | "counts"
const dataKeyed: ReadonlySet<string> = new Set<DataKeyed>(["variables", "metadata", "answers", "counts"])

/** The value with `Date`s for instants. */
export type Plain<A> = A extends DateTime.Utc ? Date
  : A extends ReadonlyArray<infer Item> ? ReadonlyArray<Plain<Item>>
  : A extends object ? { readonly [Key in keyof A]: Key extends DataKeyed ? A[Key] : Plain<A[Key]> }
  : A

/** The request with instants as `Date`s or as ISO-8601 text. */
type WithDates<A> = {
  readonly [Key in keyof A]: Key extends "notBefore" | "expiresAt" ? A[Key] | Date : A[Key]
}

type Camel<Text extends string> = Text extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text

/** The wire type in TypeScript names, with `Date`s. */
export type FromWire<A> = A extends ReadonlyArray<infer Item> ? ReadonlyArray<FromWire<Item>>
  : A extends string | DateTime.Utc ? Plain<A>
  : A extends object ? {
      readonly [Key in keyof A as Key extends string ? Camel<Key> : never]: Key extends `${string}_at` ? Date
        : FromWire<A[Key]>
    }
  : A

export type ClientAgent = FromWire<typeof AgentWire.Encoded>
export type ClientAgentContent = typeof Agent.AgentContent.Encoded
export type ClientDelivery = FromWire<typeof DeliveryWire.Encoded>
export type ClientEvent = Omit<FromWire<typeof EventWire.Encoded>, "data" | "timestamp"> & {
  readonly timestamp: Date
  /** The call as it was when the event happened; of `batch.completed` the batch, without its rows. */
  readonly data: ClientCall | ClientBatch
}

/** A page of the feed; continue from `nextCursor`. */
export interface ClientEventFeed {
  readonly data: ReadonlyArray<ClientEvent>
  readonly hasMore: boolean
  readonly nextCursor: string
}
export type ClientCall = Plain<typeof Call.Call.Encoded>
export type ClientTranscript = Plain<typeof Transcript.Transcript.Encoded>
export type ClientBatch = Plain<typeof Batch.Batch.Encoded>
export type ClientWebhook = Plain<typeof WebhookEndpoint.Webhook.Encoded>
export type ClientWebhookTest = Plain<typeof WebhookEndpoint.WebhookTest.Encoded>
export type ClientDoNotCallEntry = FromWire<typeof Wire.DoNotCallEntryWire.Encoded>
type Verdict = typeof Explanation.Verdict.Encoded
export type ClientExplanation = Plain<Omit<typeof Explanation.Explanation.Encoded, "rules">> & {
  /** In order of evaluation; their `data` is always in snake_case. */
  readonly rules: ReadonlyArray<Plain<Omit<Verdict, "data">> & Pick<Verdict, "data">>
}
export type PreviewCallRequest = WithDates<typeof PreviewCall.PreviewCall.Encoded>
export type StartCallRequest = WithDates<typeof Call.StartCall.Encoded>
export type BatchRowRequest = WithDates<typeof Batch.BatchRow.Encoded>

type Mapped = (key: string, value: unknown) => readonly [string, unknown]

const mapKeys = (value: unknown, mapped: Mapped): unknown => {
  if (Array.isArray(value)) return value.map((item) => mapKeys(item, mapped))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => mapped(key, inner)))
}

const isPlainObject = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** A request's body in wire names. Other objects, such as a `Date`, are left to `JSON.stringify`. */
export const toWire = (value: unknown): unknown =>
  mapKeys(value, (key, inner) => [camelToSnake(key), dataKeyed.has(key) ? inner : toWire(inner)])

/** A response in TypeScript names, with `Date`s. */
export const fromWire = (value: unknown): unknown =>
  isPlainObject(value) && value["object"] === "explanation" ? explanationFromWire(value) : namesFromWire(value)

const namesFromWire = (value: unknown) =>
  mapKeys(value, (key, inner) => [snakeToCamel(key), dataKeyed.has(key) ? inner : instantOr(key, inner)])

/** Its instant is called `at`, like a meeting's text, and the data of its rules stays unchanged. */
const explanationFromWire = ({ at, rules, ...others }: Record<string, unknown>) => ({
  ...Object(namesFromWire(others)),
  at: instantOr("created_at", at),
  rules: mapKeys(rules, (key, inner) => [snakeToCamel(key), key === "data" ? inner : instantOr(key, inner)])
})

const camelToSnake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const snakeToCamel = (key: string): string => key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

const instantOr = (key: string, value: unknown): unknown =>
  // oxlint-disable-next-line no-restricted-globals -- parses what was sent; the clock is not read
  typeof value === "string" && isInstant(key) ? new Date(value) : fromWire(value)

/** Names of instants end in `_at`, except for these two. `meeting.at` is text that keeps its offset. */
const isInstant = (key: string): boolean => key.endsWith("_at") || key === "scheduled_for" || key === "timestamp"
