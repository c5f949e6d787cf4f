/** Lists as hosts without Effect read them, page by page. */
import * as Page from "../domain/Page.ts"

/** A page, newest first; `nextCursor` is null on the last one. */
export interface HostPage<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
  readonly nextCursor: string | null
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
