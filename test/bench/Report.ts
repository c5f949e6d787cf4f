/** Formats the figures: as lines of JSON, as a table to read, and as the generated part of docs/performance.md. */
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { join } from "node:path"
import process from "node:process"
import type { Measurement } from "./Measurement.ts"
import type { Profile } from "./Profiling.ts"

/** One line for each, of what others compare; the table shows the spread of the runs. */
export const json = (measurements: ReadonlyArray<Measurement>): string =>
  measurements.map(({ name, peer, peer_value, ratio, runs, unit, value }) =>
    JSON.stringify({ name, unit, value, peer, peer_value, ratio, runs })
  ).join("\n")

const number = (value: number | null): string =>
  value === null ? "" : value.toLocaleString("en-US", { maximumFractionDigits: 2 })

const withSpread = (value: number | null, spread: readonly [number, number] | null): string =>
  value === null || spread === null ? "" : `${number(value)} (${number(spread[0])}–${number(spread[1])})`

const cells = ({ goals, name, peer, peer_spread, peer_value, ratio, spread, unit, value }: Measurement) => [
  name,
  unit,
  withSpread(value, spread),
  peer ?? "",
  withSpread(peer_value, peer_spread),
  ratio === null ? "" : number(ratio),
  goals.map(({ reached, text }) => `${text}: ${reached ? "reached" : "not reached"}`).join("; ")
]

const head = ["figure", "unit", "Outdial", "compared with", "its figure", "ratio", "goal"]

/** The figure's name and ours stand in the first line of it only. */
const rowsOf = (measurements: ReadonlyArray<Measurement>) =>
  measurements.map((measurement, index) =>
    cells(measurement).map((cell, column) =>
      column < 3 && measurements[index - 1]?.name === measurement.name ? "" : cell
    )
  )

/** Columns below each other. */
export const text = (measurements: ReadonlyArray<Measurement>): string => {
  const rows = [head, ...rowsOf(measurements)]
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()).join(
    "\n"
  ) + "\n"
}

const table = ([head = [], ...rows]: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")

const markdown = (measurements: ReadonlyArray<Measurement>): string => table([head, ...rowsOf(measurements)])

const file = join(import.meta.dirname, "../../docs/performance.md")

/** Puts the part, where it was measured and when, between its two marks; leaves the rest of the page unchanged. */
const replaced = (command: string, postgres: string, part: string) =>
  Effect.sync(() => {
    const page = readFileSync(file, "utf8")
    const begin = `<!-- Written by ${command} -->`
    const before = page.indexOf(begin)
    const after = page.indexOf("<!-- Up to here -->", before)
    if (before < 0 || after < 0) throw new Error(`${file} has lost the marks that "${command}" writes between`)
    const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${
      Math.round(totalmem() / 2 ** 30)
    } GB of memory`
    const day = new Date().toISOString().slice(0, 10)
    const where =
      `Measured on ${day}: ${machine}, Node ${process.versions.node}, Postgres ${postgres} on the same machine.`
    writeFileSync(file, `${page.slice(0, before)}${begin}\n\n${where} ${part}\n\n${page.slice(after)}`)
  })

/** Puts the table into the page. */
export const write = (measurements: ReadonlyArray<Measurement>, postgres: string) =>
  replaced(
    "npm run bench -- --write",
    postgres,
    `Each figure is the median of the runs, with their minimum and maximum.\n\n${markdown(measurements)}`
  )

const micros = (value: number): string => number(Number(value.toPrecision(3)))

const profileHead = ["figure", "rate", "engine", "database", "client", "total", "maximum on all cores"]

const profileRow = ({ asking, database, engine, name, pace, unit }: Profile) => {
  const all = asking + database + engine
  return [
    name,
    `${micros(pace)} ${unit}`,
    ...[engine, database, asking, all].map(micros),
    micros(cpus().length * 1e6 / all)
  ]
}

/** Of the places and the statements, those that take so much of the whole. */
const least = 0.01

const takenApart = ({ database, engine, name, places, statements }: Profile): string => {
  const left = places.filter(({ micros }) => micros >= engine * least)
    .map(({ micros: each, place }) => [place, micros(each)])
  const right = statements.filter(({ micros }) => micros >= database * least)
    .map(({ bytes, group, micros: each, what }) => [what, micros(each), micros(bytes), micros(group)])
  const rows = Array.from(
    { length: Math.max(left.length, right.length) },
    (_, index) => [...left[index] ?? ["", ""], ...right[index] ?? ["", "", "", ""]]
  )
  return `### ${name}\n\n${table([["engine", "µs", "database", "µs", "bytes of WAL", "group size"], ...rows])}`
}

export const profiles = (profiles: ReadonlyArray<Profile>): string =>
  [table([profileHead, ...profiles.map(profileRow)]), ...profiles.map(takenApart)].join("\n\n")

/** Writes the profiles into the page. */
export const writeProfiles = (taken: ReadonlyArray<Profile>, postgres: string) =>
  replaced(
    "npm run bench -- --profile --write",
    postgres,
    "Microseconds per call or delivery: CPU time of the processes, and elapsed time of a statement. Profilers add to both." +
      `\n\n${profiles(taken)}`
  )
