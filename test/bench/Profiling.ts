/**
 * Takes a turn of a benchmark apart instead of measuring it: what a unit of its work costs the engine, by place, and the
 * database, by statement. A benchmark needs to do nothing for it but to have its nodes watched.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import process from "node:process"
import * as BenchPostgres from "./BenchPostgres.ts"
import type { NodeProfile } from "./NodeProfile.ts"

/** A process of the engine. */
export interface Watched {
  /** Whether it is this process. */
  readonly isThis?: boolean
  readonly begin: Effect.Effect<unknown>
  readonly end: Effect.Effect<NodeProfile>
}

export interface Profile {
  readonly name: string
  /** Of what there are so many a second. */
  readonly unit: string
  readonly pace: number
  /** Microseconds of the cores for each unit. */
  readonly engine: number
  readonly database: number
  /** Who asks the engine for work, where that is another process. */
  readonly asking: number
  /** Of the engine: its modules, and the helper threads, which compile, collect garbage, and take the samples. */
  readonly places: ReadonlyArray<{ readonly place: string; readonly micros: number }>
  readonly statements: ReadonlyArray<Statement>
}

export interface Statement {
  readonly what: string
  /** By the clock, so with what it waited for. */
  readonly micros: number
  /** Of write-ahead log, for each unit. */
  readonly bytes: number
  /** Units for each time that it ran. */
  readonly group: number
}

export class Profiling extends Context.Service<Profiling, {
  readonly watch: (watched: Watched) => void
  /** Runs the turn and saves the figures of its timed part. */
  readonly take: (
    figure: Pick<Profile, "name" | "unit">,
    /** With so many units of work; answers its figures, the pace first. */
    turn: Effect.Effect<ReadonlyArray<number>, unknown>,
    count: number
  ) => Effect.Effect<void, unknown>
  /** Watches the effect, if it is of a turn that is to be taken apart. */
  readonly during: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly taken: ReadonlyArray<Profile>
}>()("test/bench/Profiling") {
  static readonly layer = Layer.effect(
    Profiling,
    Effect.gen(function*() {
      const { cpu, urlOf } = yield* BenchPostgres.BenchPostgres
      if (cpu === undefined) {
        return yield* Effect.die(new Error("Profiles are taken of Debian's package postgresql, which is not installed"))
      }
      const sql = yield* Effect.map(
        Layer.build(BenchPostgres.client(urlOf("postgres"))),
        (services) => Context.get(services, SqlClient.SqlClient)
      )
      yield* sql`create extension if not exists pg_stat_statements`
      let nodes: Array<Watched> = []
      let seen: Seen | undefined
      let isAwaited = false
      const taken: Array<Profile> = []

      const all = <A>(what: (node: Watched) => Effect.Effect<A>) =>
        Effect.forEach(nodes, what, { concurrency: "unbounded" })

      const during: Profiling["Service"]["during"] = Effect.fnUntraced(function*(effect) {
        if (!isAwaited) return yield* effect
        isAwaited = false
        yield* Effect.orDie(sql`select pg_stat_statements_reset()`)
        yield* all(({ begin }) => begin)
        const before = { database: yield* cpu, asking: process.cpuUsage() }
        const result = yield* effect
        const { system, user } = process.cpuUsage(before.asking)
        seen = {
          database: (yield* cpu) - before.database,
          asking: nodes.some(({ isThis }) => isThis === true) ? 0 : (user + system) / 1000,
          profiles: yield* all(({ end }) => end),
          statements: yield* Effect.orDie(statements(sql))
        }
        return result
      })

      return Profiling.of({
        taken,
        watch: (node) => void nodes.push(node),
        during,
        take: Effect.fnUntraced(function*(figure, turn, count) {
          isAwaited = true
          const [pace = Number.NaN] = yield* turn
          if (seen === undefined) return yield* Effect.die(new Error(`Nothing of ${figure.name} is timed`))
          taken.push(profileOf(figure, { pace, count, seen }))
          nodes = []
          seen = undefined
        })
      })
    })
  )
}

/** What a turn took: milliseconds. */
interface Seen {
  readonly database: number
  readonly asking: number
  readonly profiles: ReadonlyArray<NodeProfile>
  readonly statements: Effect.Success<ReturnType<typeof statements>>
}

const profileOf = (
  { name, unit }: Pick<Profile, "name" | "unit">,
  { count, pace, seen }: { readonly pace: number; readonly count: number; readonly seen: Seen }
): Profile => {
  const each = (millis: number) => millis * 1000 / count
  return {
    name,
    unit,
    pace,
    engine: each(sum(seen.profiles.map(({ cpu }) => cpu))),
    database: each(seen.database),
    asking: each(seen.asking),
    places: placesOf(seen.profiles).map(({ millis, place }) => ({ place, micros: each(millis) })),
    statements: seen.statements.map(({ bytes, calls, millis, query }) => ({
      what: whatOf(query),
      micros: each(millis),
      bytes: bytes / count,
      group: count / calls
    }))
  }
}

/** Has the process watched, where profiles are taken. */
export const watch = (watched: Watched) =>
  Effect.map(Effect.serviceOption(Profiling), Option.map((profiling) => profiling.watch(watched)))

const sum = (values: ReadonlyArray<number>) => values.reduce((all, value) => all + value, 0)

/** The cores' time of main threads, shared out as their samples are, and that of all other threads. */
const placesOf = (profiles: ReadonlyArray<NodeProfile>) => {
  const millis = new Map<string, number>()
  const add = (place: string, more: number) => millis.set(place, (millis.get(place) ?? 0) + more)
  for (const { cpu, mainThread, samples } of profiles) {
    const all = sum(Object.values(samples))
    for (const [place, count] of Object.entries(samples)) add(place, mainThread * count / all)
    add("helper threads", cpu - mainThread)
  }
  return [...millis].map(([place, millis]) => ({ place, millis })).toSorted((a, b) => b.millis - a.millis)
}

const statements = (sql: SqlClient.SqlClient) =>
  sql<{ readonly query: string; readonly calls: number; readonly millis: number; readonly bytes: number }>`
    select query, calls::int, total_exec_time + total_plan_time as millis, wal_bytes::float8 as bytes
    from pg_stat_statements
    order by total_exec_time + total_plan_time desc`

/** What a statement writes to which of our tables, and what it sets first; of one that only reads, which tables it reads. */
const whatOf = (query: string): string => {
  const text = query.replaceAll(/\s+/g, " ").trim()
  const writes = [...text.matchAll(/(insert into|update|delete from) outdial_(\w+)(?: as \w+)?(?: set (\w+))?/g)]
    .map(([, verb = "", table, column]) =>
      `${verb.split(" ")[0]} ${table}${column === undefined ? "" : ` (${column} …)`}`
    )
  if (writes.length > 0) return [...new Set(writes)].join(", ")
  const reads = new Set([...text.matchAll(/(?:from|join) outdial_(\w+)/g)].map(([, table]) => table))
  const verb = /for (no key )?(update|share)/.test(text) ? "lock" : "read"
  return reads.size > 0 ? `${verb} ${[...reads].join(", ")}` : text.slice(0, 40)
}
