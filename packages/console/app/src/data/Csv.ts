/**
 * CSV files for spreadsheets. A cell that a spreadsheet would read as a formula begins with an apostrophe, see
 * https://owasp.org/www-community/attacks/CSV_Injection; a telephone number such as +14155550100 is no formula and stays.
 */

export type CsvCell = string | number | boolean | null | undefined

const isPhoneNumber = /^\+[0-9]{4,15}$/
const isFormula = /^[=+\-@\t\r\n＝＋－＠]/

/** The cell as it is written, without quotes. */
export const safeCell = (value: CsvCell): string => {
  if (typeof value !== "string") return value === null || value === undefined ? "" : String(value)
  return isFormula.test(value) && !isPhoneNumber.test(value) ? `'${value}` : value
}

const quoted = (cell: string): string => /[",\r\n;]|^\s|\s$/.test(cell) ? `"${cell.replaceAll("\"", "\"\"")}"` : cell

/** Lines end with CRLF, as RFC 4180 wants it. */
export const toCsv = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<CsvCell>>): string =>
  [header, ...rows].map((row) => row.map((cell) => quoted(safeCell(cell))).join(",")).join("\r\n") + "\r\n"
