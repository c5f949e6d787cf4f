/** The rows of a file as rows of batches. */
import { type Column, isContactField, metadataKey, variableOf, variableTarget } from "./Columns.ts"
import type { CsvRow } from "./CsvFile.ts"

/** A row as `POST /v1/batches` takes it. */
export interface RowBody {
  readonly phone_number: string
  readonly contact?: Readonly<Record<string, string>>
  readonly variables?: Readonly<Record<string, string>>
  readonly metadata?: Readonly<Record<string, string>>
}

export interface PlannedRow {
  readonly row: CsvRow
  readonly body: RowBody
}

/** Why a row cannot be called. The first three are found here, the others by the server, whose message says what to do. */
export type FaultCode = "duplicate_row" | "extra_cells" | "row_too_long" | (string & {})

export interface Fault {
  readonly row: CsvRow
  readonly code: FaultCode
  /** The server's words. */
  readonly message?: string
  /** The row with the same number. */
  readonly otherRow?: number
  /** Where the fault lies, when it is in one column. */
  readonly column?: Column
}

/** Rows of one batch (`Limits.batchRows`), and half the bytes of its largest body in characters, which may take several bytes. */
const mostRows = 1_000
const mostCharacters = 4 * 1024 * 1024
/** Far more than the variables and the metadata of a call may have. */
const longestRow = 100_000

/** The row's cells by the meaning of their columns. Empty cells are left out, so that defaults apply. */
export const rowBody = (row: CsvRow, columns: ReadonlyArray<Column>): RowBody => {
  const body = { phone_number: "", contact: {}, variables: {}, metadata: {} } as {
    phone_number: string
    readonly contact: Record<string, string>
    readonly variables: Record<string, string>
    readonly metadata: Record<string, string>
  }
  for (const column of columns) {
    const cell = (row.cells[column.index] ?? "").trim()
    if (cell === "") continue
    const variable = variableOf(column.target)
    if (variable !== undefined) define(body.variables, variable, cell)
    else if (column.target === "metadata") define(body.metadata, metadataKey(column), cell)
    else if (column.target === "phone_number") body.phone_number = cell
    else if (column.target !== "skip") define(body.contact, column.target, cell)
  }
  return {
    phone_number: body.phone_number,
    ...(Object.keys(body.contact).length > 0 && { contact: body.contact }),
    ...(Object.keys(body.variables).length > 0 && { variables: body.variables }),
    ...(Object.keys(body.metadata).length > 0 && { metadata: body.metadata })
  }
}

/** A header may be `__proto__`. */
const define = (record: Record<string, string>, key: string, value: string): void => {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true })
}

/** The same number written differently, as the server reads it. */
const sameNumber = (text: string): string => text.replace(/[^0-9+]/g, "").replace(/^00/, "+")

/** Sorts the rows into those that the server can check and those that are faulty already. The first of several rows with one number stays. */
export const planRows = (
  rows: ReadonlyArray<CsvRow>,
  columns: ReadonlyArray<Column>
): { readonly planned: ReadonlyArray<PlannedRow>; readonly faults: ReadonlyArray<Fault> } => {
  const seen = new Map<string, number>()
  const planned: Array<PlannedRow> = []
  const faults: Array<Fault> = []
  for (const row of rows) {
    const body = rowBody(row, columns)
    const number = sameNumber(body.phone_number)
    const otherRow = number === "" ? undefined : seen.get(number)
    if (row.cells.slice(columns.length).some((cell) => cell.trim() !== "")) faults.push({ row, code: "extra_cells" })
    else if (JSON.stringify(body).length > longestRow) faults.push({ row, code: "row_too_long" })
    else if (otherRow !== undefined) faults.push({ row, code: "duplicate_row", otherRow })
    else {
      seen.set(number, row.number)
      planned.push({ row, body })
    }
  }
  return { planned, faults }
}

/** Groups that are small enough for one request. */
export const chunksOf = (rows: ReadonlyArray<PlannedRow>): ReadonlyArray<ReadonlyArray<PlannedRow>> => {
  const chunks: Array<Array<PlannedRow>> = []
  let characters = 0
  for (const row of rows) {
    const length = JSON.stringify(row.body).length
    const last = chunks.at(-1)
    if (last === undefined || last.length === mostRows || characters + length > mostCharacters) {
      chunks.push([row])
      characters = length
    } else {
      last.push(row)
      characters += length
    }
  }
  return chunks
}

/** What the server refused, as faults of the file's rows. */
export const faultOf = (
  { code, index, message, missing = [], param }: {
    readonly index: number
    readonly code: string
    readonly message: string
    readonly param?: string
    readonly missing?: ReadonlyArray<string>
  },
  chunk: ReadonlyArray<PlannedRow>,
  columns: ReadonlyArray<Column>
): Fault | undefined => {
  const row = chunk[index]?.row
  const column = columnOf(param, columns) ?? columns.find(({ target }) => missing.some((key) => gives(target, key)))
  return row === undefined ? undefined : { row, code, message, ...(column !== undefined && { column }) }
}

/** Whether the column gives the placeholder of the agent's script, such as `day` or `contact.name`. */
const gives = (target: Column["target"], key: string): boolean =>
  target === variableTarget(key) || (isContactField(key) && target === key.slice("contact.".length))

/** `/calls/3/contact/time_zone` → the column of the time zone. A whole group such as `/calls/3/variables` is no column. */
const columnOf = (param: string | undefined, columns: ReadonlyArray<Column>): Column | undefined => {
  const [field, key] = (param ?? "").split("/").slice(3).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
  return columns.find((column) => {
    if (field === "phone_number") return column.target === "phone_number"
    if (key === undefined) return false
    if (field === "contact") return column.target === key
    if (field === "variables") return variableOf(column.target) === key
    return field === "metadata" && column.target === "metadata" && metadataKey(column) === key
  })
}
