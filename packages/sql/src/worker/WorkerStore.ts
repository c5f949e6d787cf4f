/** The list of workers: a few rows, always read completely. */
import type { Ids, Storage, Worker } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Database } from "../database/Database.ts"

interface WorkerRow {
  readonly id: Ids.WorkerId
  readonly name: string | null
  readonly version: string
  readonly runs: ReadonlyArray<string>
  readonly carriers: ReadonlyArray<Ids.CarrierName> | null
  readonly started_at: Date
  readonly seen_at: Date
}

const toWorker = ({ carriers, id, name, runs, seen_at, started_at, version }: WorkerRow): Worker.Worker => ({
  id,
  ...(name !== null && { name }),
  version,
  runs,
  ...(carriers !== null && { carriers }),
  startedAt: DateTime.fromDateUnsafe(started_at),
  seenAt: DateTime.fromDateUnsafe(seen_at)
})

export const make = (
  { sql, statement }: Database
): Storage.WorkerStore["Service"] => ({
  put: Effect.fn("WorkerStore.put")(({ carriers, id, name, runs, seenAt, startedAt, version }) =>
    // Index: primary key.
    Effect.asVoid(statement(sql`
      insert into outdial_workers (id, name, version, runs, carriers, started_at, seen_at)
      values (
        ${id}, ${name ?? null}, ${version}, ${JSON.stringify(runs)}::json,
        ${carriers === undefined ? null : JSON.stringify(carriers)}::json, ${DateTime.toDateUtc(startedAt)},
        ${DateTime.toDateUtc(seenAt)}
      )
      on conflict (id) do update
      set name = excluded.name,
        version = excluded.version,
        runs = excluded.runs,
        carriers = excluded.carriers,
        started_at = excluded.started_at,
        seen_at = excluded.seen_at`))
  ),

  remove: Effect.fn("WorkerStore.remove")((id) =>
    // No index is needed: the table has a row for each process.
    Effect.asVoid(statement(sql`
      delete from outdial_workers
      where id = ${id}`))
  ),

  // No index for these two: an index on seen_at would be written with every heartbeat.
  list: Effect.fn("WorkerStore.list")((seenAfter) =>
    Effect.map(
      statement(sql<WorkerRow>`
        select w.*
        from outdial_workers as w
        where w.seen_at > ${DateTime.toDateUtc(seenAfter)}
        order by w.started_at, w.id`),
      (rows) => rows.map(toWorker)
    )
  ),
  prune: Effect.fn("WorkerStore.prune")((seenBefore) =>
    Effect.map(
      statement(sql`
        delete from outdial_workers
        where seen_at <= ${DateTime.toDateUtc(seenBefore)}
        returning id`),
      (rows) => rows.length
    )
  )
})
