/**
 * Runs the benchmarks: all that are not large, or those that `--only a,b` names; `--large` adds those with ten million rows or ten minutes.
 * Prints a table, or with `--json` one line for each figure and peer; `--write` puts the table into docs/performance.md.
 * `--profile` takes those apart that take the cores' time, instead of measuring them.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Logger, type Scope } from "effect"
import { parseArgs } from "node:util"
import * as BenchPostgres from "./BenchPostgres.ts"
import type { Measurement } from "./Measurement.ts"
import { acceptBatches } from "./measures/acceptBatches.ts"
import { acceptCalls } from "./measures/acceptCalls.ts"
import { commitDelay, oldSnapshot } from "./measures/adversity.ts"
import { claims10k, claims10m, claims1m } from "./measures/claims.ts"
import { consolePages } from "./measures/consolePages.ts"
import { conversations, conversationsHeld } from "./measures/conversations.ts"
import { deliveries } from "./measures/deliveries.ts"
import { latency } from "./measures/latency.ts"
import { lifecycles, lifecyclesNodes } from "./measures/lifecycles.ts"
import { memory } from "./measures/memory.ts"
import { modelAnswers } from "./measures/modelAnswers.ts"
import { phones } from "./measures/phones.ts"
import * as Profiling from "./Profiling.ts"
import * as Report from "./Report.ts"

type Benchmark = Effect.Effect<
  ReadonlyArray<Measurement>,
  unknown,
  BenchPostgres.BenchPostgres | NodeServices.NodeServices | Scope.Scope
>

const benchmarks: Readonly<Record<string, Benchmark>> = {
  "accept-batches": acceptBatches,
  "accept-calls": acceptCalls,
  lifecycles,
  "lifecycles-3-nodes": lifecyclesNodes,
  latency,
  deliveries,
  "claims-10k": claims10k,
  "claims-1m": claims1m,
  "old-snapshot": oldSnapshot,
  "commit-delay": commitDelay,
  memory,
  "console-pages": consolePages,
  conversations,
  "model-answers": modelAnswers,
  phones
}

/** Those that are taken apart when none is named: what they do, they do as fast as they can. */
const profiled = ["accept-batches", "accept-calls", "lifecycles", "deliveries"]

const large: Readonly<Record<string, Benchmark>> = { "claims-10m": claims10m, "conversations-1000": conversationsHeld }

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    json: { type: "boolean", default: false },
    large: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
    write: { type: "boolean", default: false }
  }
})
/** Of one benchmark: a machine on which it takes longer measures nothing but its load. */
const timeLimit = "15 minutes"

const known = { ...benchmarks, ...large }
const chosen = options.only?.split(",") ??
  (options.profile ? profiled : Object.keys(options.large ? known : benchmarks))
const unknown = chosen.filter((name) => !Object.hasOwn(known, name))
if (unknown.length > 0) {
  process.stderr.write(`There is no ${unknown.join(", ")}; there are ${Object.keys(known).join(", ")}\n`)
  process.exit(1)
}

const each = chosen.map((name) => Effect.scoped(known[name] ?? Effect.succeed([])).pipe(Effect.timeout(timeLimit)))

const measure = Effect.gen(function*() {
  const { version } = yield* BenchPostgres.BenchPostgres
  const all: Array<Measurement> = []
  for (const benchmark of each) {
    const measurements = yield* benchmark
    yield* Console.log(options.json ? Report.json(measurements) : Report.text(measurements))
    all.push(...measurements)
  }
  if (options.write) yield* Report.write(all, version)
})

const profile = Effect.gen(function*() {
  const { version } = yield* BenchPostgres.BenchPostgres
  const { taken } = yield* Profiling.Profiling
  yield* Effect.all(each, { discard: true })
  yield* Console.log(options.json ? JSON.stringify(taken) : Report.profiles(taken))
  if (options.write) yield* Report.writeProfiles(taken, version)
})

const list = Console.log(Object.keys(known).join("\n"))

const postgres = BenchPostgres.layer({ watched: options.profile })

const program = options.profile ? Effect.provide(profile, Profiling.Profiling.layer) : measure

NodeRuntime.runMain(
  options.list ? list : program.pipe(
    Effect.provide([postgres, NodeServices.layer]),
    Effect.provide(Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]))
  )
)
