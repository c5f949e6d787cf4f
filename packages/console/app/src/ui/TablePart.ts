/**
 * The part of a long table that is in the collection: the rows in view and some around them. It moves with the scroll position. How far a table was
 * scrolled is remembered by the entry of the history, for when the reader comes back.
 */
import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent, useState } from "react"
import { flushSync } from "react-dom"
import { useLocation } from "react-router"
import { partAround, type Rows, step } from "../data/Rows.ts"

/** Up to so many rows are in the collection as a whole. */
const shortTable = 200

const inView = ({ clientHeight, scrollTop }: Element, rowHeight: number): Rows => {
  const from = Math.max(0, Math.floor(scrollTop / rowHeight))
  return { from, to: from + Math.ceil(clientHeight / rowHeight) }
}

/** How far tables were scrolled, by the key of their entry in the history. */
const scrolled = new Map<string, number>()

export interface TablePart extends Rows {
  /** Scrolls to the row and focuses it. */
  readonly focusRow: (index: number) => void
  /** For the element around the table, which takes the focus when the row that has it leaves the part. */
  readonly onKeyDown: (event: KeyboardEvent) => void
}

export interface TablePartOptions {
  /** The element around the table. */
  readonly frame: RefObject<HTMLDivElement | null>
  /** Rows of the whole table. */
  readonly count: number
  /** In pixels. */
  readonly rowHeight: number
  readonly onView?: ((rows: Rows) => void) | undefined
}

export const useTablePart = ({ count, frame, onView, rowHeight }: TablePartOptions): TablePart => {
  const { key } = useLocation()
  const [part, setPart] = useState<Rows>(() => partAround({ from: 0, to: 0 }))
  const tableOf = () => frame.current?.querySelector(".data-table") ?? undefined
  const rowAt = (index: number) => frame.current?.querySelector<HTMLElement>(`[aria-rowindex="${index + 2}"]`)

  const look = useEffectEvent((table: Element) => {
    const view = inView(table, rowHeight)
    const next = partAround(view)
    const hasRows = view.from >= part.from && Math.min(view.to, count) <= part.to
    // A jump beyond the part would show nothing until the next frame.
    if (!hasRows) flushSync(() => setPart(next))
    else if (next.from !== part.from || next.to !== part.to) setPart(next)
    const focused = document.activeElement?.closest("[aria-rowindex]")
    if (focused !== null && focused !== undefined && table.contains(focused) && count > shortTable) {
      const index = Number(focused.getAttribute("aria-rowindex")) - 2
      if (index >= 0 && (index < next.from || index >= next.to)) frame.current?.focus({ preventScroll: true })
    }
    onView?.(view)
  })

  const hasRows = count > 0
  useEffect(() => {
    const table = tableOf()
    if (!hasRows || table === undefined) return
    const onScroll = () => {
      scrolled.set(key, table.scrollTop)
      look(table)
    }
    let frames = 0
    let request = 0
    // The table has its height a few frames after its rows.
    const restore = (top: number) => {
      table.scrollTop = top
      frames += 1
      if (table.scrollTop < top - 1 && frames < 30) request = requestAnimationFrame(() => restore(top))
      else table.addEventListener("scroll", onScroll, { passive: true })
    }
    restore(scrolled.get(key) ?? 0)
    const size = new ResizeObserver(() => look(table))
    size.observe(table)
    return () => {
      cancelAnimationFrame(request)
      size.disconnect()
      table.removeEventListener("scroll", onScroll)
    }
    // `tableOf` reads a ref.
  }, [hasRows, key])

  // The row is there a few frames after the table was scrolled.
  const focusRow = (index: number) => {
    const table = tableOf()
    if (table === undefined) return
    const { from, to } = inView(table, rowHeight)
    if (index < from || index >= to - 1) table.scrollTop = index < from ? index * rowHeight : (index + 1) * rowHeight
    let frames = 0
    const focus = () => {
      const row = rowAt(index)
      frames += 1
      if (row !== null && row !== undefined) row.focus()
      else if (frames < 30) requestAnimationFrame(focus)
    }
    requestAnimationFrame(focus)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (count <= shortTable) return
    const table = tableOf()
    // React Aria's own keys end at the rows of the collection.
    const target = event.key === "Home"
      ? 0
      : event.key === "End"
      ? count - 1
      : event.target === frame.current && /^Arrow(Up|Down)$/.test(event.key) && table !== undefined
      ? inView(table, rowHeight).from
      : undefined
    if (target === undefined) return
    event.preventDefault()
    event.stopPropagation()
    focusRow(target)
  }
  const whole = count <= shortTable
  return {
    from: whole ? 0 : Math.min(part.from, Math.max(0, count - step)),
    to: whole ? count : Math.min(part.to, count),
    focusRow,
    onKeyDown
  }
}
