/** Checks of the database's settings. Pure. */
import { type Carrier, CarrierReason, type Storage, Worker } from "@outdial/core"
import type { DatabaseReport, Schemas } from "@outdial/sql"
import { DateTime } from "effect"
import * as WorkerText from "../cli/worker/WorkerText.ts"
import { failed, type Finding, ok, warning } from "./Finding.ts"

/** The oldest supported Postgres. */
const oldest = 140_000

/** Maximum number of connections of each process: see `Postgres.layer`. */
const pool = 10

/** As in `Limits.clockUncertainty`, in milliseconds. */
const clockLimit = 2000

const version = ({ version, versionNumber }: DatabaseReport.DatabaseReport): Finding =>
  versionNumber < oldest
    ? failed("database", `Postgres ${version} is too old; 14 or later is needed`)
    : ok("database", `Postgres ${version} answers`)

const durability = ({ settings }: DatabaseReport.DatabaseReport): Finding => {
  if (settings.fsync !== "on" || settings.full_page_writes !== "on") {
    return failed(
      "durability",
      "fsync and full_page_writes must be on: without them a crash may lose the record of a dial, and a phone rings twice"
    )
  }
  if (settings.synchronous_commit === "off") {
    return failed(
      "durability",
      "synchronous_commit is off: a crash may lose the record of a dial, and a phone rings twice. Set it to on"
    )
  }
  return ok("durability", `Commits are flushed to disk (synchronous_commit = ${settings.synchronous_commit})`)
}

const standby = ({ settings, synchronousStandbys }: DatabaseReport.DatabaseReport): Finding => {
  if (settings.synchronous_standby_names === "") {
    return warning(
      "standby",
      "There is no synchronous standby: a failover may lose the last commits, and with them records of dials. Set " +
        "synchronous_standby_names, or do not fail over"
    )
  }
  if (settings.synchronous_commit === "local") {
    return warning("standby", "synchronous_commit is local: commits do not wait for the standby. Set it to on")
  }
  switch (synchronousStandbys) {
    case null:
      return ok("standby", "Commits wait for a standby. Only a role with pg_monitor can see whether one is connected")
    case 0:
      return failed(
        "standby",
        "synchronous_standby_names names a standby, but none is connected: every commit waits until one connects"
      )
    default:
      return ok(
        "standby",
        `Commits wait for ${synchronousStandbys === 1 ? "a standby" : `${synchronousStandbys} standbys`}`
      )
  }
}

const connections = ({ connections, settings }: DatabaseReport.DatabaseReport): Finding => {
  const free = Number(settings.max_connections) - Number(settings.superuser_reserved_connections) - connections
  const left = `${free} of ${settings.max_connections} connections are free, and a process takes up to ${pool}`
  return free < pool
    ? warning("connections", `${left}: raise max_connections, or put a pooler in session mode before it`)
    : ok("connections", left)
}

const encryption = ({ encrypted, isLocal }: DatabaseReport.DatabaseReport): Finding => {
  if (encrypted) return ok("encryption", "The connection to the database is encrypted")
  return isLocal
    ? ok("encryption", "The database is on this computer")
    : warning(
      "encryption",
      "The connection to the database is not encrypted: add ?sslmode=require to DATABASE_URL, and give the " +
        "certificate of your own authority in NODE_EXTRA_CA_CERTS"
    )
}

/** Every connection sets both timeouts. If the database reports none, a pooler has dropped them. */
const timeouts = ({ settings }: DatabaseReport.DatabaseReport): Finding =>
  settings.statement_timeout === "0" || settings.idle_in_transaction_session_timeout === "0"
    ? failed(
      "timeouts",
      "A frozen process would hold its locks forever, because a pooler drops the timeouts that connections set: " +
        "set statement_timeout to 10s and idle_in_transaction_session_timeout to 30s on the role"
    )
    : ok("timeouts", "Statements and idle transactions have timeouts")

const clock = ({ clockAhead, clockError }: DatabaseReport.DatabaseReport): Finding => {
  const text = `This computer's clock is ${Math.abs(Math.round(clockAhead))} ms ${
    clockAhead < 0 ? "behind" : "ahead of"
  } the database's, give or take ${Math.ceil(clockError)} ms`
  if (clockError > clockLimit) {
    return failed("clock", `${text}: nothing is dialed while that is more than ${clockLimit} ms. Check the network`)
  }
  return Math.abs(clockAhead) > clockLimit
    ? warning(
      "clock",
      `${text}. Outdial uses the database's clock. Synchronize both by NTP, or the times in logs will differ`
    )
    : ok("clock", text)
}

export const migrations = (state: Storage.StorageState): Finding =>
  state === "ready"
    ? ok("migrations", "The database is up to date")
    : warning("migrations", "The database is not migrated: run outdial migrate or outdial serve")

export const carriers = (stranded: ReadonlyArray<Storage.StrandedCalls>): ReadonlyArray<Finding> =>
  stranded.length === 0
    ? [ok("carriers", "Every live call has a worker with its carrier")]
    : stranded.map(({ calls, carrier, since }) =>
      failed(
        "carriers",
        `${
          calls === 1 ? "A live call" : `${calls} live calls`
        } of the carrier "${carrier}" cannot be looked up since ` +
          `${DateTime.formatIso(since)}: no running worker has that carrier. Start one that has it`
      )
    )

/** Carriers of waiting calls that no running worker has. */
export const missingCarriers = (missing: ReadonlyArray<Storage.MissingCarrier>): ReadonlyArray<Finding> =>
  missing.map(({ carrier, since }) =>
    failed(
      "carriers",
      `Calls wait for the carrier "${carrier}" since ${
        DateTime.formatIso(since)
      }: a route has chosen it, and no running ` +
        "worker has it. Start one that has it, or one with routes that lead these calls elsewhere"
    )
  )

/** Carriers over which nothing is dialed. */
export const pausedCarriers = (carriers: ReadonlyArray<Carrier.Carrier>): ReadonlyArray<Finding> =>
  carriers.flatMap(({ name, pause }) => {
    if (pause === undefined) return []
    const resume = `outdial carriers resume ${name}`
    const since = DateTime.formatIso(pause.at)
    if (pause.by === "operator") {
      return [warning("carriers", `An operator has paused the carrier "${name}" since ${since}: ${resume} ends it`)]
    }
    const refuses = `The carrier "${name}" takes no calls of this account, and nothing is dialed over it since ${since}`
    return [
      failed(
        "carriers",
        `${
          CarrierReason.explained(refuses, pause.reason ?? {})
        } Check its credentials, permissions and bill, then run: ${resume}`
      )
    ]
  })

/** A pause reaches the calls of one schema only. */
export const schemas = ({ elsewhere, migration, schema }: Schemas.SchemaState): ReadonlyArray<Finding> => {
  if (elsewhere.length === 0) return []
  const others = `Schemas of this database with tables of Outdial: ${elsewhere.join(", ")}`
  return [
    migration === undefined
      ? failed("schema", `${schema ?? "The search path"} has no tables of Outdial. ${others}. Set OUTDIAL_SCHEMA`)
      : warning("schema", `${schema} is used. ${others}. outdial pause --all stops the calls of ${schema} alone`)
  ]
}

export const workers = (live: ReadonlyArray<Worker.Worker>): Finding =>
  live.length === 0
    ? warning("workers", "No worker is alive: nothing is dialed or delivered until outdial serve runs")
    : !live.some(Worker.isDialing)
    ? warning(
      "workers",
      `No live worker can dial now. A worker does not dial while its clock is uncertain: ${WorkerText.listed(live)}`
    )
    : ok(
      "workers",
      `${live.length === 1 ? "One worker is" : `${live.length} workers are`} alive: ${WorkerText.listed(live)}`
    )

export const judge = (report: DatabaseReport.DatabaseReport): ReadonlyArray<Finding> => [
  version(report),
  durability(report),
  standby(report),
  encryption(report),
  connections(report),
  timeouts(report),
  clock(report)
]
