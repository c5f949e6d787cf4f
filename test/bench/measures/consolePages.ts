/** What open pages of the console cost while nothing happens, beside calls that wait. */
import { Console } from "@outdial/console"
import { Effect } from "effect"
import process from "node:process"
import * as BenchPostgres from "../BenchPostgres.ts"
import * as Fixture from "../Fixture.ts"
import * as Measurement from "../Measurement.ts"

/** All of one account, as those of a team. */
const pages = 50

const waiting = 10_000

/** Long enough for heartbeats, and for a percent of a core to be more than the clock's steps. */
const seconds = 20

const shareOfCore = (millis: number) => millis / (seconds * 1000) * 100

const processCpu = Effect.sync(() => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
})

export const consolePages = Effect.gen(function*() {
  const { cpu: databaseCpu = Effect.succeed(Number.NaN) } = yield* BenchPostgres.BenchPostgres
  const fixture = yield* Fixture.make("bench_console")
  const accounts = yield* Fixture.accounts(fixture, 1, { lines: 0 })
  yield* Fixture.accept(fixture, accounts, waiting)
  const [account] = accounts
  // Each page is another user's, as one user may not have so many open.
  const handle = yield* Effect.promise(() =>
    Console.web(fixture, {
      authenticate: (request) => ({ role: "admin", name: request.headers.get("x-user") ?? "" })
    })
  )

  const page = (user: string) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const url = `https://bench.test/console/api/accounts/${account?.accountId}/live`
        const response = await handle(new Request(url, { headers: { "x-user": user } }))
        if (response.status !== 200 || response.body === null) {
          throw new Error(`The stream has status ${response.status}: ${await response.text()}`)
        }
        return response.body.getReader()
      }),
      (reader) => Effect.promise(() => reader.cancel())
    )

  /** Reads to the end. */
  const watch = (reader: ReadableStreamDefaultReader<Uint8Array>) =>
    Effect.promise(async () => {
      while (!(await reader.read()).done) { /* what it says is not looked at */ }
    })

  /** What the process and the database take of a core meanwhile. */
  const taken = Effect.gen(function*() {
    const before = [yield* processCpu, yield* databaseCpu] as const
    yield* Effect.sleep(`${seconds} seconds`)
    const after = [yield* processCpu, yield* databaseCpu] as const
    return [shareOfCore(after[0] - before[0]), shareOfCore(after[1] - before[1])] as const
  })

  const ours = Effect.fnUntraced(function*(count: number) {
    const idle = yield* taken
    const open = yield* Effect.scoped(Effect.gen(function*() {
      const readers = yield* Effect.forEach(Array.from({ length: count }), (_, n) => page(`user ${n}`))
      yield* Effect.forkScoped(Effect.forEach(readers, watch, { concurrency: "unbounded", discard: true }))
      // Opening them is not idle.
      yield* Effect.sleep("2 seconds")
      return yield* taken
    }))
    return [Math.max(0, open[0] - idle[0]), Math.max(0, open[1] - idle[1])]
  })

  const goals = [{ text: "≤ 1 % of a core", isReached: (value: number) => value <= 1 }]
  return yield* Measurement.measured({
    figures: [
      { name: "console-50-pages", unit: "% of a core, the server's process", better: "less", goals },
      { name: "console-50-pages-database", unit: "% of a core, the database", better: "less", goals }
    ],
    ours,
    peers: [],
    first: pages,
    most: pages
  })
})
