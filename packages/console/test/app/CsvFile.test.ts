import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readCsv } from "../../app/src/pages/batches/CsvFile.ts"

const utf8 = (text: string) => new TextEncoder().encode(text)

const utf16 = (text: string) => {
  const bytes = new Uint8Array(2 + text.length * 2)
  bytes.set([0xff, 0xfe])
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    bytes.set([code & 0xff, code >> 8], 2 + index * 2)
  }
  return bytes
}

const cellsOf = (bytes: Uint8Array, options = {}) =>
  Effect.promise(async () => (await readCsv(bytes, options)).rows.map(({ cells }) => cells))

describe("CSV files", () => {
  it.effect("reads what spreadsheets write: marks of encodings, separators, quotes and line ends", () =>
    Effect.gen(function*() {
      const expected = [["phone", "name"], ["+4930123", "Jürgen, \"Jo\"\nMüller"]]
      const quoted = "\"Jürgen, \"\"Jo\"\"\nMüller\""
      assert.deepStrictEqual(yield* cellsOf(utf8(`phone,name\r\n+4930123,${quoted}\r\n`)), expected)
      assert.deepStrictEqual(yield* cellsOf(utf8(`\uFEFFphone;name\n+4930123;${quoted}`)), expected)
      assert.deepStrictEqual(yield* cellsOf(utf16(`phone\tname\r\n+4930123\t${quoted}\r\n`)), expected)
      assert.deepStrictEqual(yield* cellsOf(utf8(`sep=|\r\nphone|name\r\n+4930123|${quoted}\r\n`)), expected)
      const latin = Uint8Array.from(`phone;name\n+4930123;${quoted}`, (character) => character.charCodeAt(0))
      assert.deepStrictEqual(yield* cellsOf(latin), expected)
      assert.deepStrictEqual(yield* cellsOf(utf8("phone;name"), { delimiter: "," }), [["phone;name"]])
    }))

  it.effect("keeps the numbers of rows when it leaves out empty ones, and finds a quotation mark that stays open", () =>
    Effect.gen(function*() {
      const file = yield* Effect.promise(() => readCsv(utf8("a,b\n\n , \n1,2,3\n\"x,y\n")))
      assert.deepStrictEqual(file.rows.map(({ number }) => number), [1, 4, 5])
      assert.strictEqual(file.columns, 3)
      assert.strictEqual(file.openQuoteAt, 5)
    }))
})
