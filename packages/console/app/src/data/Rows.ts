/** Rows of long lists, and the part of them that is drawn. */

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
