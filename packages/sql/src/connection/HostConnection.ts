/**
 * A connection that runs our statements through the host's query function. Returns the same rows whatever types the client converts
 * values to: each parameter is sent as text, with its type in the statement, and each row is returned as JSON text.
 */
import type { HostTransactions } from "@outdial/core"
import { DateTime, Effect, Predicate, Stream } from "effect"
import { type SqlConnection, SqlError } from "effect/sql"

export interface HostConnection {
  readonly connection: SqlConnection.Connection
  /** Runs one statement and resolves with its rows. */
  readonly execute: (
    sql: string,
    params?: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Record<string, unknown>>, SqlError.SqlError>
  /** The first rejection of the client, or what is wrong with its result. A lock timeout is not a failure of the client. */
  readonly failure: () => { readonly cause: unknown } | undefined
  /** Sends these statements after the running one, without waiting for them, and nothing after that. */
  readonly abandon: (statements: ReadonlyArray<string>) => void
}

/** `instants` are the names of the columns that hold instants. */
export const make = (client: HostTransactions.HostClient, instants: ReadonlySet<string>): HostConnection => {
  let failure: { readonly cause: unknown } | undefined
  let isAbandoned = false
  const query = async (text: string, values: Array<string>) => client.query(text, values)

  const run = <A>(text: string, values: Array<string>, read: (answer: unknown) => A) =>
    // A promise cannot be interrupted, so the next statement on the connection waits until this one is done.
    Effect.uninterruptible(Effect.tryPromise({
      try: async () => read(isAbandoned ? [] : await query(text, values)),
      catch: (cause) => {
        const about = { cause, message: "The host's client rejected", operation: "query" }
        if (hasState(cause, lockNotAvailable)) {
          return new SqlError.SqlError({ reason: new SqlError.LockTimeoutError(about) })
        }
        failure ??= { cause }
        return new SqlError.SqlError({ reason: new SqlError.UnknownError(about) })
      }
    }))

  const execute = Effect.fnUntraced(function*(sql: string, params: ReadonlyArray<unknown> = []) {
    const { text, values } = typed(sql, params)
    const asJson = rowsAsJson(text)
    if (asJson === undefined) return yield* run(text, values, () => [])
    return yield* run(asJson, values, (answer) => rowsOf(answer).map((row) => decoded(row, instants)))
  })

  /** Our statements use no other method. */
  const unsupported = new Error("A host's client can only return all rows at once")
  return {
    execute,
    failure: () => failure,
    abandon: (statements) => {
      isAbandoned = true
      for (const text of statements) query(text, []).catch(() => {})
    },
    connection: {
      execute,
      executeUnprepared: execute,
      executeRaw: execute,
      executeValues: () => Effect.die(unsupported),
      executeValuesUnprepared: () => Effect.die(unsupported),
      executeStream: () => Stream.die(unsupported)
    }
  }
}

/** The SQL state of a lock timeout. */
const lockNotAvailable = "55P03"

/** Whether the server reported this state. Each client wraps the server's errors in its own way. */
export const hasState = (error: unknown, state: string, depth = 0): boolean =>
  typeof error === "object" && error !== null && depth < 5 &&
  [...Object.values(error), error instanceof Error ? error.cause : undefined].some((value) =>
    value === state || hasState(value, state, depth + 1)
  )

/**
 * The statement with the type of each parameter, and the parameters as text. Clients convert by the type that the server reports,
 * each in its own way: some encode text as JSON again, or read the text `true` as false.
 */
const typed = (sql: string, params: ReadonlyArray<unknown>) => {
  const values: Array<string> = []
  const text = sql.replaceAll(/\$(\d+)/g, (_, position: string) => {
    const value = params[Number(position) - 1]
    if (value === null || value === undefined) return "null"
    // Unchanged: the statement casts an empty array.
    if (Array.isArray(value) && value.length === 0) return "'{}'"
    values.push(Array.isArray(value) ? arrayText(value) : textOf(value))
    return `$${values.length}::text${castOf(value)}`
  })
  return { text, values }
}

/** The cast that gives the statement the value itself. */
const castOf = (value: unknown): string => {
  if (Array.isArray(value)) return `::${elementType(value.filter((element) => element !== null))}[]`
  return typeof value === "string" ? "" : `::${elementType([value])}`
}

const elementType = (values: ReadonlyArray<unknown>): string => {
  if (values.every((value) => typeof value === "string")) return "text"
  if (values.every((value) => typeof value === "boolean")) return "boolean"
  if (values.every(Predicate.isDate)) return "timestamptz"
  if (values.every((value) => typeof value === "bigint")) return "bigint"
  if (values.every((value) => typeof value === "number")) {
    if (values.every((value) => (value | 0) === value)) return "integer"
    return values.every((value) => Number.isSafeInteger(value)) ? "bigint" : "float8"
  }
  throw new Error("The parameter has an unsupported type")
}

const textOf = (value: unknown): string => Predicate.isDate(value) ? value.toISOString() : String(value)

const arrayText = (values: ReadonlyArray<unknown>): string =>
  `{${values.map((value) => value === null ? "null" : quoted(textOf(value))).join(",")}}`

const quoted = (element: string): string => `"${element.replaceAll(/["\\]/g, "\\$&")}"`

/** The statement with each row as JSON text; `undefined` for a statement without rows, which must stay unchanged. */
const rowsAsJson = (sql: string): string | undefined => {
  const outer = outline(sql)
  const main = /\b(select|insert|update|delete)\b/.exec(outer)
  if (main === null || (main[1] !== "select" && !/\breturning\b/.test(outer))) return undefined
  // A data-modifying `with` must stay at the top level.
  const head = /^\s*with\b/.test(outer) ? `${sql.slice(0, main.index)}, ` : "with "
  return `${head}outdial_rows as (${
    sql.slice(main.index)
  }) select row_to_json(outdial_rows)::text as row from outdial_rows`
}

/** The statement with everything in parentheses or quotes replaced by blanks of the same length. */
const outline = (sql: string): string => {
  let depth = 0
  return sql.replaceAll(/'[^']*'|"[^"]*"|[()]|[^'"()]+/g, (part) => {
    if (part === "(") depth += 1
    if (part === ")") depth -= 1
    return depth > 0 || /^['"()]/.test(part) ? " ".repeat(part.length) : part
  })
}

const rowsOf = (answer: unknown): ReadonlyArray<unknown> => {
  const rows = typeof answer === "object" && answer !== null && "rows" in answer ? answer.rows : answer
  if (Array.isArray(rows)) return rows
  throw new Error("`query` must resolve with the rows, or with an object that has them as `rows`")
}

/** The only column of the row, whatever name the client gives it. */
const decoded = (row: unknown, instants: ReadonlySet<string>): Record<string, unknown> => {
  const [text]: ReadonlyArray<unknown> = typeof row === "object" && row !== null ? Object.values(row) : []
  if (typeof text !== "string") {
    throw new Error("`query` must not convert text: a row had no text in its only column")
  }
  const parsed = JSON.parse(text) as Record<string, unknown> // `row_to_json` makes objects.
  for (const [name, value] of Object.entries(parsed)) {
    if (typeof value === "string" && instants.has(name)) parsed[name] = DateTime.toDateUtc(DateTime.makeUnsafe(value))
  }
  return parsed
}
