/** Where a quote stands in the words that were said. */

export interface Marked {
  readonly before: string
  readonly quote: string
  readonly after: string
}

/** The text around the quote, in any case and with any spaces; `undefined` if the text does not contain it. */
export const markQuote = (text: string, quote: string): Marked | undefined => {
  const words = quote.trim().split(/\s+/u).filter((word) => word !== "")
  if (words.length === 0) return undefined
  const pattern = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&")).join("\\s+")
  const found = new RegExp(pattern, "iu").exec(text)
  if (found === null) return undefined
  const end = found.index + found[0].length
  return { before: text.slice(0, found.index), quote: found[0], after: text.slice(end) }
}
