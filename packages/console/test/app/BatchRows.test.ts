import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ApiError, ConnectionLost } from "../../app/src/data/ApiError.ts"
import type { Batch } from "../../app/src/data/Wire.ts"
import { chunksOf, faultOf, planRows } from "../../app/src/pages/batches/BatchRows.ts"
import { assign, bodyOf, type Column, guessColumns, guessHeader } from "../../app/src/pages/batches/Columns.ts"
import type { CsvFile } from "../../app/src/pages/batches/CsvFile.ts"
import { checkRows, planBatches, startBatches } from "../../app/src/pages/batches/StartRows.ts"

const fileOf = (...rows: ReadonlyArray<ReadonlyArray<string>>): CsvFile => ({
  encoding: "utf-8",
  delimiter: ",",
  columns: Math.max(...rows.map((cells) => cells.length)),
  rows: rows.map((cells, index) => ({ number: index + 1, cells })),
  openQuoteAt: undefined
})

const targets = (columns: ReadonlyArray<Column>) => columns.map(({ target }) => target)

const columnsOf = (...given: ReadonlyArray<readonly [string, Column["target"]]>): ReadonlyArray<Column> =>
  given.map(([header, target], index) => ({ index, header, target }))

const phoneOnly = columnsOf(["phone", "phone_number"])

const rowsOf = (length: number) =>
  planRows(Array.from({ length }, (_, index) => ({ number: index + 1, cells: [`+1415555${1000 + index}`] })), phoneOnly)
    .planned

const neverWait = () => Promise.resolve()
const { signal } = new AbortController()

describe("columns", () => {
  it("are guessed from headers in English and German, the agent's variables first", () => {
    const file = fileOf(
      ["Kundennr.", "Telefon-Nummer", "Name", "Zeit zone", "Appointment", "E-Mail", "Notes"],
      ["1", "+49301234567", "Ada", "Europe/Berlin", "Tuesday", "ada@example.com", "x"]
    )
    assert.isTrue(guessHeader(file))
    assert.deepStrictEqual(targets(guessColumns(file, true, ["appointment", "contact.name"])), [
      "external_id",
      "phone_number",
      "name",
      "time_zone",
      "variable:appointment",
      "email",
      "skip"
    ])
  })

  it("are as many as the header has: a row with more cells is faulty, not given more columns", () => {
    const file = fileOf(["phone", "name"], ["+14155550100", "Ada", "x", "y"], ["+14155550101", "Bob", "", ""])
    const columns = guessColumns(file, true, [])
    assert.deepStrictEqual(targets(columns), ["phone_number", "name"])
    const { faults, planned } = planRows(bodyOf(file, true), columns)
    assert.deepStrictEqual(faults.map(({ code, row }) => [row.number, code]), [[2, "extra_cells"]])
    assert.deepStrictEqual(planned.map(({ row }) => row.number), [3])
  })

  it("finds the numbers of a file without headers", () => {
    const file = fileOf(["Ada", "+1 (415) 555-0100"], ["Bob", "+14155550101"])
    assert.isFalse(guessHeader(file))
    assert.deepStrictEqual(targets(guessColumns(file, false, [])), ["skip", "phone_number"])
    assert.strictEqual(bodyOf(file, false).length, 2)
  })

  it("takes a meaning from one column when another gets it, except metadata", () => {
    const columns = columnsOf(["a", "phone_number"], ["b", "metadata"], ["c", "skip"])
    assert.deepStrictEqual(targets(assign(columns, 2, "phone_number")), ["skip", "metadata", "phone_number"])
    assert.deepStrictEqual(targets(assign(columns, 2, "metadata")), ["phone_number", "metadata", "metadata"])
  })
})

describe("rows", () => {
  it("become calls, without their empty cells", () => {
    const columns = columnsOf(["n", "phone_number"], ["Name", "name"], ["v", "variable:day"], ["__proto__", "metadata"])
    const { planned } = planRows([{ number: 2, cells: [" +14155550100 ", "Ada", "", "x"] }], columns)
    assert.strictEqual(
      JSON.stringify(planned[0]?.body),
      "{\"phone_number\":\"+14155550100\",\"contact\":{\"name\":\"Ada\"},\"metadata\":{\"__proto__\":\"x\"}}"
    )
  })

  it("are faulty with a number that is in the file twice, with cells beyond the last column, and when too long", () => {
    const { faults, planned } = planRows([
      { number: 2, cells: ["+1 415 555 0100"] },
      { number: 3, cells: ["001-415-555-0100"] },
      { number: 4, cells: ["+14155550101", "x"] },
      { number: 5, cells: ["1".repeat(200_000)] },
      { number: 6, cells: [""] },
      { number: 7, cells: [""] }
    ], phoneOnly)
    assert.deepStrictEqual(planned.map(({ row }) => row.number), [2, 6, 7])
    assert.deepStrictEqual(faults.map(({ code, otherRow, row }) => [row.number, code, otherRow]), [
      [3, "duplicate_row", 2],
      [4, "extra_cells", undefined],
      [5, "row_too_long", undefined]
    ])
  })

  it("are blamed on the column that should give a missing value, and on none when no column does", () => {
    const columns = columnsOf(["phone", "phone_number"], ["who", "name"], ["when", "variable:day"])
    const { planned } = planRows([{ number: 8, cells: ["+14155550100"] }], columns)
    const columnFor = (missing: ReadonlyArray<string>) => {
      const refusal = { index: 0, code: "missing_variables", message: "no", param: "/calls/0/variables", missing }
      return faultOf(refusal, planned, columns)?.column?.header
    }
    assert.deepStrictEqual([["day"], ["contact.name"], ["place"]].map(columnFor), ["when", "who", undefined])
  })

  it("are grouped by 1,000, and by fewer when they are long", () => {
    assert.deepStrictEqual(chunksOf(rowsOf(2_001)).map(({ length }) => length), [1_000, 1_000, 1])
    const long = rowsOf(100).map((row) => ({ ...row, body: { ...row.body, metadata: { text: "x".repeat(90_000) } } }))
    assert.isAbove(chunksOf(long).length, 1)
  })

  it.effect("are checked in groups; what the server refuses is found in the file again", () =>
    Effect.gen(function*() {
      const sent: Array<number> = []
      const progress: Array<number> = []
      const { faults, good } = yield* Effect.promise(() =>
        checkRows({
          rows: rowsOf(1_500),
          columns: phoneOnly,
          signal,
          pause: neverWait,
          onProgress: (rows) => progress.push(rows),
          send: async (calls) => {
            sent.push(calls.length)
            // The first answer is lost.
            if (sent.length === 1) throw new ConnectionLost(undefined)
            return {
              rejected: calls.length === 1_000 ? [] : [{
                index: 499,
                phone_number: "x",
                code: "invalid_request",
                message: "no",
                param: "/calls/499/phone_number"
              }]
            }
          }
        })
      )
      assert.deepStrictEqual(sent, [1_000, 1_000, 500])
      assert.deepStrictEqual(progress, [1_000, 1_500])
      assert.strictEqual(good.length, 1_499)
      assert.deepStrictEqual(faults.map(({ column, row }) => [row.number, column?.header]), [[1_500, "phone"]])
    }))

  it.effect("are started with the same key after a lost answer, and the rest later, each batch once", () =>
    Effect.gen(function*() {
      let keys = 0
      let batches = planBatches(rowsOf(2_500), () => `key-${keys++}`)
      const stored = new Map<string, number>()
      let requests = 0
      const start = (isBroken: (request: number) => boolean) =>
        startBatches({
          batches,
          signal,
          pause: neverWait,
          onStarted: (next) => {
            batches = next
          },
          send: async ({ key, rows }) => {
            requests += 1
            // The server starts the batch, and its answer is lost.
            stored.set(key, rows.length)
            if (isBroken(requests)) throw new ConnectionLost(undefined)
            if (requests === 2) throw new ApiError(409, { code: "idempotency_key_in_use" })
            return { id: `batch_${key}`, accepted_count: rows.length } as unknown as Batch
          }
        })
      yield* Effect.promise(() => start((request) => request === 1 || request > 3).catch(() => undefined))
      assert.deepStrictEqual(batches.map(({ batch }) => batch !== undefined), [true, false, false])
      yield* Effect.promise(() => start(() => false))
      assert.isTrue(batches.every(({ batch, key }) => batch?.id === `batch_${key}`))
      assert.deepStrictEqual([...stored.values()], [1_000, 1_000, 500])
    }))
})
