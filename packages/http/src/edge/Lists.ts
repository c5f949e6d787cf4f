/** Lists, page by page (`docs/decisions.md`, lists): the envelope, the query parameters of every list, and the cursor. */
import { FieldDocs, Page, Queries, Timestamp } from "@outdial/core"
import { Schema, SchemaAST, SchemaGetter } from "effect"

const { field, like } = FieldDocs

/** The envelope of every list. */
export const listOf = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    object: field(Schema.Literal("list"), "Always `list`.", "list"),
    data: field(Schema.Array(item), "The items of this page, newest first.", []),
    has_more: field(Schema.Boolean, "Whether there is another page.", false),
    next_cursor: field(
      Schema.NullOr(Cursor),
      "Send it as `cursor` for the next page; null on the last one.",
      null
    )
  }).annotate({ identifier: `${SchemaAST.resolveIdentifier(SchemaAST.toEncoded(item.ast))}List` })

/** A limit above the maximum is read as the maximum, whatever its number of digits. */
const Limit = Schema.String.check(
  Schema.isPattern(/^0*[1-9][0-9]*$/, { message: "must be a whole number of at least 1" })
).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((digits) => Page.limitOf(Number(digits))),
    encode: SchemaGetter.transform((limit) => String(limit))
  })
)

const Cursor = Page.Cursor("next_cursor")

/** The paging parameters of every list. */
export const pageQuery = {
  limit: like(Queries.page.limit, Schema.optionalKey(Limit)),
  cursor: like(Queries.page.cursor, Schema.optionalKey(Cursor))
}

const { createdAfter, createdBefore } = Queries.created

/** The same, with a filter by time. */
export const listQuery = {
  ...pageQuery,
  createdAfter: like(createdAfter, Schema.optionalKey(Timestamp.Timestamp)),
  createdBefore: like(createdBefore, Schema.optionalKey(Timestamp.Timestamp))
}

/** The page in the envelope of a list. */
export const toList = <A extends Page.Position, B>(
  { hasMore, items }: Page.Page<A>,
  toWire: (item: A) => B
): {
  readonly object: "list"
  readonly data: ReadonlyArray<B>
  readonly has_more: boolean
  readonly next_cursor: Page.Position | null
} => {
  const last = items.at(-1)
  return {
    object: "list",
    data: items.map((item) => toWire(item)),
    has_more: hasMore,
    next_cursor: hasMore && last !== undefined ? { createdAt: last.createdAt, id: last.id } : null
  }
}

/** The same as JSON, for items that are returned as stored. */
export const toListJson = <A extends Page.Position>(page: Page.Page<A>, toJson: (item: A) => unknown) => {
  const { next_cursor: next, ...list } = toList(page, toJson)
  return { ...list, next_cursor: next === null ? null : Page.toCursor(next) }
}
