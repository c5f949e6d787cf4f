/** Live workers as text. */
import type { Worker } from "@outdial/core"
import { DateTime } from "effect"

const count = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`

const one = ({ id, name, startedAt, version }: Worker.Worker): string =>
  `${name ?? id} (${version}, since ${DateTime.formatIso(startedAt)})`

/** The workers, by name. */
export const listed = (workers: ReadonlyArray<Worker.Worker>): string => workers.map(one).join(", ")

/** How many accounts and workers a pause or resume reached. */
export const reached = (accounts: number, workers: ReadonlyArray<Worker.Worker>): ReadonlyArray<string> => [
  `Reached ${count(accounts, "account")} and ${count(workers.length, "live worker")}${
    workers.length === 0 ? "" : `: ${listed(workers)}`
  }`,
  ...(workers.length === 0 ? [noDialingWorker] : [])
]

const noDialingWorker =
  "No worker is alive here. If phones ring, they are dialed by a process on another database, schema or folder: see " +
  "DATABASE_URL, OUTDIAL_SCHEMA and OUTDIAL_DATA"
