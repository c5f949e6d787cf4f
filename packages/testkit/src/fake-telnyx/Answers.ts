/** The responses of Telnyx's API that have a form of their own. */
import type * as FakeServer from "../fake-carrier/FakeServer.ts"

export const failed = (status: number, code: string, title: string, detail = title): FakeServer.ApiAnswer => ({
  status,
  body: {
    errors: [{ code, title, detail, meta: { url: `https://developers.telnyx.com/docs/overview/errors/${code}` } }]
  }
})

export const paged = (all: ReadonlyArray<unknown>, query: URLSearchParams): FakeServer.ApiAnswer => {
  const [size, page] = [Number(query.get("page[size]") ?? 20), Number(query.get("page[number]") ?? 1)]
  const data = all.slice((page - 1) * size, page * size)
  const meta = {
    total_pages: Math.ceil(all.length / size),
    total_results: all.length,
    page_number: page,
    page_size: size
  }
  return { status: 200, body: { data, meta } }
}
