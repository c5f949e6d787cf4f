/**
 * Keeps the place of the keyboard and of screen readers: a control that disappears, such as the button of a row that was removed, gives its focus to
 * the part of the page around it. React Aria does that only within a dialog and for what opened one.
 */
import { useEffect } from "react"

/** What can be focused in place of a control that it contained, the innermost first. */
const parts = "[role=dialog], [role=alertdialog], [role=group], [role=tabpanel], [role=grid], section, main"

/** In frames: React Aria returns the focus from a dialog in the second. */
const patience = 4

export const useKeptFocus = (): void => {
  useEffect(() => {
    let focused: Element | undefined
    let around: ReadonlyArray<HTMLElement> = []
    let request = 0
    const remember = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return
      focused = target
      around = partsAround(target)
    }
    const isLost = () => focused?.isConnected === false && document.activeElement === document.body
    const giveBack = (frames: number) => {
      request = 0
      if (!isLost()) return
      if (frames > 0) request = requestAnimationFrame(() => giveBack(frames - 1))
      else focusPart(around.find((part) => part.isConnected) ?? document.querySelector("main"))
    }
    const observer = new MutationObserver(() => {
      if (request === 0 && isLost()) giveBack(patience)
    })
    document.addEventListener("focusin", remember)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      document.removeEventListener("focusin", remember)
      observer.disconnect()
      cancelAnimationFrame(request)
    }
  }, [])
}

const partsAround = (element: Element): ReadonlyArray<HTMLElement> => {
  const part = element.parentElement?.closest<HTMLElement>(parts)
  return part === null || part === undefined ? [] : [part, ...partsAround(part)]
}

/** What names the part: its heading or its tab. */
const nameOf = (part: HTMLElement): HTMLElement | null =>
  part.role === "tabpanel"
    // React Aria takes back that the panel itself can be focused.
    ? document.getElementById(part.getAttribute("aria-labelledby") ?? "")
    : part.matches("section, main")
    ? part.querySelector("h1, h2")
    : null

const focusPart = (part: HTMLElement | null) => {
  const place = part === null ? null : nameOf(part) ?? part
  if (place === null) return
  if (!place.hasAttribute("tabindex")) place.tabIndex = -1
  place.focus({ preventScroll: true })
}
