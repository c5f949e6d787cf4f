/**
 * Pages of lists, newest first by (`created_at`, `id`). A page begins behind the last item of the one before, which the
 * list's index finds at once, however far down it is. Lists are planned each time, for the filters and values at hand.
 */
import type { Page } from "@outdial/core"
import { DateTime, Option } from "effect"
import type { Statement } from "effect/sql"
import type { Database } from "./Database.ts"

/** Both exclusive. */
export interface Bounds {
  readonly createdAfter?: DateTime.Utc
  readonly createdBefore?: DateTime.Utc
}

export interface Paging {
  /** The condition for what is left behind the page before, within the bounds. */
  readonly behind: (page: Page.PageRequest, bounds?: Bounds) => ReadonlyArray<Statement.Fragment>
  /** True of every row. Says that this is a list, for which alone the indexes of lists are. */
  readonly isList: Statement.Fragment
  readonly order: Statement.Fragment
  /** One more than the page holds, which tells whether there is another. */
  readonly limit: (page: Page.PageRequest) => number
}

/** For the list whose rows go by `alias`, told apart by `id`. */
export const make = (
  { sql }: Database,
  list: { readonly alias: "b" | "c" | "d" | "e" | "n" | "q"; readonly id?: "phone_number" }
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
    isList: sql`${createdAt} > '-infinity'`,
    order: sql`${createdAt} desc, ${id} desc`,
    limit: ({ limit }) => limit + 1
  }
}

/** The page that the rows make, of which there may be one too many. */
export const toPage = <Row, A>(
  rows: ReadonlyArray<Row>,
  { limit }: Page.PageRequest,
  toItem: (row: Row) => A
): Page.Page<A> => ({ items: rows.slice(0, limit).map(toItem), hasMore: rows.length > limit })

// Bounds and cursors come from callers: a date beyond what the database can hold lies beyond all that it holds.
const earliest = DateTime.makeUnsafe("0001-01-01T00:00:00Z")
const latest = DateTime.makeUnsafe("9999-12-31T00:00:00Z")
const instant = (at: DateTime.Utc): Date =>
  DateTime.toDateUtc(DateTime.clamp(at, { minimum: earliest, maximum: latest }))

/** No id has a NUL in it, which the database does not take as text. */
const textOf = (id: string): string => id.replaceAll("\0", "")
