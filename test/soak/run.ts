/**
 * `npm run soak`: one run; the counts as one line of JSON, and an exit of 1 when a promise was not kept. With `--carrier twilio` or `telnyx`,
 * calls over the fake of that carrier.
 */
import { Effect, Logger } from "effect"
import { randomInt } from "node:crypto"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as CarrierSoak from "./carriers/CarrierSoak.ts"
import * as FakeCarriers from "./carriers/FakeCarriers.ts"
import * as RecordCheck from "./RecordCheck.ts"
import type { Verdict } from "./Soak.ts"
import * as Soak from "./Soak.ts"

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string" },
    nodes: { type: "string", default: "3" },
    /** How many times faster than real time the timeline runs. */
    speed: { type: "string", default: "1" },
    /** How wrong the nodes' clocks are at most, in milliseconds of the timeline. */
    skew: { type: "string", default: "60000" },
    /** Calls over the fake of this carrier, in real time; `seconds`, `speed` and `skew` do not apply. */
    carrier: { type: "string" },
    /** How many calls, with `--carrier`. */
    calls: { type: "string", default: "1000" }
  }
})
/** The number that an option gives; a run that was asked for in a way that is not understood is none. */
const number = (name: keyof typeof values, least: number): number => {
  const text = values[name] ?? ""
  const given = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(given) && given >= least) return given
  process.stderr.write(`--${name} must be a whole number from ${least} on, and is ${text}\n`)
  return process.exit(1)
}

const options = {
  seed: values.seed === undefined ? randomInt(2 ** 31) : number("seed", 0),
  seconds: number("seconds", 1),
  nodes: number("nodes", 1),
  speed: number("speed", 1),
  skew: number("skew", 0)
}
const { seed } = options
const folder = await mkdtemp(join(tmpdir(), "outdial-soak-"))
// Postgres runs as a user of its own, and has to come through.
await chmod(folder, 0o755)

const startedAt = Date.now()
const say = (line: string) =>
  process.stderr.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}\n`)

const counts = ({ breaches, evidence, incidents }: Verdict) => ({
  ...options,
  faults: incidents,
  requests: evidence.sent.length,
  accepted: evidence.sent.filter(({ answers }) => answers.some(RecordCheck.isAccepted)).length,
  repeated: evidence.sent.filter(({ answers }) => answers.length > 1).length,
  calls: evidence.calls.length,
  rings: evidence.rings.length,
  reported: evidence.reported,
  completed: evidence.calls.filter(({ status }) => status === "completed").length,
  canceled: evidence.canceled.length,
  stops: evidence.stops.length,
  pauses: evidence.pauses.length,
  events: evidence.events.length,
  deliveries: evidence.received.length,
  breaches: breaches.length
})

say(`Seed ${seed}; everything is kept in ${folder}`)
const stop = new AbortController()
// Also on a second signal: child processes must not outlive the run. The package of the database would end this process at
// once.
for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal).on(signal, () => stop.abort())
const { carrier } = values
if (carrier !== undefined) {
  const name = FakeCarriers.names.find((one) => one === carrier)
  if (name === undefined) {
    process.stderr.write(`--carrier must be one of ${FakeCarriers.names.join(", ")}, and is ${carrier}\n`)
    process.exit(1)
  }
  const run = CarrierSoak.run({ carrier: name, folder, seed, nodes: options.nodes, calls: number("calls", 1), say })
  const { breaches, counts, evidence } = await Effect.runPromise(Effect.scoped(run), { signal: stop.signal })
  for (const { promise, what } of breaches) say(`BREACH of "${promise}": ${what}`)
  if (breaches.length === 0) await rm(folder, { recursive: true, force: true })
  else await writeFile(join(folder, "evidence.json"), JSON.stringify(evidence))
  process.stdout.write(`${JSON.stringify(counts)}\n`)
  process.exit(breaches.length === 0 ? 0 : 1)
}
const verdict = await Effect.runPromise(
  Soak.run({ ...options, folder, say }).pipe(
    Effect.scoped,
    Effect.provide(Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]))
  ),
  { signal: stop.signal }
)
for (const { promise, what } of verdict.breaches) say(`BREACH of "${promise}": ${what}`)
if (verdict.breaches.length === 0) await rm(folder, { recursive: true, force: true })
else {
  await writeFile(join(folder, "evidence.json"), JSON.stringify(verdict))
  say(`${verdict.breaches.length} breaches with seed ${seed}; see ${folder}`)
}
process.stdout.write(`${JSON.stringify(counts(verdict))}\n`)
process.exit(verdict.breaches.length === 0 ? 0 : 1)
