/**
 * Reads a file of rows: its encoding, its separator and its cells. Rows keep the number that a spreadsheet shows for them; empty ones are left out.
 * The parser is loaded when the first file is read.
 */

/** The labels of https://encoding.spec.whatwg.org that files of spreadsheets have. */
export const encodings = [
  "utf-8",
  "windows-1252",
  "utf-16le",
  "utf-16be",
  "windows-1250",
  "windows-1251",
  "shift_jis"
] as const
export type Encoding = (typeof encodings)[number]

export const delimiters = [",", ";", "\t", "|"] as const
export type Delimiter = (typeof delimiters)[number]

/** More become several files. */
export const mostRows = 50_000
/** Bytes. A row of 1,000 characters is longer than most. */
export const largestFile = 50 * 1024 * 1024

export interface CsvRow {
  /** From 1, as a spreadsheet counts. */
  readonly number: number
  readonly cells: ReadonlyArray<string>
}

export interface CsvFile {
  readonly encoding: Encoding
  readonly delimiter: Delimiter
  /** As many as the longest row has cells. */
  readonly columns: number
  readonly rows: ReadonlyArray<CsvRow>
  /** The row whose quotation mark is never closed, after which nothing can be read. */
  readonly openQuoteAt: number | undefined
}

export interface CsvOptions {
  /** Found in the file when not given. */
  readonly encoding?: Encoding
  readonly delimiter?: Delimiter
}

/** By the mark at the start of the file; without one UTF-8 if it is valid, else what older spreadsheets of western languages write. */
export const encodingOf = (bytes: Uint8Array): Encoding => {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return "utf-16le"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return "utf-8"
  } catch {
    return "windows-1252"
  }
}

export const readCsv = async (bytes: Uint8Array, options: CsvOptions = {}): Promise<CsvFile> => {
  const encoding = options.encoding ?? encodingOf(bytes)
  // The decoder removes the byte order mark.
  const text = new TextDecoder(encoding).decode(bytes)
  const { default: Papa } = await import("papaparse")
  // A first line `sep=;` is a note for spreadsheets.
  const note = /^sep=(.)\r?\n/i.exec(text)
  const noted = delimiters.find((delimiter) => delimiter === note?.[1])
  const body = note === null ? text : text.slice(note[0].length)
  const parse = (delimiter: Delimiter, preview = 0) => Papa.parse<ReadonlyArray<string>>(body, { delimiter, preview })
  const delimiter = options.delimiter ?? noted ?? mostRegular((delimiter) => parse(delimiter, sampleSize).data)
  const { data, errors } = parse(delimiter)
  const first = note === null ? 1 : 2
  const rows = data
    .map((cells, index) => ({ number: index + first, cells }))
    .filter(({ cells }) => isFilled(cells))
  const openQuote = errors.find(({ code }) => code === "MissingQuotes")
  return {
    encoding,
    delimiter,
    columns: rows.reduce((most, { cells }) => Math.max(most, cells.length), 0),
    rows,
    openQuoteAt: openQuote === undefined ? undefined : (openQuote.row ?? 0) + first
  }
}

const isFilled = (cells: ReadonlyArray<string>): boolean => cells.some((cell) => cell.trim() !== "")

/** How many rows are looked at to find the separator. */
const sampleSize = 50

/** The separator with which most rows have as many cells as the first, and more than one. A file of one column has none: a comma then. */
const mostRegular = (parse: (delimiter: Delimiter) => ReadonlyArray<ReadonlyArray<string>>): Delimiter => {
  const scores = delimiters.map((delimiter) => {
    const lengths = parse(delimiter).filter(isFilled).map((cells) => cells.length)
    const [first = 1] = lengths
    return { delimiter, first, regular: first === 1 ? 0 : lengths.filter((length) => length === first).length }
  })
  const [best] = scores.toSorted((one, other) => other.regular - one.regular || other.first - one.first)
  return best?.delimiter ?? ","
}
