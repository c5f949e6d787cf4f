/** Rows of long lists, the part of them that is drawn, and the place of the focus. */

/** A page of a list as it is kept. */
export interface Page<Row> {
  readonly rows: ReadonlyArray<Row>
  /** Where the next page begins; absent on the last. */
  readonly next: string | undefined
  /** When it was read, in milliseconds. */
  readonly readAt: number
}

export interface Rows {
  /** The first and the one after the last, from 0. */
  readonly from: number
  readonly to: number
}

/** Rows before and after those in view, at least, as the browser scrolls before the page can draw. */
const margin = 15
/** The part begins and ends at multiples of this, so that most steps of the wheel leave it as it is. */
const step = 5

/** The part to draw for the rows in view. */
export const partAround = ({ from, to }: Rows): Rows => {
  const around = Math.max(margin, to - from)
  return {
    from: Math.max(0, Math.floor((from - around) / step) * step),
    to: Math.ceil((to + around) / step) * step
  }
}

/** Where the focus is or was last. Without a key it was never in the table. */
export interface ActivePlace {
  readonly key: string | undefined
  readonly index: number
  /** In its row: 0 for the row itself, then its cells. */
  readonly place: number
}

/** Where rows have come or gone: the same row, or the one in its place. */
export const located = (active: ActivePlace, count: number, keyAt: (index: number) => string): ActivePlace => {
  const { index, key } = active
  if (key === undefined || count === 0) return active
  if (index < count && keyAt(index) === key) return active
  // Most move by a few rows.
  for (let distance = 1; distance <= Math.max(index, count - 1); distance++) {
    const found = [index - distance, index + distance].find((at) => at >= 0 && at < count && keyAt(at) === key)
    if (found !== undefined) return { ...active, index: found }
  }
  const next = Math.min(index, count - 1)
  return { ...active, key: keyAt(next), index: next }
}
