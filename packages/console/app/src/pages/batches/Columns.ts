/** What each column of a file means for a call, guessed from its header and its cells. */
import type { CsvFile, CsvRow } from "./CsvFile.ts"

/** `metadata` keeps the column under its header; `variable:KEY` fills a placeholder of the agent. */
export type Target =
  | "skip"
  | "phone_number"
  | "name"
  | "email"
  | "external_id"
  | "time_zone"
  | "metadata"
  | `variable:${string}`

export const fieldTargets = ["phone_number", "name", "time_zone", "external_id", "email"] as const

export const variableTarget = (key: string): Target => `variable:${key}`

export const variableOf = (target: Target): string | undefined =>
  target.startsWith("variable:") ? target.slice("variable:".length) : undefined

export interface Column {
  readonly index: number
  /** Empty when the file has no header, or none for the column. */
  readonly header: string
  readonly target: Target
}

/** The rows to call, without the header. */
export const bodyOf = ({ rows }: CsvFile, hasHeader: boolean): ReadonlyArray<CsvRow> => hasHeader ? rows.slice(1) : rows

/** English and German, as `simplified` writes them. */
const words: Readonly<Record<(typeof fieldTargets)[number], ReadonlyArray<string>>> = {
  phone_number: [
    "phonenumber",
    "phone",
    "phoneno",
    "telephone",
    "telephonenumber",
    "tel",
    "mobile",
    "mobilenumber",
    "mobilephone",
    "cell",
    "cellphone",
    "number",
    "telefon",
    "telefonnummer",
    "rufnummer",
    "handy",
    "handynummer",
    "mobil",
    "mobilnummer",
    "nummer"
  ],
  name: [
    "contactname",
    "name",
    "fullname",
    "contact",
    "customer",
    "customername",
    "kunde",
    "kundenname",
    "kontakt",
    "ansprechpartner"
  ],
  time_zone: ["timezone", "contacttimezone", "tz", "zone", "zeitzone"],
  external_id: [
    "externalid",
    "contactexternalid",
    "id",
    "customerid",
    "contactid",
    "crmid",
    "reference",
    "ref",
    "kundennummer",
    "kundennr",
    "kundenid",
    "referenz"
  ],
  email: ["email", "contactemail", "emailaddress", "mail", "emailadresse"]
}

/** Lower case, without accents, spaces and punctuation. */
const simplified = (text: string): string =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")

const looksLikeNumber = (cell: string): boolean =>
  /^\+?[0-9 ()./-]+$/.test(cell.trim()) && cell.replace(/[^0-9]/g, "").length >= 7

/** The first row names the columns if none of its cells is a telephone number. */
export const guessHeader = ({ rows: [first] }: CsvFile): boolean =>
  first !== undefined && !first.cells.some(looksLikeNumber)

/** Each field and each variable is given to one column at most; what is not recognised is left out. */
export const guessColumns = (
  file: CsvFile,
  hasHeader: boolean,
  variables: ReadonlyArray<string>
): ReadonlyArray<Column> => {
  // A header says how many there are: what a row has beyond them is a fault of the row.
  const headers = hasHeader
    ? (file.rows[0]?.cells ?? []).map((cell) => cell.trim())
    : Array.from({ length: file.columns }, () => "")
  const targets = new Map<number, Target>()
  const give = (target: Target, isIt: (header: string) => boolean) => {
    const index = headers.findIndex((header, index) => header !== "" && !targets.has(index) && isIt(header))
    if (index >= 0) targets.set(index, target)
  }
  for (const key of variables) {
    if (!isContactField(key)) give(variableTarget(key), (header) => simplified(header) === simplified(key))
  }
  for (const field of fieldTargets) {
    for (const word of words[field]) {
      if (!hasTarget(targets, field)) give(field, (header) => simplified(header) === word)
    }
  }
  if (!hasTarget(targets, "phone_number")) {
    const index = mostNumbers(bodyOf(file, hasHeader).slice(0, sampleSize), headers.length, targets)
    if (index !== undefined) targets.set(index, "phone_number")
  }
  return headers.map((header, index) => ({ index, header, target: targets.get(index) ?? "skip" }))
}

/** How many rows are looked at to find the telephone numbers. */
const sampleSize = 50

const hasTarget = (targets: ReadonlyMap<number, Target>, target: Target): boolean =>
  [...targets.values()].includes(target)

/** The column most of whose cells are telephone numbers. */
const mostNumbers = (
  rows: ReadonlyArray<CsvRow>,
  columns: number,
  taken: ReadonlyMap<number, Target>
): number | undefined => {
  const counts = Array.from(
    { length: columns },
    (_, index) => taken.has(index) ? 0 : rows.filter(({ cells }) => looksLikeNumber(cells[index] ?? "")).length
  )
  const most = Math.max(0, ...counts)
  return most * 2 > rows.length ? counts.indexOf(most) : undefined
}

/** Placeholders of the contact take their values from its fields. */
export const isContactField = (key: string): boolean => key.startsWith("contact.")

/** Gives the column a meaning. Only metadata may have several columns: another column with the same meaning loses it. */
export const assign = (columns: ReadonlyArray<Column>, index: number, target: Target): ReadonlyArray<Column> =>
  columns.map((column) => {
    if (column.index === index) return { ...column, target }
    return column.target === target && target !== "metadata" ? { ...column, target: "skip" } : column
  })

/** The key of a column in the metadata. */
export const metadataKey = ({ header, index }: Column): string => header === "" ? `column_${index + 1}` : header
