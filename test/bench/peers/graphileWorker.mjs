// graphile-worker: with the settings that it starts with, and with those that its own benchmarks use.
import { Logger, makeWorkerUtils, run } from "graphile-worker"
import pg from "pg"
import { inFlight, inThousands, payload, percentile, rate, sleep } from "./load.mjs"

const logger = new Logger(() => () => {})
const inGroups = {
  worker: { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }
}

export const make = async (connectionString) => {
  const pool = new pg.Pool({ connectionString, max: 20 })
  pool.on("error", () => {})
  pool.on("connect", (client) => client.on("error", () => {}))
  const utils = await makeWorkerUtils({ pgPool: pool, logger })
  await utils.migrate()

  const addBatch = (indexes) => utils.addJobs(indexes.map((index) => ({ identifier: "call", payload: payload(index) })))

  /** Adds jobs and has them run to the end. */
  const through = (count, options) =>
    rate(count, async () => {
      await inThousands(count, addBatch)
      let done = 0
      const { promise, resolve } = Promise.withResolvers()
      const runner = await run({
        pgPool: pool,
        logger,
        noHandleSignals: true,
        taskList: { call: () => void (++done === count && resolve()) },
        ...options
      })
      await promise
      await runner.stop()
    })

  return {
    acceptBatches: (count) =>
      rate(count, () => inThousands(count, addBatch)).finally(() =>
        pool.query("truncate graphile_worker._private_jobs")
      ),
    acceptCalls: (count) =>
      rate(count, () => inFlight(count, 50, (index) => utils.addJob("call", payload(index)))).finally(() =>
        pool.query("truncate graphile_worker._private_jobs")
      ),
    lifecycles: (count) => through(count, { concurrency: 10 }),
    lifecyclesInGroups: (count) => through(count, { concurrency: 24, preset: inGroups }),
    latency: async (count) => {
      const times = []
      let taken = () => {}
      const runner = await run({
        pgPool: pool,
        logger,
        noHandleSignals: true,
        concurrency: 10,
        taskList: { call: () => taken() }
      })
      for (let index = 0; index < count; index++) {
        const { promise, resolve } = Promise.withResolvers()
        taken = () => resolve(performance.now())
        await utils.addJob("call", payload(index))
        const added = performance.now()
        times.push(Math.max(0, await promise - added))
        await sleep(5)
      }
      await runner.stop()
      return [percentile(times, 50), percentile(times, 99)]
    }
  }
}
