/** The tables of processes, carriers and migrations. */
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
      carriers: "The carriers that the process dials over. Null for a process of an earlier version.",
      started_at: "When the process started.",
      seen_at: "When it last wrote its heartbeat."
    },
    indexes: { outdial_workers_pkey: "Writes the heartbeat of a process." },
    checks: {}
  },
  outdial_carriers: {
    holds: "What the processes share about each carrier: the last slots of its calls per second, and its pause.",
    grows:
      "One row per carrier that has a limit of calls per second, written for each of its dials, or that was ever paused.",
    pruned: never,
    columns: {
      name: "Name of the carrier.",
      calls_per_second: "The carrier's limit, as configured in the process that took the last slots.",
      slots_taken_at: "When slots were taken last.",
      slots_taken: "How many slots are used from that instant on. Further slots are free when their time has passed.",
      paused_at: "When dialing over the carrier was paused. Null while it dials.",
      paused_by: "`operator` until it is resumed, or `fault` after the carrier has refused the account.",
      pause_reason: "What the carrier said of the account, without numbers and identifiers.",
      checked_at: "When a carrier with a fault was last checked, or paused."
    },
    indexes: { outdial_carriers_pkey: "Takes and returns slots; pauses a carrier." },
    checks: {
      outdial_carriers_pause: "A pause has a cause; without a pause there are neither reason nor check.",
      outdial_carriers_paused_by: "The causes of a pause.",
      outdial_carriers_calls_per_second: "The limit is above 0.",
      outdial_carriers_slots_taken: "The number of slots is not negative."
    }
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
