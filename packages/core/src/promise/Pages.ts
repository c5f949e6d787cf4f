/** Lists as hosts without Effect read them, page by page. */
import { Effect, Option } from "effect"
import { InvalidRequest } from "../domain/Errors.ts"
import * as Page from "../domain/Page.ts"

/** A page, newest first; `nextCursor` is null on the last one. */
export interface HostPage<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
  readonly nextCursor: string | null
}

/** Which page the request is for. */
export const pageRequest = (
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit?: number | undefined }
) => {
  const after = cursor === undefined ? Option.none() : Page.fromCursor(cursor)
  return cursor !== undefined && Option.isNone(after)
    ? Effect.fail(
      new InvalidRequest({
        problems: [{ path: ["cursor"], message: "was not made here; use the nextCursor of a page" }]
      })
    )
    : Effect.succeed({ limit: Page.limitOf(limit), after })
}

/** The page as hosts see it. */
export const hostPage = <A extends Page.Position, B>(
  { hasMore, items }: Page.Page<A>,
  toHost: (item: A) => B
): HostPage<B> => {
  const last = items.at(-1)
  return {
    items: items.map((item) => toHost(item)),
    hasMore,
    nextCursor: hasMore && last !== undefined ? Page.toCursor(last) : null
  }
}
