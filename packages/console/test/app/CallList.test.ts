import { assert, describe, it } from "@effect/vitest"
import { apiFilters, readFilters, writeFilters } from "../../app/src/data/CallFilters.ts"
import { type CallPage, callsOf, withChanges } from "../../app/src/data/CallPages.ts"

type Call = CallPage["data"][number]

const call = (id: string, status: Call["status"] = "queued"): Call => ({
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

const page = (data: ReadonlyArray<Call>, has_more = true): CallPage => ({ data, has_more, next_cursor: "c" })
const idsOf = (pages: ReadonlyArray<CallPage> | undefined) => callsOf(pages ?? []).map(({ id }) => id)

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
  it("come in where the call stands, and new calls come first", () => {
    const pages = [page([call("c"), call("b")]), page([call("a")], false)]
    const merged = withChanges(pages, page([call("d"), call("c", "dialing")]), [call("a", "completed")])
    assert.deepStrictEqual(idsOf(merged), ["d", "c", "b", "a"])
    assert.deepStrictEqual(callsOf(merged ?? []).map(({ status }) => status), [
      "queued",
      "dialing",
      "queued",
      "completed"
    ])
  })

  it("leave the objects of calls that did not change, so that their rows are not drawn again", () => {
    const pages = [page([call("b"), call("a")])]
    const [first] = withChanges(pages, page([call("b"), call("a")]), []) ?? []
    assert.strictEqual(first, pages[0])
  })

  it("ask for a new list when there may be a gap between old and new calls", () => {
    assert.isUndefined(withChanges([page([call("a")])], page([call("z"), call("y")]), []))
  })

  it("show a call once that moved between pages while they were read", () => {
    assert.deepStrictEqual(idsOf([page([call("b"), call("a")]), page([call("a"), call("0")])]), ["b", "a", "0"])
  })
})
