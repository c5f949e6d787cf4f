/** The filters of the list of calls: as the address has them, and as the API wants them. */
import type { CallStatus } from "./Wire.ts"

export const statuses = [
  "queued",
  "dialing",
  "in_progress",
  "completed",
  "no_answer",
  "busy",
  "failed",
  "canceled",
  "expired"
] as const satisfies ReadonlyArray<CallStatus>

/** Spans before now, in hours. */
export const spans = { hour: 1, day: 24, week: 7 * 24, month: 30 * 24 } as const
export type Span = keyof typeof spans

export interface CallFilters {
  /** A number, an external id, or the id of a call. */
  readonly search: string
  readonly status: ReadonlyArray<CallStatus>
  readonly agent: string
  readonly batch: string
  readonly span: Span | "custom" | "any"
  /** Local date and time, as `<input type="datetime-local">` has it; for `custom`. */
  readonly from: string
  readonly to: string
  readonly test: "any" | "true" | "false"
}

export const readFilters = (query: URLSearchParams): CallFilters => {
  const span = query.get("span") ?? ""
  const test = query.get("test")
  return {
    search: query.get("q") ?? "",
    status: statuses.filter((status) => query.getAll("status").includes(status)),
    agent: query.get("agent") ?? "",
    batch: query.get("batch") ?? "",
    span: Object.hasOwn(spans, span) ? span as Span : span === "custom" ? "custom" : "any", // a key of `spans`
    from: query.get("from") ?? "",
    to: query.get("to") ?? "",
    test: test === "true" || test === "false" ? test : "any"
  }
}

/** Only what differs from a list without filters. */
export const writeFilters = (filters: CallFilters): URLSearchParams => {
  const query = new URLSearchParams()
  const isCustom = filters.span === "custom"
  const entries: ReadonlyArray<readonly [string, string]> = [
    ["q", filters.search],
    ...filters.status.map((status) => ["status", status] as const),
    ["agent", filters.agent],
    ["batch", filters.batch],
    ["span", filters.span === "any" ? "" : filters.span],
    ["from", isCustom ? filters.from : ""],
    ["to", isCustom ? filters.to : ""],
    ["test", filters.test === "any" ? "" : filters.test]
  ]
  for (const [name, value] of entries) if (value !== "") query.append(name, value)
  return query
}

/** What the text looks like. */
export const searchKind = (text: string): "call" | "number" | "external_id" => {
  if (/^call_\w{26}$/i.test(text)) return "call"
  return /^(\+|00)[\d\s().-]{3,}$/.test(text) ? "number" : "external_id"
}

/** Of `GET /v1/calls`, without the page. `now` is in milliseconds. */
export const apiFilters = (filters: CallFilters, now: number) => {
  const { agent, batch, from, search, span, status, test, to } = filters
  const text = search.trim()
  const since = span === "any" || span === "custom"
    ? instant(span === "custom" ? from : "")
    : new Date(now - spans[span] * 3_600_000)
  return {
    status,
    agent_id: agent,
    batch_id: batch,
    test: test === "any" ? "" : test,
    phone_number: text !== "" && searchKind(text) === "number" ? text : "",
    external_id: text !== "" && searchKind(text) === "external_id" ? text : "",
    created_after: since?.toISOString() ?? "",
    created_before: instant(span === "custom" ? to : "")?.toISOString() ?? ""
  }
}

const instant = (local: string): Date | undefined => {
  const date = new Date(local)
  return local === "" || Number.isNaN(date.getTime()) ? undefined : date
}
