/** A row of a table leads to where its link does: by a click anywhere, by the middle button in another tab, and never while text is selected. */
import type { DragEvent, MouseEvent } from "react"

const linkOf = (target: EventTarget): HTMLAnchorElement | undefined =>
  target instanceof Element
    ? target.closest(".table-body > [role=row]")?.querySelector<HTMLAnchorElement>("a[data-row-link]") ?? undefined
    : undefined

const isUsable = (target: EventTarget): boolean =>
  target instanceof Element && target.closest("a, button, input") !== null

const hasSelection = (): boolean => getSelection()?.isCollapsed === false

const clickWith = (link: HTMLAnchorElement, modifiers: MouseEventInit) =>
  link.dispatchEvent(new window.MouseEvent("click", { bubbles: true, cancelable: true, ...modifiers }))

/** Does nothing for a row without a link. */
export const followLink = (row: Element, isNewTab: boolean) => {
  const link = linkOf(row)
  if (link === undefined) return
  if (isNewTab) open(link.href, "_blank", "noopener")
  else clickWith(link, {})
}

/** Milliseconds in which a second click selects a word. Links in the row do not wait. */
const doubleClick = 250

let waiting: number | undefined

const onClick = (event: MouseEvent) => {
  const { altKey, ctrlKey, metaKey, shiftKey, target } = event
  clearTimeout(waiting)
  const link = linkOf(target)
  if (link === undefined || isUsable(target) || hasSelection()) return
  const modifiers = { altKey, ctrlKey, metaKey, shiftKey }
  if (Object.values(modifiers).includes(true)) clickWith(link, modifiers)
  else waiting = window.setTimeout(() => !hasSelection() && clickWith(link, {}), doubleClick)
}

/** The link itself is clicked, too, at the end of a selection in it. */
const onClickCapture = (event: MouseEvent) => {
  if (event.detail === 0 || !hasSelection() || !(event.target instanceof Element)) return
  if (event.target.closest("a[data-row-link]") === null) return
  event.preventDefault()
  event.stopPropagation()
}

const onAuxClick = (event: MouseEvent) => {
  const link = linkOf(event.target)
  if (event.button !== 1 || link === undefined || isUsable(event.target)) return
  event.preventDefault()
  open(link.href, "_blank", "noopener")
}

/** Where the primary button was pressed on the link of a row. */
let pressed: { readonly x: number; readonly y: number } | undefined

const onMouseDown = (event: MouseEvent) => {
  const { button, clientX: x, clientY: y, target } = event
  if (linkOf(target) === undefined) return
  // Otherwise the middle button scrolls.
  if (button === 1 && !isUsable(target)) event.preventDefault()
  const isLink = target instanceof Element && target.closest("a[data-row-link]") !== null
  pressed = button === 0 && isLink ? { x, y } : undefined
  if (pressed !== undefined) getSelection()?.removeAllRanges()
}

/** In pixels. A hand that clicks moves by less. */
const leastDrag = 4

/** Chromium itself starts no selection in a link. */
const onMouseMove = ({ buttons, clientX, clientY }: MouseEvent) => {
  if (pressed === undefined || buttons !== 1 || Math.hypot(clientX - pressed.x, clientY - pressed.y) < leastDrag) return
  // Not in all browsers.
  const caretAt = (x: number, y: number) => document.caretPositionFromPoint?.(x, y)
  const start = caretAt(pressed.x, pressed.y)
  const end = caretAt(clientX, clientY)
  if (start === undefined || start === null || end === undefined || end === null) return
  getSelection()?.setBaseAndExtent(start.offsetNode, start.offset, end.offsetNode, end.offset)
}

/** The selection would be dragged away while it grows. */
const onDragStart = (event: DragEvent) => {
  if (pressed !== undefined) event.preventDefault()
}

export const rowClicks = { onAuxClick, onClick, onClickCapture, onDragStart, onMouseDown, onMouseMove }
