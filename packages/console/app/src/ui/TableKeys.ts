/**
 * The keyboard in a table, as in the grid pattern of the ARIA Authoring Practices: one stop of the Tab key, arrow keys between rows and between the cells of
 * a row, Enter opens the row's link. A cell with a button or a link in it gives it the focus. https://www.w3.org/WAI/ARIA/apg/patterns/grid/
 */
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState
} from "react"
import type { TablePart } from "./TablePart.ts"

const stops = "button, input, select, textarea, a[href]:not([tabindex='-1'])"

const rowOf = (target: EventTarget): HTMLElement | undefined =>
  target instanceof Element ? target.closest<HTMLElement>("[role=row][tabindex]") ?? undefined : undefined

const indexOf = (row: Element): number => Number(row.getAttribute("aria-rowindex")) - 2

/** What the arrow keys reach in a row: itself, and one element of each cell. */
const placesOf = (row: HTMLElement): ReadonlyArray<HTMLElement> => [
  row,
  // Cells are HTML elements.
  ...[...row.children as HTMLCollectionOf<HTMLElement>].map((cell) => cell.querySelector<HTMLElement>(stops) ?? cell)
]

/** A click anywhere in the row is one on its link, with its modifiers, except on what can be clicked itself or to select text. */
export const onRowClick = ({ altKey, ctrlKey, metaKey, shiftKey, target }: MouseEvent) => {
  if (!(target instanceof Element) || target.closest("a, button, input") !== null) return
  if (getSelection()?.isCollapsed === false) return
  rowOf(target)?.querySelector("a")?.dispatchEvent(
    new window.MouseEvent("click", { bubbles: true, cancelable: true, altKey, ctrlKey, metaKey, shiftKey })
  )
}

export interface TableKeysOptions extends Pick<TablePart, "inView" | "show"> {
  readonly table: RefObject<HTMLDivElement | null>
  readonly count: number
}

export const useTableKeys = ({ count, inView, show, table }: TableKeysOptions) => {
  /** Rows are no stops of the Tab key: the table is, which gives the focus to a row. */
  const [isInside, setIsInside] = useState(false)
  const last = useRef(0)
  /** While the focus is only on its way, or waits at the table. */
  const isPassing = useRef(false)

  const pass = (element: HTMLElement | null | undefined) => {
    isPassing.current = true
    element?.focus({ preventScroll: true })
    isPassing.current = false
  }

  const focusRow = (index: number, place = 0) => {
    show(index)
    const row = table.current?.querySelector<HTMLElement>(`[role=row][aria-rowindex="${index + 2}"]`)
    if (row === null || row === undefined) return
    const places = placesOf(row)
    ;(places[place] ?? row).focus({ preventScroll: true })
    last.current = index
  }

  const onFocus = ({ currentTarget, relatedTarget, target }: FocusEvent) => {
    // React passes on the events of a dialog that was opened in a cell.
    if (isPassing.current || !currentTarget.contains(target)) return
    setIsInside(true)
    const row = rowOf(target)
    if (row !== undefined) last.current = indexOf(row)
    if (target !== currentTarget || currentTarget.contains(relatedTarget) || count === 0) return
    const { from, to } = inView()
    focusRow(Math.min(count - 1, last.current >= from && last.current < to ? last.current : from))
  }

  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) setIsInside(false)
  }

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const { altKey, ctrlKey, currentTarget, key, metaKey, shiftKey, target } = event
    // What stands in place of rows has its own stops of the Tab key.
    if (count === 0 || altKey || metaKey || ctrlKey || event.isDefaultPrevented()) return
    if (!currentTarget.contains(target as Node)) return // as events of elements have
    if (key === "Tab") {
      // Not through every button of the rows: the browser goes on from the last, or back from the table.
      pass(shiftKey ? currentTarget : [...currentTarget.querySelectorAll<HTMLElement>(stops)].at(-1))
      return
    }
    const row = rowOf(target)
    if (key === "Enter" && target instanceof Element && target.closest(stops) === null) row?.querySelector("a")?.click()
    const { from, to } = inView()
    const at = row === undefined ? from : indexOf(row)
    const places = row === undefined ? [] : placesOf(row)
    const place = Math.max(0, places.findIndex((one) => one === document.activeElement))
    const page = Math.max(1, to - from - 2)
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: row === undefined ? 0 : 1,
      ArrowUp: row === undefined ? 0 : -1,
      PageDown: page,
      PageUp: -page,
      Home: -at,
      End: count - 1 - at
    }
    const step = steps[key]
    if (step !== undefined) focusRow(Math.max(0, Math.min(count - 1, at + step)), place)
    else if (key === "ArrowRight") places[(place + 1) % places.length]?.focus()
    else if (key === "ArrowLeft") places.at(place - 1)?.focus()
    else return
    event.preventDefault()
  }

  // The focus would be lost with a row that leaves the document.
  useLayoutEffect(() => {
    if (isInside && document.activeElement === document.body) pass(table.current)
  })

  return { focusRow, onBlur, onFocus, onKeyDown, tabIndex: isInside || count === 0 ? -1 : 0 }
}
