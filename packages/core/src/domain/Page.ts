/**
 * Lists, page by page: newest first by (`createdAt`, `id`). A cursor names the last item of the previous page; it stays
 * valid when that item is deleted.
 */
import { DateTime, Option, Schema, SchemaGetter } from "effect"
import { Base64Url } from "effect/encoding"
import * as Limits from "./Limits.ts"

/** A page begins after this item. */
export interface Position {
  readonly createdAt: DateTime.Utc
  readonly id: string
}

/** Which page of a list. */
export interface PageRequest {
  readonly limit: number
  readonly after: Option.Option<Position>
}

/** A page, and whether there is a next one. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
}

/** 25 by default. A number above 100 counts as 100. */
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

/** The position of the cursor; `None` if this engine did not make it. */
export const fromCursor = (cursor: string): Option.Option<Position> =>
  Option.getSuccess(Base64Url.decodeString(cursor)).pipe(
    Option.flatMap(decodeParts),
    Option.flatMap(([, millis, id]) => Option.map(DateTime.make(millis), (createdAt) => ({ createdAt, id })))
  )

/** Decodes a cursor that this engine made; others are refused. `source` names the place to get cursors from. */
export const cursorOf = <S extends Schema.Top>(
  value: S,
  source: string,
  { from, to }: {
    readonly from: (cursor: string) => Option.Option<S["Encoded"]>
    readonly to: (value: S["Encoded"]) => string
  }
) =>
  Schema.String.check(
    Schema.makeFilter((cursor) => Option.isSome(from(cursor)) || `is not a valid cursor; use the ${source}`)
  ).pipe(
    Schema.decodeTo(value, {
      // Checked above.
      decode: SchemaGetter.transform((cursor) => Option.getOrThrow(from(cursor))),
      encode: SchemaGetter.transform(to)
    })
  )

const PositionType = Schema.Struct({ createdAt: Schema.DateTimeUtc, id: Schema.String })

/** A cursor of a list, with its name in responses. */
export const Cursor = (name: string) => cursorOf(PositionType, `${name} of a page`, { from: fromCursor, to: toCursor })

/** The page that a request is for. */
export const pageRequest = (
  { cursor, limit }: { readonly limit?: number | undefined; readonly cursor?: Position | undefined }
): PageRequest => ({ limit: limitOf(limit), after: Option.fromUndefinedOr(cursor) })

/** The page of a sorted list, for implementations that have all items in memory. */
export const cut = <A extends Position>(all: ReadonlyArray<A>, { after, limit }: PageRequest): Page<A> => {
  const rest = Option.isNone(after) ? all : all.filter((item) => compare(item, after.value) > 0)
  return { items: rest.slice(0, limit), hasMore: rest.length > limit }
}

/** Newest first, then by id, also descending. */
export const compare = (a: Position, b: Position): number =>
  DateTime.Order(b.createdAt, a.createdAt) || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
