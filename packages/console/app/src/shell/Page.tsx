/**
 * The frame of a page: its title, in the document's too, its actions and its body. On navigation the focus moves to the title, so that screen readers
 * announce the page and the keyboard continues from there. `isFilled` gives the body the height of the window.
 */
import { type ReactNode, useEffect, useRef } from "react"
import { useLocation } from "react-router"

/** The entry of the history with which the document was loaded, also again: the browser itself announces that page. */
let loadedKey: unknown = (history.state as { readonly key?: unknown } | null)?.key ?? "default"

export interface PageProps {
  readonly title: string
  /** Text or an element beside the title, such as a badge. */
  readonly note?: ReactNode
  readonly actions?: ReactNode
  readonly isFilled?: boolean
  readonly children: ReactNode
}

export const Page = ({ actions, children, isFilled = false, note, title }: PageProps) => {
  const { key, pathname } = useLocation()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (key === loadedKey) loadedKey = undefined
    else heading.current?.focus()
  }, [pathname])
  return (
    <main id="main" className={isFilled ? "page fill" : "page"}>
      <title>{`${title} – Outdial`}</title>
      <div className="page-head">
        <div className="row">
          <h1 ref={heading} tabIndex={-1}>{title}</h1>
          {note}
        </div>
        {actions !== undefined && <div className="row">{actions}</div>}
      </div>
      <div className="page-body">{children}</div>
    </main>
  )
}
