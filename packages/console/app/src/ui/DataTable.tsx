/**
 * A table of many rows: only those around the view are in the document, the header stays, and arrow keys, Home, End, Page Up and Page Down move between
 * rows and cells; Enter opens a row, with Control or Command in another tab. It reads the next page when the reader comes near its end, and stays smooth with 100,000 rows.
 * `rows` should keep the identity of rows that did not change, and `columns` theirs: other rows are not drawn again. Cells are one line high: a page
 * shows the rest. On narrow screens columns with `isWide` are left out, and those with `isSecondLine` stand below the header of the row. Put it into a
 * `Page` with `isFilled`: the table takes the height that is left, or less when it has few rows.
 */
import { type CSSProperties, memo, type ReactNode, type Ref, useImperativeHandle, useMemo, useRef } from "react"
import { Link } from "react-router"
import { useIsNarrow } from "../data/Media.ts"
import type { Rows } from "../data/Rows.ts"
import { useTexts } from "../texts/Language.tsx"
import { Skeleton } from "./Skeleton.tsx"
import { useTableKeys } from "./TableKeys.ts"
import { rowClicks } from "./TableLinks.ts"
import { useTablePart } from "./TablePart.ts"

export interface DataColumn<Item> {
  readonly id: string
  readonly title: string
  readonly cell: (item: Item) => ReactNode
  /** Pixels, or a share of what is left such as `2fr`; `1fr` when not given. */
  readonly width?: number | `${number}fr`
  readonly minWidth?: number
  /** Names the row for screen readers, and is its link. One column. */
  readonly isRowHeader?: boolean
  readonly isWide?: boolean
  /** On narrow screens its content stands in a second line, below the row's header. */
  readonly isSecondLine?: boolean
  /** For numbers. */
  readonly isEnd?: boolean
}

export interface DataTableHandle {
  /** Scrolls to the first row and focuses it. */
  readonly toFirst: () => void
}

export interface DataTableProps<Item> {
  readonly ref?: Ref<DataTableHandle>
  /** What the table lists, for screen readers. */
  readonly label: string
  readonly columns: ReadonlyArray<DataColumn<Item>>
  readonly rows: ReadonlyArray<Item>
  readonly keyOf: (item: Item) => string
  /** Where a row leads to. */
  readonly hrefOf?: (item: Item) => string
  /** What stands where there are no rows. */
  readonly empty: ReactNode
  /** On narrow screens the second line may take two. */
  readonly isTall?: boolean
  readonly isLoading?: boolean
  /** Reads the next page; does nothing while one is read. Absent on the last. */
  readonly onLoadMore?: () => void
  readonly isLoadingMore?: boolean
  /** Called with the rows in view when the table has rows, and whenever it was scrolled. */
  readonly onView?: (rows: Rows) => void
}

/** In pixels. */
const headHeight = 36
const oneLine = 42
const twoLines = 60
const threeLines = 78
const borders = 2

/** As in `tables.css`. */
const leastHeight = 320

/** The next page is read when fewer rows than this are below the view. */
const readAhead = 60

export const DataTable = <Item extends object>(props: DataTableProps<Item>) => {
  const {
    columns,
    empty,
    hrefOf,
    isLoading = false,
    isLoadingMore = false,
    isTall = false,
    keyOf,
    label,
    onLoadMore,
    onView,
    ref,
    rows
  } = props
  const { common } = useTexts()
  const isNarrow = useIsNarrow()
  const shown = useMemo(
    () => columns.filter(({ isSecondLine = false, isWide = false }) => !isNarrow || (!isWide && !isSecondLine)),
    [columns, isNarrow]
  )
  const secondLine = useMemo(
    () => isNarrow ? columns.filter(({ isSecondLine = false }) => isSecondLine) : [],
    [columns, isNarrow]
  )
  const heights = { head: headHeight, row: secondLine.length === 0 ? oneLine : isTall ? threeLines : twoLines }
  const table = useRef<HTMLDivElement>(null)
  const { from, to, ...part } = useTablePart({
    table,
    heights,
    count: rows.length,
    onView: (view) => {
      if (view.to > rows.length - readAhead) onLoadMore?.()
      onView?.(view)
    }
  })
  const keyAt = (index: number) => {
    const item = rows[index]
    return item === undefined ? "" : keyOf(item)
  }
  const { active, focusRow, handlers } = useTableKeys({ table, count: rows.length, keyAt, ...part })
  useImperativeHandle(ref, () => ({ toFirst: () => focusRow(0) }))
  const style = {
    "--columns": shown.map((column) => trackOf(column, isNarrow)).join(" "),
    "--head-height": `${heights.head}px`,
    "--row-height": `${heights.row}px`
  } as CSSProperties // custom properties
  const wholeHeight = heights.head + rows.length * heights.row + borders
  return (
    <div
      className="table-frame"
      {...(rows.length > 0 && onLoadMore === undefined && {
        style: { maxHeight: wholeHeight, minHeight: Math.min(leastHeight, wholeHeight) }
      })}
    >
      <div
        ref={table}
        role="grid"
        aria-label={label}
        // Without an end it is not known how many rows there are.
        aria-rowcount={onLoadMore === undefined ? Math.max(rows.length, 1) + 1 : -1}
        className="data-table"
        style={style}
        {...handlers}
      >
        <div role="rowgroup" className="table-head">
          <div role="row" aria-rowindex={1}>
            {shown.map(({ id, isEnd = false, title }) => (
              <div key={id} role="columnheader" className={isEnd ? "end" : undefined}>{title}</div>
            ))}
          </div>
        </div>
        {rows.length === 0
          ? (
            <div role="rowgroup">
              <div role="row" className="empty">
                <div role="gridcell" aria-colspan={shown.length}>{isLoading ? <Skeleton lines={4} /> : empty}</div>
              </div>
            </div>
          )
          : (
            <div
              role="rowgroup"
              className="table-body"
              style={{ height: rows.length * heights.row }}
              {...rowClicks}
            >
              {drawn({ from, to }, active).flatMap((index) => {
                const item = rows[index]
                return item === undefined ? [] : [
                  <DataRow
                    key={keyOf(item)}
                    item={item}
                    columns={shown}
                    secondLine={secondLine}
                    index={index}
                    height={heights.row}
                    isTall={isTall}
                    href={hrefOf?.(item)}
                  />
                ]
              })}
            </div>
          )}
        {isLoadingMore && <div className="table-more">{common.loading}</div>}
      </div>
    </div>
  )
}

/** The rows to draw, and the active one, in their order. */
const drawn = ({ from, to }: Rows, active: number | undefined): ReadonlyArray<number> => [
  ...(active !== undefined && active < from ? [active] : []),
  ...Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index),
  ...(active !== undefined && active >= to ? [active] : [])
]

const trackOf = (
  { isRowHeader = false, minWidth = 80, width = "1fr" }: Omit<DataColumn<never>, "cell">,
  isNarrow: boolean
): string => {
  if (typeof width === "number" && (!isNarrow || !isRowHeader)) return `${Math.max(width, minWidth)}px`
  return isNarrow ? "minmax(0, 1fr)" : `minmax(${minWidth}px, ${width})`
}

interface DataRowProps<Item> {
  readonly item: Item
  readonly columns: ReadonlyArray<DataColumn<Item>>
  readonly secondLine: ReadonlyArray<DataColumn<Item>>
  /** In the whole table, from 0. */
  readonly index: number
  readonly height: number
  readonly isTall: boolean
  readonly href: string | undefined
}

const Row = <Item extends object>({ columns, height, href, index, isTall, item, secondLine }: DataRowProps<Item>) => {
  const header = (content: ReactNode) => {
    const first = href === undefined ?
      content :
      <Link to={href} tabIndex={-1} draggable={false} data-row-link>{content}</Link>
    if (secondLine.length === 0) return first
    return (
      <div className={isTall ? "two-lines tall" : "two-lines"}>
        <div>{first}</div>
        <div className="second-line">{secondLine.map(({ cell, id }) => <span key={id}>{cell(item)}</span>)}</div>
      </div>
    )
  }
  return (
    // The header is the first row.
    <div role="row" aria-rowindex={index + 2} tabIndex={-1} data-href={href} style={{ top: index * height }}>
      {columns.map(({ cell, id, isEnd = false, isRowHeader = false }) => (
        <div key={id} role={isRowHeader ? "rowheader" : "gridcell"} tabIndex={-1} className={isEnd ? "end" : undefined}>
          {isRowHeader ? header(cell(item)) : cell(item)}
        </div>
      ))}
    </div>
  )
}

const DataRow = memo(Row) as typeof Row // `memo` loses the type parameter
