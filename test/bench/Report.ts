/** How the figures are told: as lines of JSON, as a table to read, and as the generated part of docs/performance.md. */
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { join } from "node:path"
import process from "node:process"
import type { Measurement } from "./Measurement.ts"

export const json = (measurements: ReadonlyArray<Measurement>): string =>
  measurements.map((measurement) => JSON.stringify(measurement)).join("\n")

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

const head = ["figure", "unit", "Outdial", "beside", "its figure", "ratio", "goal"]

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

const markdown = (measurements: ReadonlyArray<Measurement>): string =>
  [head, head.map(() => "---"), ...rowsOf(measurements)].map((row) => `| ${row.join(" | ")} |`).join("\n")

const file = join(import.meta.dirname, "../../docs/performance.md")
const begin = "<!-- Written by npm run bench -- --write -->"
const end = "<!-- Up to here -->"

/** Puts the table, where it was measured and when, between the two marks; leaves the rest of the page as it is. */
export const write = (measurements: ReadonlyArray<Measurement>, postgres: string) =>
  Effect.sync(() => {
    const page = readFileSync(file, "utf8")
    const [before, after] = [page.indexOf(begin), page.indexOf(end)]
    if (before < 0 || after < 0) throw new Error(`${file} has lost the marks that the table goes between`)
    const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${
      Math.round(totalmem() / 2 ** 30)
    } GB of memory`
    const day = new Date().toISOString().slice(0, 10)
    const where =
      `Measured on ${day}: ${machine}, Node ${process.versions.node}, Postgres ${postgres} on the same machine. Of each` +
      " figure the median of the runs, with the least and the most of them."
    const part = `${begin}\n\n${where}\n\n${markdown(measurements)}\n\n`
    writeFileSync(file, page.slice(0, before) + part + page.slice(after))
  })
