/**
 * The keyboard in a table, as in the grid pattern of the ARIA Authoring Practices, with rows that take the focus, too, as in those of its tree grids.
 * One place in the table is a stop of the Tab key, and is found again by the key of its row: after others have come or gone, and when the reader comes
 * back to the page. https://www.w3.org/WAI/ARIA/apg/patterns/grid/
 */
import { type FocusEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from "react"
import { useLocation } from "react-router"
import { type ActivePlace, located } from "../data/Rows.ts"
import { followLink } from "./TableLinks.ts"
import type { TablePart } from "./TablePart.ts"

/** The link of a row is none: the row follows it. */
const stops = "button, input, select, textarea, a[href]:not([data-row-link])"

const rowOf = (target: Element | null): HTMLElement | undefined =>
  target?.closest<HTMLElement>(".table-body > [role=row]") ?? undefined

const indexOf = (row: Element): number => Number(row.getAttribute("aria-rowindex")) - 2

/** What the arrow keys reach in a row: itself, and of each cell what can be used in it, or the cell. */
const placesOf = (row: HTMLElement): ReadonlyArray<HTMLElement> => [
  row,
  // Cells are HTML elements.
  ...[...row.children as HTMLCollectionOf<HTMLElement>].flatMap((cell) => {
    const inside = [...cell.querySelectorAll<HTMLElement>(stops)]
    return inside.length > 0 ? inside : [cell]
  })
]

const nowhere: ActivePlace = { key: undefined, index: 0, place: 0 }

/** The places of tables, by the key of their entry in the history. */
const kept = new Map<string, ActivePlace>()

export interface TableKeysOptions extends Pick<TablePart, "inView" | "show"> {
  readonly table: RefObject<HTMLDivElement | null>
  readonly count: number
  readonly keyAt: (index: number) => string
}

export const useTableKeys = ({ count, inView, keyAt, show, table }: TableKeysOptions) => {
  const { key: entry } = useLocation()
  const [state, setState] = useState({ entry, active: kept.get(entry) ?? nowhere })
  const active = located(state.entry === entry ? state.active : kept.get(entry) ?? nowhere, count, keyAt)
  if (state.entry !== entry || state.active !== active) setState({ entry, active })
  /** Whether the focus is in the table, or was in a row that has left the document. */
  const isInside = useRef(false)

  const elementOf = ({ index, place }: Omit<ActivePlace, "key">): HTMLElement | undefined => {
    const row = table.current?.querySelector<HTMLElement>(`.table-body > [aria-rowindex="${index + 2}"]`)
    return row === null || row === undefined ? undefined : placesOf(row)[place] ?? row
  }

  const focusPlace = (index: number, place: number) => {
    show(index)
    const element = elementOf({ index, place })
    element?.focus({ preventScroll: true })
    // The table may be higher than the window.
    element?.scrollIntoView({ block: "nearest", inline: "nearest" })
  }

  const onFocus = ({ currentTarget, target }: FocusEvent) => {
    // React passes on the events of a dialog that was opened in a cell.
    if (!currentTarget.contains(target)) return
    isInside.current = true
    const row = rowOf(target)
    if (row !== undefined) {
      const index = indexOf(row)
      const place = placesOf(row).findLastIndex((one) => one.contains(target))
      setState({ entry, active: { key: keyAt(index), index, place } })
    } else if (target === currentTarget && count > 0) {
      if (active.key === undefined) focusPlace(Math.min(count - 1, inView().from), 0)
      else focusPlace(active.index, active.place)
    }
  }

  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) isInside.current = false
  }

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const { altKey, ctrlKey, currentTarget, key, metaKey, shiftKey, target } = event
    // What stands in place of rows has its own stops of the Tab key.
    if (count === 0 || altKey || shiftKey || event.isDefaultPrevented() || !currentTarget.contains(target as Node)) {
      return // as events of elements have
    }
    const isCommand = ctrlKey || metaKey
    const row = rowOf(target as Element)
    if (key === "Enter" && row !== undefined && (target as Element).closest(stops) === null) followLink(row, isCommand)
    else if (!moveFocus(key, isCommand, row)) return
    event.preventDefault()
  }

  /** False when the key moves nothing in a table. */
  const moveFocus = (key: string, isCommand: boolean, row: HTMLElement | undefined): boolean => {
    if (isCommand && key !== "Home" && key !== "End") return false
    const { from, to } = inView()
    const at = row === undefined ? active.key === undefined ? from : active.index : indexOf(row)
    const places = row === undefined ? [] : placesOf(row)
    const place = Math.max(0, places.indexOf(document.activeElement as HTMLElement)) // or null, which is none of them
    const last = count - 1
    const page = Math.max(1, to - from - 2)
    const move = (index: number, to = place) => {
      focusPlace(Math.max(0, Math.min(last, index)), to)
      return true
    }
    const isRow = place === 0
    switch (key) {
      case "ArrowDown":
        return move(row === undefined ? at : at + 1)
      case "ArrowUp":
        return move(row === undefined ? at : at - 1)
      case "PageDown":
        return move(at + page)
      case "PageUp":
        return move(at - page)
      case "ArrowRight":
        return move(at, Math.min(place + 1, places.length - 1))
      case "ArrowLeft":
        return move(at, Math.max(place - 1, 0))
      case "Home":
        return move(isRow || isCommand ? 0 : at, isRow ? 0 : 1)
      case "End":
        return move(isRow || isCommand ? last : at, isRow ? 0 : places.length - 1)
      default:
        return false
    }
  }

  useLayoutEffect(() => {
    kept.set(entry, active)
    const element = active.key === undefined ? undefined : elementOf(active)
    for (
      const stop
        of table.current?.querySelectorAll<HTMLElement>(`.table-body [tabindex="0"], .table-body :is(${stops})`) ?? []
    ) {
      if (stop !== element && stop.tabIndex !== -1) stop.tabIndex = -1
    }
    if (element !== undefined) element.tabIndex = 0
    const { activeElement, body } = document
    // The focus would be lost with a row that leaves the document, and waits at the table for the first rows.
    if (isInside.current && (activeElement === body || (activeElement === table.current && count > 0))) {
      const first = elementOf({ index: inView().from, place: 0 })
      ;(element ?? first ?? table.current)?.focus({ preventScroll: true })
    }
  })

  return {
    /** Its row is in the document also when it is out of view. */
    active: active.key === undefined || count === 0 ? undefined : active.index,
    focusRow: (index: number) => focusPlace(index, 0),
    handlers: { onBlur, onFocus, onKeyDown, tabIndex: active.key === undefined && count > 0 ? 0 : -1 }
  }
}
