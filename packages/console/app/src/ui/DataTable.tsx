/**
 * A table of many rows, on React Aria's `Table` and `Virtualizer`: only the rows in view are in the document, the header stays, and arrow keys, Home,
 * End, Page Up and Page Down move between rows and cells; Enter opens a row. It reads the next page when the reader comes near its end.
 * `rows` should keep the identity of rows that did not change. Cells are one line high: a page shows the rest. Columns with `isWide` are left out on
 * narrow screens. Put it into a `Page` with `isFilled`, so that the table takes the height that is left.
 */
import { type ReactNode, useEffect, useMemo, useRef } from "react"
import {
  Cell,
  Collection,
  Column,
  Row,
  Table,
  TableBody,
  TableHeader,
  TableLayout,
  TableLoadMoreItem,
  Virtualizer
} from "react-aria-components"
import { useLocation } from "react-router"
import { useIsNarrow } from "../data/Media.ts"
import { useTexts } from "../texts/Language.tsx"
import { Skeleton } from "./Skeleton.tsx"

export interface DataColumn<Item> {
  readonly id: string
  readonly title: string
  readonly cell: (item: Item) => ReactNode
  /** Pixels, or a share of what is left such as `2fr`; `1fr` when not given. */
  readonly width?: number | `${number}fr`
  readonly minWidth?: number
  /** Names the row for screen readers. One column at least. */
  readonly isRowHeader?: boolean
  readonly isWide?: boolean
  /** For numbers. */
  readonly isEnd?: boolean
}

export interface DataTableProps<Item> {
  /** What the table lists, for screen readers. */
  readonly label: string
  readonly columns: ReadonlyArray<DataColumn<Item>>
  readonly rows: ReadonlyArray<Item>
  readonly keyOf: (item: Item) => string
  /** Where a row leads to. */
  readonly hrefOf?: (item: Item) => string
  /** What stands where there are no rows. */
  readonly empty: ReactNode
  readonly isLoading?: boolean
  /** Absent on the last page. */
  readonly onLoadMore?: () => void
  readonly isLoadingMore?: boolean
}

export const rowHeight = 42

export const DataTable = <Item extends object>(props: DataTableProps<Item>) => {
  const { columns, empty, hrefOf, isLoading = false, isLoadingMore = false, keyOf, label, onLoadMore, rows } = props
  const { common } = useTexts()
  const isNarrow = useIsNarrow()
  const shown = useMemo(() => columns.filter(({ isWide = false }) => !isWide || !isNarrow), [columns, isNarrow])
  const frame = useScrollMemory(rows.length > 0)
  return (
    <div ref={frame} className="table-frame">
      <Virtualizer layout={TableLayout} layoutOptions={{ rowHeight, headingHeight: 36, loaderHeight: 40 }}>
        <Table aria-label={label} className="data-table">
          <TableHeader columns={shown}>
            {({ id, isEnd = false, isRowHeader = false, minWidth = 80, title, width }) => (
              <Column
                id={id}
                isRowHeader={isRowHeader}
                minWidth={minWidth}
                className={isEnd ? "end" : ""}
                {...(width !== undefined && !isNarrow && { width })}
              >
                {title}
              </Column>
            )}
          </TableHeader>
          <TableBody
            renderEmptyState={() =>
              isLoading
                ? (
                  <div className="empty">
                    <Skeleton lines={4} />
                  </div>
                )
                : empty}
          >
            <Collection items={rows} dependencies={[shown]}>
              {(item) => (
                <Row id={keyOf(item)} columns={shown} {...(hrefOf !== undefined && { href: hrefOf(item) })}>
                  {(column) => <Cell className={column.isEnd === true ? "end" : ""}>{column.cell(item)}</Cell>}
                </Row>
              )}
            </Collection>
            {onLoadMore !== undefined && (
              <TableLoadMoreItem onLoadMore={onLoadMore} isLoading={isLoadingMore}>{common.loading}</TableLoadMoreItem>
            )}
          </TableBody>
        </Table>
      </Virtualizer>
    </div>
  )
}

/** How far tables were scrolled, by the key of their entry in the history. */
const scrolled = new Map<string, number>()

/** The table is scrolled again as it was when the reader comes back. */
const useScrollMemory = (hasRows: boolean) => {
  const { key } = useLocation()
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const table = frame.current?.querySelector(".data-table")
    if (!hasRows || table === null || table === undefined) return
    const remember = () => scrolled.set(key, table.scrollTop)
    let frames = 0
    let request = 0
    // The table has its height a few frames after its rows.
    const restore = (top: number) => {
      table.scrollTop = top
      frames += 1
      if (table.scrollTop < top - 1 && frames < 30) request = requestAnimationFrame(() => restore(top))
      else table.addEventListener("scroll", remember, { passive: true })
    }
    restore(scrolled.get(key) ?? 0)
    return () => {
      cancelAnimationFrame(request)
      table.removeEventListener("scroll", remember)
    }
  }, [hasRows, key])
  return frame
}
