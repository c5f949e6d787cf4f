/**
 * Pages of lists, newest first by (`created_at`, `id`). A page begins after the last item of the previous one, which
 * the list's index finds at any depth. Lists are planned each time, for the given filters and values.
 */
import type { Page } from "@outdial/core"
import { DateTime, Option } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "./Database.ts"
import * as PlannerHints from "./PlannerHints.ts"

/** Both exclusive. */
export interface Bounds {
  readonly createdAfter?: DateTime.Utc
  readonly createdBefore?: DateTime.Utc
}

export interface Paging {
  /** The conditions for the rows after the previous page and within the bounds. */
  readonly behind: (page: Page.PageRequest, bounds?: Bounds) => ReadonlyArray<Statement.Fragment>
  /** True for every row. It marks the query as a list; the indexes of lists have it as their predicate. */
  readonly isList: Statement.Fragment
  readonly order: Statement.Fragment
  /** One more than the page holds, to know whether there is another page. */
  readonly limit: (page: Page.PageRequest) => number
}

/** For a list of rows `alias`; `id` makes equal times unique. */
export const make = (
  { sql }: Database,
  list: { readonly alias: "a" | "b" | "c" | "d" | "e" | "n" | "q"; readonly id?: "phone_number" }
): Paging => {
  const createdAt = sql.literal(`${list.alias}.created_at`)
  const id = sql.literal(`${list.alias}.${list.id ?? "id"}`)
  return {
    behind: ({ after }, { createdAfter, createdBefore } = {}) => [
      ...Option.match(after, {
        onNone: () => [],
        onSome: (last) => [sql`(${createdAt}, ${id}) < (${instant(last.createdAt)}::timestamptz, ${textOf(last.id)})`]
      }),
      ...(createdAfter === undefined ? [] : [sql`${createdAt} > ${instant(createdAfter)}`]),
      ...(createdBefore === undefined ? [] : [sql`${createdAt} < ${instant(createdBefore)}`])
    ],
    isList: PlannerHints.isListed(sql, list.alias),
    order: sql`${createdAt} desc, ${id} desc`,
    limit: ({ limit }) => limit + 1
  }
}

/** The page from these rows, of which one may belong to the next page. */
export const toPage = <Row, A>(
  rows: ReadonlyArray<Row>,
  { limit }: Page.PageRequest,
  toItem: (row: Row) => A
): Page.Page<A> => ({ items: rows.slice(0, limit).map(toItem), hasMore: rows.length > limit })

// Bounds and cursors come from callers: dates beyond the database's range are clamped.
const earliest = DateTime.makeUnsafe("0001-01-01T00:00:00Z")
const latest = DateTime.makeUnsafe("9999-12-31T00:00:00Z")
const instant = (at: DateTime.Utc): Date =>
  DateTime.toDateUtc(DateTime.clamp(at, { minimum: earliest, maximum: latest }))

/** No id contains a NUL, which the database rejects in text. */
const textOf = (id: string): string => id.replaceAll("\0", "")
