/**
 * The keyboard alone, as a person without a pointer uses it: nothing is clicked, and nothing is focused by a script. The next step finds
 * the focus where it was, or where the page has moved it; a page that has lost it fails.
 */
import type { Locator, Page } from "playwright-core"
import * as Browser from "./Browser.ts"

/** Keys that a person would press at most before giving up. */
const most = 400

/** What an element is in the page. */
interface Element {
  readonly isConnected: boolean
  readonly role: string | null
  readonly classList: { contains(name: string): boolean }
  closest(selector: string): Element | null
  contains(other: Element): boolean
  compareDocumentPosition(other: Element): number
}

/** Runs in the page: which key brings the focus nearer to the element; `here` when it has it, `gone` when it was drawn again. */
const keyTowards = (target: Element) => {
  const { activeElement: active, body } = (globalThis as unknown as {
    readonly document: { readonly activeElement: Element | null; readonly body: Element }
  }).document
  if (!target.isConnected) return "gone"
  if (active === target) return "here"
  if (active === null || active === body) return "Tab"
  // Node.DOCUMENT_POSITION_FOLLOWING
  const isBefore = (active.compareDocumentPosition(target) & 4) !== 0
  const grid = target.closest("[role=grid]")
  if (grid !== null && grid !== active && grid.contains(active)) {
    const row = target.closest("[role=row]")
    if (active.closest("[role=row]") === row) return isBefore ? "ArrowRight" : "ArrowLeft"
    return isBefore ? "ArrowDown" : "ArrowUp"
  }
  const list = target.closest("[role=tablist], [role=listbox]")
  if (list !== null && list !== active && list.contains(active)) {
    const [back, on] = list.role === "tablist" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"]
    return isBefore ? on : back
  }
  if (active.classList.contains("skip-link") && target.closest("main") !== null) return "Enter"
  return isBefore ? "Tab" : "Shift+Tab"
}

/** True unless the keyboard was used last and nothing has the focus any more. */
const hasFocus = `(() => {
  if (!globalThis.isKeyboardWatched) {
    globalThis.isKeyboardWatched = true
    addEventListener("keydown", () => globalThis.isKeyboardUsed = true, true)
    addEventListener("pointerdown", () => globalThis.isKeyboardUsed = false, true)
  }
  return globalThis.isKeyboardUsed !== true || document.activeElement !== document.body
})()`

/** Moves the focus to the control: past the menu by the skip link, by Tab, and within tables, tabs and lists by arrow keys. */
export const reach = async (control: Locator): Promise<void> => {
  await control.waitFor()
  const page = control.page()
  await Browser.until(page, hasFocus, 20_000).catch(() => {
    throw new Error(`The page has lost the focus before ${String(control)}`)
  })
  let element = await control.elementHandle()
  for (let keys = 0; keys < most; keys++) {
    const key = await element?.evaluate(keyTowards) ?? "gone"
    if (key === "here") return
    if (key === "gone") element = await control.elementHandle()
    else await page.keyboard.press(key)
  }
  const last = await page.evaluate("document.activeElement?.outerHTML.slice(0, 200)")
  throw new Error(`The keyboard does not reach ${String(control)}. The focus is on ${String(last)}`)
}

/** Reaches the control and presses Enter, or another key such as Space for a checkbox. */
export const press = async (control: Locator, key = "Enter"): Promise<void> => {
  await reach(control)
  await control.page().keyboard.press(key)
}

/** Reaches the field and writes the text in place of what it has. */
export const write = async (field: Locator, text: string): Promise<void> => {
  await reach(field)
  const { keyboard } = field.page()
  await keyboard.press("ControlOrMeta+a")
  await (text === "" ? keyboard.press("Delete") : keyboard.insertText(text))
}

/** Opens the choice, goes to the option by arrow keys and takes it. */
export const choose = async (select: Locator, option: string | RegExp): Promise<void> => {
  await press(select)
  await press(select.page().getByRole("option", { name: option }))
}

/** Answers the question that stands over the page. */
export const confirm = async (page: Page, name: string): Promise<void> => {
  // Messages have the role too.
  const question = page.getByRole("alertdialog").and(page.locator(":not(.toast)"))
  await press(question.getByRole("button", { name, exact: true }))
  await question.waitFor({ state: "detached" })
}
