import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Changes } from "../../app/src/data/Changes.ts"
import type { LiveChange } from "../../app/src/data/Wire.ts"

/** A page whose readings and pauses end when the test says so. */
const pageOf = (options: { readonly isSeen?: () => boolean; readonly isDone?: (reads: number) => boolean } = {}) => {
  const reads: Array<LiveChange> = []
  let end = Promise.withResolvers<void>()
  const changes = new Changes({
    isSeen: options.isSeen ?? (() => true),
    read: async (change) => {
      reads.push(change)
      return options.isDone?.(reads.length) ?? true
    },
    pause: () => end.promise
  })
  const settled = () => new Promise<void>((done) => setImmediate(done))
  const afterPause = Effect.promise(async () => {
    await settled()
    end.resolve()
    end = Promise.withResolvers()
    await settled()
  })
  return { changes, reads, afterPause }
}

const changeOf = (topic: LiveChange["topics"][number], ...call_ids: ReadonlyArray<string>): LiveChange => ({
  topics: [topic],
  call_ids
})

describe("changes", () => {
  it.effect("are read at once, and those of the meantime together after a pause", () =>
    Effect.gen(function*() {
      const { afterPause, changes, reads } = pageOf()
      changes.add(changeOf("calls", "a"))
      for (const id of ["b", "c", "b"]) changes.add(changeOf("calls", id))
      changes.add(changeOf("batches"))
      assert.deepStrictEqual(reads, [changeOf("calls", "a")])
      yield* afterPause
      assert.deepStrictEqual(reads.slice(1), [{ topics: ["calls", "batches"], call_ids: ["b", "c"] }])
      yield* afterPause
      yield* afterPause
      assert.lengthOf(reads, 2)
    }))

  it.effect("are read again after the pause when they could not be read", () =>
    Effect.gen(function*() {
      const { afterPause, changes, reads } = pageOf({ isDone: (reads) => reads > 1 })
      changes.add(changeOf("calls", "a"))
      yield* afterPause
      yield* afterPause
      assert.deepStrictEqual(reads, [changeOf("calls", "a"), changeOf("calls", "a")])
    }))

  it.effect("wait while the page is not seen, and are not read after its end", () =>
    Effect.gen(function*() {
      let isSeen = false
      const { afterPause, changes, reads } = pageOf({ isSeen: () => isSeen })
      changes.add(changeOf("calls", "a"))
      changes.add(changeOf("calls", "b"))
      assert.deepStrictEqual(reads, [])
      isSeen = true
      void changes.next()
      assert.deepStrictEqual(reads, [changeOf("calls", "a", "b")])
      changes.add(changeOf("calls", "c"))
      changes.stop()
      yield* afterPause
      assert.lengthOf(reads, 1)
    }))
})
