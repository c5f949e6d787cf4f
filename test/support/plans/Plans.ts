/** The plan of a statement, from `explain`. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

interface Node {
  readonly "Node Type": string
  readonly Operation?: string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Total Cost": number
  readonly "Shared Hit Blocks"?: number
  readonly "Shared Read Blocks"?: number
  readonly Plans?: ReadonlyArray<Node>
}

export interface Plan {
  readonly cost: number
  /** Tables that are read from end to end. */
  readonly scanned: ReadonlyArray<string>
  /** Indexes that something is looked up in. */
  readonly indexes: ReadonlyArray<string>
  /** Tables that rows are added to, which asks their unique indexes. */
  readonly inserted: ReadonlyArray<string>
}

/** The plan for these values. */
export const forValues = Effect.fnUntraced(function*(text: string, values: ReadonlyArray<unknown>) {
  const sql = yield* SqlClient.SqlClient
  return toPlan(yield* sql.unsafe<Explained>(`explain (format json) ${text}`, values).unprepared)
})

/** The generic plan, which a prepared statement may use from its sixth execution on. */
export const forAnyValues = Effect.fnUntraced(function*(text: string, valueCount: number) {
  const sql = yield* SqlClient.SqlClient
  const values = valueCount === 0 ? "" : ` (${Array.from({ length: valueCount }, () => "null").join(", ")})`
  return yield* sql.withTransaction(Effect.gen(function*() {
    yield* sql`set local plan_cache_mode = force_generic_plan`.unprepared
    yield* sql.unsafe(`prepare explained as ${text}`).unprepared
    const rows = yield* sql.unsafe<Explained>(`explain (format json) execute explained${values}`).unprepared
    yield* sql`deallocate explained`.unprepared
    return toPlan(rows)
  }))
})

/** The pages of tables and indexes that the statement, which is run for it, looks at for these values. */
export const pagesFor = Effect.fnUntraced(function*(text: string, values: ReadonlyArray<unknown>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<Explained>(`explain (analyze, buffers, format json) ${text}`, values).unprepared
  const { "Shared Hit Blocks": hit = 0, "Shared Read Blocks": read = 0 } = rootOf(rows)
  return hit + read
})

interface Explained {
  readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Node }>
}

const rootOf = ([row]: ReadonlyArray<Explained>): Node => {
  const root = row?.["QUERY PLAN"][0]?.Plan
  if (root === undefined) throw new Error("There is no plan")
  return root
}

const toPlan = (rows: ReadonlyArray<Explained>): Plan => {
  const root = rootOf(rows)
  const nodes = allOf(root)
  const tables = (is: (node: Node) => boolean) => nodes.filter(is).map((node) => node["Relation Name"] ?? "")
  return {
    cost: root["Total Cost"],
    scanned: tables((node) => node["Node Type"] === "Seq Scan"),
    indexes: nodes.flatMap((node) => node["Index Name"] ?? []),
    inserted: tables((node) => node.Operation === "Insert")
  }
}

const allOf = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(allOf)]
