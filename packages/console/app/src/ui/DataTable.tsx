/**
 * A table of many rows, on React Aria's `Table` and `Virtualizer`: only the rows in view are in the document, the header stays, and arrow keys, Home,
 * End, Page Up and Page Down move between rows and cells; Enter opens a row. It reads the next page when the reader comes near its end, and stays
 * smooth with 100,000 rows, of which React Aria knows those around the view, see `useTablePart`.
 * `rows` should keep the identity of rows that did not change. Cells are one line high: a page shows the rest. On narrow screens columns with `isWide`
 * are left out, and those with `isSecondLine` stand below the header of the row. Put it into a `Page` with `isFilled`: the table takes the height that is
 * left, or less when it has few rows.
 */
import {
  type ComponentProps,
  createContext,
  type ReactNode,
  type Ref,
  use,
  useImperativeHandle,
  useMemo,
  useRef
} from "react"
import {
  Cell,
  Collection,
  Column,
  Row,
  Table,
  TableBody,
  TableHeader,
  TableLoadMoreItem,
  Virtualizer
} from "react-aria-components"
import { useIsNarrow } from "../data/Media.ts"
import type { Rows } from "../data/Rows.ts"
import { useTexts } from "../texts/Language.tsx"
import { PartLayout } from "./PartLayout.ts"
import { Skeleton } from "./Skeleton.tsx"
import { useTablePart } from "./TablePart.ts"

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
  readonly isLoading?: boolean
  /** Reads the next page; does nothing while one is read. Absent on the last. */
  readonly onLoadMore?: () => void
  readonly isLoadingMore?: boolean
  /** Called with the rows in view whenever the table was scrolled. */
  readonly onView?: (rows: Rows) => void
}

/** In pixels. */
const headingHeight = 36
const oneLine = 42
const twoLines = 60
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
  const secondLine = isNarrow ? columns.filter(({ isSecondLine }) => isSecondLine) : []
  const rowHeight = secondLine.length > 0 ? twoLines : oneLine
  const frame = useRef<HTMLDivElement>(null)
  const { focusRow, from, onKeyDown, to } = useTablePart({
    frame,
    count: rows.length,
    rowHeight,
    onView: (view) => {
      if (view.to > rows.length - readAhead) onLoadMore?.()
      onView?.(view)
    }
  })
  useImperativeHandle(ref, () => ({ toFirst: () => focusRow(0) }))
  const part = useMemo(() => rows.slice(from, to), [rows, from, to])
  // Without an end it is not known how many rows there are.
  const rowCount = onLoadMore === undefined ? rows.length + 1 : -1
  const wholeHeight = headingHeight + rows.length * rowHeight + borders
  return (
    <div
      ref={frame}
      className="table-frame"
      tabIndex={-1}
      onKeyDownCapture={onKeyDown}
      {...(rows.length > 0 && onLoadMore === undefined && {
        style: { maxHeight: wholeHeight, minHeight: Math.min(leastHeight, wholeHeight) }
      })}
    >
      <BeforeContext value={from}>
        <Virtualizer layout={PartLayout} layoutOptions={{ rowHeight, headingHeight, loaderHeight: 40 }}>
          <Table
            aria-label={label}
            className="data-table"
            render={(props) => <div {...props as ComponentProps<"div">} aria-rowcount={rowCount} />} // virtualized tables are of `div` elements
          >
            <TableHeader columns={shown} dependencies={[isNarrow]}>
              {({ id, isEnd = false, isRowHeader = false, minWidth = 80, title, width }) => (
                <Column
                  id={id}
                  isRowHeader={isRowHeader}
                  minWidth={minWidth}
                  className={isEnd ? "end" : ""}
                  {...(width !== undefined && (!isNarrow || (typeof width === "number" && !isRowHeader)) && { width })}
                >
                  {title}
                </Column>
              )}
            </TableHeader>
            <TableBody
              data-before={from}
              data-after={rows.length - to}
              renderEmptyState={() =>
                isLoading
                  ? (
                    <div className="empty">
                      <Skeleton lines={4} />
                    </div>
                  )
                  : empty}
            >
              <Collection items={part} dependencies={[shown]}>
                {(item) => (
                  <Row
                    id={keyOf(item)}
                    columns={shown}
                    render={rowElement}
                    {...(hrefOf !== undefined && { href: hrefOf(item) })}
                  >
                    {(column) => (
                      <Cell className={column.isEnd === true ? "end" : ""}>
                        {column.isRowHeader === true && secondLine.length > 0
                          ? <TwoLines first={column.cell(item)} second={secondLine.map(({ cell }) => cell(item))} />
                          : column.cell(item)}
                      </Cell>
                    )}
                  </Row>
                )}
              </Collection>
              {onLoadMore !== undefined && to === rows.length && (
                <TableLoadMoreItem onLoadMore={onLoadMore} isLoading={isLoadingMore}>
                  {common.loading}
                </TableLoadMoreItem>
              )}
            </TableBody>
          </Table>
        </Virtualizer>
      </BeforeContext>
    </div>
  )
}

const TwoLines = (
  { first, second }: { readonly first: ReactNode; readonly second: ReadonlyArray<ReactNode> }
) => (
  <div className="two-lines">
    <div>{first}</div>
    <div className="second-line">{second.map((part, index) => <span key={index}>{part}</span>)}</div>
  </div>
)

/** Rows before those that React Aria knows. */
const BeforeContext = createContext(0)

/** Screen readers hear the place of a row in the whole table. */
const RowElement = (props: ComponentProps<"div">) => {
  const before = use(BeforeContext)
  return <div {...props} aria-rowindex={(props["aria-rowindex"] ?? 0) + before} />
}

const rowElement = (props: object) => <RowElement {...props} />
