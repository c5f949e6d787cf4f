/** Lists, page by page (`docs/decisions.md`, lists): the envelope, the query parameters of every list, and the cursor. */
import { Page, Timestamp } from "@outdial/core"
import { DateTime, Option, Schema, SchemaGetter } from "effect"

/** The envelope of every list. */
export const listOf = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    object: Schema.Literal("list"),
    data: Schema.Array(item),
    has_more: Schema.Boolean,
    next_cursor: Schema.NullOr(Cursor).annotate({
      description: "Send it as `cursor` to get the next page; null on the last one"
    })
  })

/** More than a page can hold is taken as the most that it can, however many digits that has. */
const Limit = Schema.String.check(
  Schema.isPattern(/^0*[1-9][0-9]*$/, { message: "must be a whole number of at least 1" })
).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((digits) => Page.limitOf(Number(digits))),
    encode: SchemaGetter.transform((limit) => String(limit))
  })
)

const Position = Schema.Struct({ createdAt: Schema.DateTimeUtc, id: Schema.String })

const Cursor = Schema.String.check(
  Schema.makeFilter((cursor) =>
    Option.isSome(Page.fromCursor(cursor)) || "was not made here; use the next_cursor of a page"
  )
).pipe(
  Schema.decodeTo(Schema.toType(Position), {
    // Checked above.
    decode: SchemaGetter.transform((cursor) => Option.getOrThrow(Page.fromCursor(cursor))),
    encode: SchemaGetter.transform((position) => Page.toCursor(position))
  })
)

/** The query parameters by which every list is read page by page. */
export const pageQuery = {
  limit: Schema.optionalKey(Limit.annotate({ description: "Items of a page: 25 when not given, at most 100" })),
  cursor: Schema.optionalKey(Cursor.annotate({ description: "The `next_cursor` of the page before" }))
}

/** The query parameters that narrow a list by time. */
export const createdQuery = {
  created_after: Schema.optionalKey(
    Timestamp.Timestamp.annotate({ description: "Only what was created later than this" })
  ),
  created_before: Schema.optionalKey(
    Timestamp.Timestamp.annotate({ description: "Only what was created earlier than this" })
  )
}

export const pageRequest = (
  { cursor, limit }: { readonly limit?: number; readonly cursor?: Page.Position }
): Page.PageRequest => ({ limit: Page.limitOf(limit), after: Option.fromUndefinedOr(cursor) })

export const createdFilter = (
  { created_after, created_before }: { readonly created_after?: DateTime.Utc; readonly created_before?: DateTime.Utc }
) => ({
  ...(created_after !== undefined && { createdAfter: created_after }),
  ...(created_before !== undefined && { createdBefore: created_before })
})

/** The page in the envelope of a list. */
export const toList = <A extends Page.Position, B>(
  { hasMore, items }: Page.Page<A>,
  toWire: (item: A) => B
): {
  readonly object: "list"
  readonly data: ReadonlyArray<B>
  readonly has_more: boolean
  readonly next_cursor: typeof Position.Type | null
} => {
  const last = items.at(-1)
  return {
    object: "list",
    data: items.map((item) => toWire(item)),
    has_more: hasMore,
    next_cursor: hasMore && last !== undefined ? { createdAt: last.createdAt, id: last.id } : null
  }
}

/** The same as JSON, for items that are answered as they were stored and pass no schema. */
export const toListJson = <A extends Page.Position>(page: Page.Page<A>, toJson: (item: A) => unknown) => {
  const { next_cursor: next, ...list } = toList(page, toJson)
  return { ...list, next_cursor: next === null ? null : Page.toCursor(next) }
}
