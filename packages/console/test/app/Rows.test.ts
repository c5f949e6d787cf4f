import { assert, describe, it } from "@effect/vitest"
import { located } from "../../app/src/data/Rows.ts"

describe("the place of the focus in a table", () => {
  const at = (key: string | undefined, index: number, rows: string) =>
    located({ key, index, place: 2 }, rows.length, (index) => rows[index] ?? "")

  it("stays with its row when others come or go", () => {
    assert.deepStrictEqual(at("c", 2, "abcd"), { key: "c", index: 2, place: 2 })
    assert.deepStrictEqual(at("c", 2, "xyabcd"), { key: "c", index: 4, place: 2 })
    assert.deepStrictEqual(at("c", 2, "cd"), { key: "c", index: 0, place: 2 })
  })

  it("goes to the row that takes the place of a removed one, and waits while there are none", () => {
    assert.deepStrictEqual(at("c", 2, "abde"), { key: "d", index: 2, place: 2 })
    assert.deepStrictEqual(at("c", 2, "ab"), { key: "b", index: 1, place: 2 })
    assert.deepStrictEqual(at("c", 2, ""), { key: "c", index: 2, place: 2 })
    assert.deepStrictEqual(at(undefined, 0, "abc"), { key: undefined, index: 0, place: 2 })
  })
})
