/** Has the browser save a file. */

/** The mark at the start of the file tells spreadsheets that it is UTF-8. `csv` comes from `toCsv`. */
export const downloadCsv = (fileName: string, csv: string): void => {
  const url = URL.createObjectURL(new Blob(["\uFEFF", csv], { type: "text/csv;charset=utf-8" }))
  const link = document.createElement("a")
  link.href = url
  link.download = fileName
  link.click()
  // The download has its own reference once it has begun.
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
