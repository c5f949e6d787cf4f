/** Lists of the promise client: await one for its first page, or iterate it for every item of every page. */
import type { Queries } from "@outdial/core"
import type { Query, Transport } from "./PromiseTransport.ts"

/** A page, newest first; `nextCursor` is null on the last one. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
  readonly nextCursor: string | null
}

/** `await` gives the first page; `for await` gives all items, and fetches pages as needed. */
export type List<A> = Promise<Page<A>> & AsyncIterable<A>

/** Which page, for callers that request each page themselves. */
export type PageQuery = typeof Queries.PageQuery.Encoded

/** The list at the path. */
export const make = <A>(
  transport: Transport,
  path: string,
  query: Query
): List<A> => {
  const page = async (cursor: string | undefined): Promise<Page<A>> => {
    const answer = await transport({
      method: "GET",
      path,
      query: cursor === undefined ? query : { ...query, cursor },
      repeatable: true
    })
    // Every list of the contract has this envelope.
    const { data, hasMore, nextCursor } = answer as Omit<Page<A>, "items"> & { readonly data: ReadonlyArray<A> }
    return { items: data, hasMore, nextCursor }
  }
  const first = page(undefined)
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      let current = await first
      yield* current.items
      while (current.nextCursor !== null) {
        current = await page(current.nextCursor)
        yield* current.items
      }
    }
  })
}
