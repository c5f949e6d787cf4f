/** The list of workers in memory. */
import { DateTime, Effect, Order } from "effect"
import type { Worker } from "../domain/Worker.ts"
import type { Storage } from "../engine/Storage.ts"
import type { Database } from "../storage/MemoryTables.ts"

const byStart: Order.Order<Worker> = Order.combine(
  Order.mapInput(DateTime.Order, ({ startedAt }: Worker) => startedAt),
  Order.mapInput(Order.String, ({ id }: Worker) => id)
)

export const methods = ({ workers }: Database) =>
  ({
    putWorker: (worker) => Effect.sync(() => void workers.set(worker.id, worker)),
    removeWorker: (id) => Effect.sync(() => void workers.delete(id)),
    listWorkers: (seenAfter) =>
      Effect.sync(() =>
        [...workers.values()].filter(({ seenAt }) => DateTime.isGreaterThan(seenAt, seenAfter)).sort(byStart)
      ),
    pruneWorkers: (seenBefore) =>
      Effect.sync(() => {
        const gone = [...workers.values()].filter(({ seenAt }) => DateTime.isLessThanOrEqualTo(seenAt, seenBefore))
        for (const { id } of gone) workers.delete(id)
        return gone.length
      })
  }) satisfies Partial<Storage["Service"]>
