/** A table inside a card: as high as its rows, and no higher than six of them. */
import type { ReactNode } from "react"
import { rowHeight } from "../../ui/TablePart.ts"

const mostRows = 6
const headingHeight = 40

export const ShortTable = ({ children, rows }: { readonly rows: number; readonly children: ReactNode }) => (
  <div className="short-table" style={{ height: headingHeight + rowHeight * Math.min(rows, mostRows) }}>{children}</div>
)
