import { assert, describe, it } from "@effect/vitest"
import { apiFilters, readFilters, writeFilters } from "../../app/src/data/CallFilters.ts"
import { type CallPage, type CallRow, pagesIn, rowOf, withChanges, withNew } from "../../app/src/data/CallPages.ts"
import { partAround } from "../../app/src/data/Rows.ts"
import type { Call } from "../../app/src/data/Wire.ts"

const call = (id: string, status: Call["status"] = "queued"): CallRow =>
  rowOf({
    id,
    object: "call",
    status,
    agent_id: "7b0c4f52-6f0e-4d5f-9a43-0c9f2f1f9d11",
    phone_number: "+14155550100",
    contact: {},
    variables: {},
    metadata: {},
    batch_id: null,
    test: false,
    created_at: "2026-03-02T10:00:00.000Z",
    outcome: null
  })

const page = (rows: ReadonlyArray<CallRow>, next: string | undefined = "c"): CallPage => ({ rows, next, readAt: 0 })
const idsOf = (page: CallPage | undefined) => page?.rows.map(({ id }) => id)

describe("the filters of the list of calls", () => {
  it("come back from the address as they were written", () => {
    const text =
      "q=%2B1+415+555&status=queued&status=failed&agent=a&batch=b&span=custom&from=2026-03-02T10%3A00&test=true"
    assert.strictEqual(writeFilters(readFilters(new URLSearchParams(text))).toString(), text)
    assert.strictEqual(writeFilters(readFilters(new URLSearchParams("status=x&span=y&test=z"))).toString(), "")
  })

  it("search numbers as numbers, and everything else as an external id", () => {
    const searched = (q: string) => {
      const { external_id, phone_number } = apiFilters(readFilters(new URLSearchParams({ q })), 0)
      return { external_id, phone_number }
    }
    assert.deepStrictEqual(searched("+1 (415) 555-0100"), { external_id: "", phone_number: "+1 (415) 555-0100" })
    assert.deepStrictEqual(searched(" 4711 "), { external_id: "4711", phone_number: "" })
  })

  it("begin a span at its length before now", () => {
    const { created_after } = apiFilters(
      readFilters(new URLSearchParams("span=day")),
      Date.parse("2026-03-02T10:00:00Z")
    )
    assert.strictEqual(created_after, "2026-03-01T10:00:00.000Z")
  })
})

describe("changes of the list of calls", () => {
  it("come in where the call stands, also when it no longer fits the filter, and add no row", () => {
    const pages = [page([call("e"), call("d")]), page([call("c"), call("b")]), page([call("a")])]
    const read = new Map([[1, { ...page([call("b", "dialing"), call("a")]), readAt: 5 }]])
    const [first, second, third] = withChanges(pages, read, [call("c", "completed")])
    assert.deepStrictEqual([first, third], [pages[0], pages[2]])
    assert.deepStrictEqual(second, { ...page([call("c", "completed"), call("b", "dialing")]), readAt: 5 })
  })

  it("leave the objects of calls that did not change, so that their rows are not drawn again", () => {
    const pages = [page([call("b"), call("a")])]
    const [first] = withChanges(pages, new Map([[0, page([call("b"), call("a")])]]), [])
    assert.strictEqual(first?.rows, pages[0]?.rows)
  })

  it("bring new calls in their order, and ask for a new list when some may be missing", () => {
    const first = page([call("c"), call("a")])
    assert.deepStrictEqual(idsOf(withNew(first, page([call("d"), call("c"), call("b"), call("a")]))), [
      "d",
      "c",
      "b",
      "a"
    ])
    // What follows the last known call is on the next page.
    assert.strictEqual(withNew(first, page([call("c"), call("a"), call("0")])), first)
    assert.isUndefined(withNew(first, page([call("z"), call("y")])))
    assert.deepStrictEqual(idsOf(withNew(page([]), page([call("z")], undefined))), ["z"])
  })

  it("are read for the pages in view alone", () => {
    const pages = [page([call("d"), call("c")]), page([call("b")]), page([call("a")])]
    assert.deepStrictEqual(pagesIn(pages, { from: 0, to: 0 }), [0])
    assert.deepStrictEqual(pagesIn([page([], undefined)], { from: 0, to: 12 }), [0])
    assert.deepStrictEqual(pagesIn(pages, { from: 1, to: 3 }), [0, 1])
    assert.deepStrictEqual(pagesIn(pages, { from: 3, to: 40 }), [2])
  })
})

describe("the part of a long table that is drawn", () => {
  it("has rows before and after the view, at least as many as are in view, and moves in steps", () => {
    assert.deepStrictEqual(partAround({ from: 0, to: 20 }), { from: 0, to: 40 })
    assert.deepStrictEqual(partAround({ from: 1_000, to: 1_010 }), { from: 985, to: 1_025 })
    assert.deepStrictEqual(partAround({ from: 1_003, to: 1_013 }), { from: 985, to: 1_030 })
    assert.deepStrictEqual(partAround({ from: 1_000, to: 1_100 }), { from: 900, to: 1_200 })
  })
})
