// pg-boss: one job at a time, and five hundred at a time.
import { PgBoss } from "pg-boss"
import { inFlight, inThousands, payload, percentile, range, rate, sleep } from "./load.mjs"

const queue = "call"

export const make = async (connectionString) => {
  const boss = new PgBoss({ connectionString, max: 10, schedule: false, supervise: false, useListenNotify: true })
  boss.on("error", () => {})
  await boss.start()
  await boss.createQueue(queue, { notify: true })
  const clear = () => boss.deleteAllJobs(queue)

  const addBatch = (indexes) => boss.insert(queue, indexes.map((index) => ({ data: payload(index) })))

  const drain = async (batchSize) => {
    for (;;) {
      const jobs = await boss.fetch(queue, { batchSize })
      if (jobs.length === 0) return
      await boss.complete(queue, jobs.map(({ id }) => id))
    }
  }

  /** Adds jobs and has them completed. */
  const through = (count, { batchSize, loops }) =>
    rate(count, async () => {
      await inThousands(count, addBatch)
      await Promise.all(range(loops).map(() => drain(batchSize)))
    }).finally(clear)

  return {
    acceptBatches: (count) => rate(count, () => inThousands(count, addBatch)).finally(clear),
    acceptCalls: (count) =>
      rate(count, () => inFlight(count, 50, (index) => boss.send(queue, payload(index)))).finally(clear),
    lifecycles: (count) => through(count, { batchSize: 1, loops: 10 }),
    lifecyclesInGroups: (count) => through(count, { batchSize: 500, loops: 2 }),
    /** Takes a hundred at a time out of those that wait. */
    claims: (count) =>
      rate(count, async () => {
        for (let left = count; left > 0; left -= 100) await boss.fetch(queue, { batchSize: 100 })
      }),
    fill: async (count) => {
      await clear()
      await inThousands(count, addBatch)
    },
    latency: async (count) => {
      const times = []
      let taken = () => {}
      const worker = await boss.work(queue, {}, async () => taken())
      await sleep(500)
      for (let index = 0; index < count; index++) {
        const { promise, resolve } = Promise.withResolvers()
        taken = () => resolve(performance.now())
        await boss.send(queue, payload(index))
        const added = performance.now()
        times.push(Math.max(0, await promise - added))
        await sleep(5)
      }
      await boss.offWork(queue, { id: worker })
      return [percentile(times, 50), percentile(times, 99)]
    }
  }
}
