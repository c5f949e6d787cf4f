import { assert, describe, it } from "@effect/vitest"
import { EventParser } from "../../app/src/data/EventParser.ts"

const stream =
  ": hello\n\nevent: changed\nid: 7\ndata: {\"a\":\ndata: 1}\n\n:\n\ndata:x\r\nevent:turn\r\n\r\nevent: cut\ndata: off"

const events = [
  { name: "changed", data: "{\"a\":\n1}", id: "7" },
  { name: "turn", data: "x", id: "7" }
]

describe("EventParser", () => {
  it("reads events, and leaves out comments and what is incomplete", () => {
    assert.deepStrictEqual(new EventParser().push(stream), events)
  })

  it("reads the same however the stream is cut", () => {
    for (let size = 1; size < stream.length; size++) {
      const parser = new EventParser()
      const chunks = Array.from(
        { length: Math.ceil(stream.length / size) },
        (_, index) => stream.slice(index * size, (index + 1) * size)
      )
      assert.deepStrictEqual(chunks.flatMap((chunk) => parser.push(chunk)), events, `chunks of ${size}`)
    }
  })
})
