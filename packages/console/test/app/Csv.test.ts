import { assert, describe, it } from "@effect/vitest"
import { safeCell, toCsv } from "../../app/src/data/Csv.ts"

describe("CSV", () => {
  it("writes what a spreadsheet would calculate as text", () => {
    const formulas = ["=1+1", "+1+1", "-2", "@SUM(A1)", "\t=1", "\r=1", "＝1", "+49 (170) 1"]
    assert.deepStrictEqual(formulas.map(safeCell), formulas.map((text) => `'${text}`))
  })

  it("leaves telephone numbers, numbers and other text as they are", () => {
    assert.deepStrictEqual(["+14155550100", -2, true, "a=b", null, undefined].map(safeCell), [
      "+14155550100",
      "-2",
      "true",
      "a=b",
      "",
      ""
    ])
  })

  it("quotes separators, quotes, line breaks and spaces at the ends", () => {
    assert.strictEqual(
      toCsv(["a", "b"], [["x,y", "she said \"no\""], ["two\nlines", " padded"], ["1;2", 3]]),
      "a,b\r\n\"x,y\",\"she said \"\"no\"\"\"\r\n\"two\nlines\",\" padded\"\r\n\"1;2\",3\r\n"
    )
  })
})
