/**
 * Lists, page by page: newest first by (`createdAt`, `id`). A cursor names the last item of the page before; it stays good
 * when that item is gone.
 */
import { DateTime, Option, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import * as Limits from "./Limits.ts"

/** Where a page begins: behind this item. */
export interface Position {
  readonly createdAt: DateTime.Utc
  readonly id: string
}

/** Which page of a list. */
export interface PageRequest {
  readonly limit: number
  readonly after: Option.Option<Position>
}

/** A page, and whether there is another behind it. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
}

/** 25 when not given, at most 100; a larger number is taken as 100. */
export const Limit = Schema.Int.check(
  Schema.isGreaterThanOrEqualTo(1, { message: "must be a whole number of at least 1" })
)

export const limitOf = (limit: number | undefined): number => Math.min(limit ?? Limits.pageSize, Limits.pageSizeMost)

const Parts = Schema.fromJsonString(Schema.Tuple([Schema.Literal(1), Schema.Int, Schema.String]))
const encodeParts = Schema.encodeSync(Parts)
const decodeParts = Schema.decodeUnknownOption(Parts)

/** Opaque to callers; the number in front is the cursor's own version. */
export const toCursor = ({ createdAt, id }: Position): string =>
  Base64Url.encode(encodeParts([1, createdAt.epochMilliseconds, id]))

/** Where the cursor points; `None` when it was not made here. */
export const fromCursor = (cursor: string): Option.Option<Position> =>
  Option.getSuccess(Base64Url.decodeString(cursor)).pipe(
    Option.flatMap(decodeParts),
    Option.flatMap(([, millis, id]) => Option.map(DateTime.make(millis), (createdAt) => ({ createdAt, id })))
  )

/** The page of what is already in order, for implementations that hold everything. */
export const cut = <A extends Position>(all: ReadonlyArray<A>, { after, limit }: PageRequest): Page<A> => {
  const rest = Option.isNone(after) ? all : all.filter((item) => compare(item, after.value) > 0)
  return { items: rest.slice(0, limit), hasMore: rest.length > limit }
}

/** Newest first, then by id, also descending. */
export const compare = (a: Position, b: Position): number =>
  DateTime.Order(b.createdAt, a.createdAt) || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
