/** The list of workers in memory. */
import { DateTime, Effect, Order } from "effect"
import type { Worker } from "../domain/Worker.ts"
import type { Database } from "../storage/MemoryTables.ts"
import type { WorkerStore } from "./WorkerStore.ts"

const byStart: Order.Order<Worker> = Order.combine(
  Order.mapInput(DateTime.Order, ({ startedAt }: Worker) => startedAt),
  Order.mapInput(Order.String, ({ id }: Worker) => id)
)

export const make = (db: Database): WorkerStore["Service"] => ({
  put: (worker) => Effect.sync(() => void db.workers.set(worker.id, worker)),
  remove: (id) => Effect.sync(() => void db.workers.delete(id)),
  list: (seenAfter) =>
    Effect.sync(() =>
      [...db.workers.values()].filter(({ seenAt }) => DateTime.isGreaterThan(seenAt, seenAfter)).sort(byStart)
    ),
  prune: (seenBefore) =>
    Effect.sync(() => {
      const gone = [...db.workers.values()].filter(({ seenAt }) => DateTime.isLessThanOrEqualTo(seenAt, seenBefore))
      for (const { id } of gone) db.workers.delete(id)
      return gone.length
    })
})
