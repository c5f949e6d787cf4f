/** The tables of processes and migrations. */
import { never, type TableDescription } from "./TableDescription.ts"

export const tables: Readonly<Record<string, TableDescription>> = {
  outdial_workers: {
    holds: "Processes at work, for operators. Nothing is decided by it.",
    grows: "One row per process that runs work loops, written every 10 seconds.",
    pruned: "A process removes its row when it stops. The janitor deletes rows without a heartbeat for an hour.",
    columns: {
      id: "Worker id, new at each start.",
      name: "Name that the operator gave the process.",
      version: "Version of Outdial.",
      runs: "The work loops that the process runs.",
      started_at: "When the process started.",
      seen_at: "When it last wrote its heartbeat."
    },
    indexes: { outdial_workers_pkey: "Writes the heartbeat of a process." },
    checks: {}
  },
  outdial_migrations: {
    holds: "The migrations that have run.",
    grows: "One row per migration.",
    pruned: never,
    columns: {
      migration_id: "Number of the migration.",
      created_at: "When it ran, by the database's clock.",
      name: "Name of the migration."
    },
    indexes: { outdial_migrations_pkey: "Lets processes that start together run each migration once." },
    checks: {}
  }
}
