/**
 * A table of few rows, all of them in the document; cells wrap. Where it has too little room for its columns, each row becomes a block: its header,
 * beside it the column with `isBeside`, and below them the other cells, each after the title of its column. It never scrolls sideways.
 * For many rows use `DataTable`.
 */
import type { ReactNode } from "react"

export interface PlainColumn<Item> {
  readonly id: string
  readonly title: string
  /** Cells without content take no room in a block. */
  readonly cell: (item: Item) => ReactNode
  /** Names the row. One column at least. */
  readonly isRowHeader?: boolean
  /** For numbers and buttons. */
  readonly isEnd?: boolean
  /** In a block it stands at the end of the line of the row's header. For badges and buttons. */
  readonly isBeside?: boolean
  /** Left out in a block. */
  readonly isWide?: boolean
  /** For columns of buttons: screen readers have the title. */
  readonly isTitleHidden?: boolean
  /** In a table, no wider than its content. */
  readonly isNarrow?: boolean
}

export interface PlainTableProps<Item> {
  /** What the table lists, for screen readers. */
  readonly label: string
  readonly columns: ReadonlyArray<PlainColumn<Item>>
  readonly rows: ReadonlyArray<Item>
  readonly keyOf: (item: Item) => string | number
  /** Scrolls in a box, from about ten rows on. */
  readonly isScrolled?: boolean
  /** For few and short columns: remains a table however narrow it is. */
  readonly hasFixedColumns?: boolean
}

export const PlainTable = <Item extends object | string>(props: PlainTableProps<Item>) => {
  const { columns, hasFixedColumns = false, isScrolled = false, keyOf, label, rows } = props
  return (
    <div
      className={`table-box${isScrolled ? " scrolled" : ""}`}
      {...(isScrolled && { tabIndex: 0, role: "region", "aria-label": label })}
    >
      {/* Written out: an element that is no longer displayed as a table loses its role. */}
      <table className={`plain-table${hasFixedColumns ? "" : " stacks"}`} role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.id} scope="col" role="columnheader" className={classOf(column)}>
                {column.isTitleHidden === true ? <span className="hidden-visually">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column) =>
                column.isRowHeader === true
                  ? <th key={column.id} scope="row" role="rowheader" className={classOf(column)}>{column.cell(row)}</th>
                  : <Cell key={column.id} column={column}>{column.cell(row)}</Cell>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Cell = (
  { children, column }: { readonly column: PlainColumn<never>; readonly children: ReactNode }
) => (
  <td
    role="cell"
    className={classOf(column)}
    {...(column.isTitleHidden !== true && column.isBeside !== true && { "data-title": column.title })}
  >
    {children}
  </td>
)

const classOf = ({ isBeside = false, isEnd = false, isNarrow = false, isWide = false }: PlainColumn<never>): string =>
  [isEnd && "end", isBeside && "beside", isWide && "wide", isNarrow && "narrow"].filter(Boolean).join(" ")
