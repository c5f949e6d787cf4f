/**
 * The part of a long table that is in the document: the rows in view and some around them. It moves with the scroll position. How far a table was
 * scrolled is remembered by the entry of the history, for when the reader comes back.
 */
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useState } from "react"
import { flushSync } from "react-dom"
import { useLocation } from "react-router"
import { partAround, type Rows } from "../data/Rows.ts"

/** In pixels. */
export interface TableHeights {
  readonly head: number
  readonly row: number
}

const rowsInView = ({ clientHeight, scrollTop }: Element, { head, row }: TableHeights): Rows => ({
  from: Math.max(0, Math.floor(scrollTop / row)),
  to: Math.ceil((Math.max(0, scrollTop) + clientHeight - head) / row)
})

/** How far tables were scrolled, by the key of their entry in the history. */
const scrolled = new Map<string, number>()

export interface TablePart extends Rows {
  readonly inView: () => Rows
  /** Scrolls as far as needed, and draws the row at once. */
  readonly show: (index: number) => void
}

export interface TablePartOptions {
  readonly table: RefObject<HTMLDivElement | null>
  readonly heights: TableHeights
  /** Rows of the whole table. */
  readonly count: number
  readonly onView: (rows: Rows) => void
}

export const useTablePart = ({ count, heights, onView, table }: TablePartOptions): TablePart => {
  const { key } = useLocation()
  const [part, setPart] = useState<Rows>(() => partAround({ from: 0, to: 0 }))

  const look = useEffectEvent((element: Element) => {
    const view = rowsInView(element, heights)
    const next = partAround(view)
    const isDrawn = view.from >= part.from && Math.min(view.to, count) <= part.to
    // A jump beyond the part would show nothing until the next frame.
    if (!isDrawn) flushSync(() => setPart(next))
    else if (next.from !== part.from || next.to !== part.to) setPart(next)
    onView(view)
  })

  const hasRows = count > 0
  useLayoutEffect(() => {
    if (hasRows && table.current !== null) table.current.scrollTop = scrolled.get(key) ?? 0
  }, [hasRows, key, table])
  useEffect(() => {
    const { current } = table
    if (!hasRows || current === null) return
    const onScroll = () => {
      scrolled.set(key, current.scrollTop)
      look(current)
    }
    // Also at first.
    const size = new ResizeObserver(() => look(current))
    size.observe(current)
    current.addEventListener("scroll", onScroll, { passive: true })
    return () => {
      size.disconnect()
      current.removeEventListener("scroll", onScroll)
    }
  }, [hasRows, key, table])
  // A page may not fill the view.
  useEffect(() => {
    if (count > 0 && table.current !== null) look(table.current)
  }, [count, table])

  const show = (index: number) => {
    const { current } = table
    if (current === null) return
    const top = index * heights.row
    const least = top + heights.row + heights.head - current.clientHeight
    current.scrollTop = Math.max(least, Math.min(top, current.scrollTop))
    flushSync(() => setPart(partAround(rowsInView(current, heights))))
  }
  return {
    from: Math.max(0, Math.min(part.from, count - 1)),
    to: Math.min(part.to, count),
    inView: () => table.current === null ? part : rowsInView(table.current, heights),
    show
  }
}
