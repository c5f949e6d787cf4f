/** The list of workers. Other tests may use the storage, so only workers of the test are checked. */
import { Ids, Storage, type Worker } from "@outdial/core"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"

const worker = (startedAt: number, more: Partial<Worker.Worker> = {}): Worker.Worker => ({
  id: Factories.workerId(),
  version: "1.2.3",
  runs: ["dispatcher", "deliveries"],
  startedAt: Factories.at(startedAt),
  seenAt: Factories.at(startedAt),
  ...more
})

/** The workers of the test that the storage lists, in its order. */
const listed = Effect.fnUntraced(function*(workers: ReadonlyArray<Worker.Worker>, seenAfter: number) {
  const storage = yield* Storage.Storage
  const all = yield* storage.workers.list(Factories.at(seenAfter))
  return all.filter(({ id }) => workers.some((worker) => worker.id === id))
})

export const cases: Cases = {
  "lists workers that were seen since, oldest first, with all their data": Effect.gen(function*() {
    const storage = yield* Storage.Storage
    const younger = worker(20, { name: "host:1", carriers: [Ids.CarrierName.make("ours")] })
    const older = worker(10, { seenAt: Factories.at(30) })
    yield* storage.workers.put(younger)
    yield* storage.workers.put(older)
    assert.deepStrictEqual(yield* listed([older, younger], 19), [older, younger])
    assert.deepStrictEqual(yield* listed([older, younger], 20), [older])
    assert.deepStrictEqual(yield* listed([older, younger], 30), [])
  }),

  "keeps one entry of a worker, with its last heartbeat": Effect.gen(function*() {
    const storage = yield* Storage.Storage
    const before = worker(10, { name: "host:1" })
    const { name: _, ...nameless } = before
    const after = { ...nameless, seenAt: Factories.at(40), runs: ["deliveries"], version: "1.3.0" }
    yield* storage.workers.put(before)
    yield* storage.workers.put(after)
    assert.deepStrictEqual(yield* listed([before], 0), [after])
  }),

  "removes a worker, also repeatedly": Effect.gen(function*() {
    const storage = yield* Storage.Storage
    const [one, other] = [worker(10), worker(11)]
    yield* storage.workers.put(one)
    yield* storage.workers.put(other)
    yield* storage.workers.remove(one.id)
    yield* storage.workers.remove(one.id)
    assert.deepStrictEqual(yield* listed([one, other], 0), [other])
  }),

  "prunes workers that were not seen since, and no others": Effect.gen(function*() {
    const storage = yield* Storage.Storage
    // Long before the heartbeats of other tests.
    const [one, two, later] = [worker(-5000), worker(-4000), worker(-3999)]
    for (const each of [one, two, later]) yield* storage.workers.put(each)
    assert.strictEqual(yield* storage.workers.prune(Factories.at(-4000)), 2)
    assert.strictEqual(yield* storage.workers.prune(Factories.at(-4000)), 0)
    assert.deepStrictEqual(yield* listed([one, two, later], -6000), [later])
  })
}
