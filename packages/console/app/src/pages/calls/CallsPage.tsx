/** All calls: search, filters in the address, and a table that follows what happens. */
import "./calls.css"
import { useMemo, useRef, useState } from "react"
import { useNavigate, useSearchParams } from "react-router"
import { useAccountId } from "../../data/Account.ts"
import { ApiError } from "../../data/ApiError.ts"
import { type CallFilters, readFilters, searchKind, writeFilters } from "../../data/CallFilters.ts"
import { useIsAllowed } from "../../data/Session.ts"
import { Page } from "../../shell/Page.tsx"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import type { DataTableHandle } from "../../ui/DataTable.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { useCallList } from "./CallList.ts"
import { CallTable } from "./CallTable.tsx"
import { Filters } from "./Filters.tsx"
import { StartCall } from "./StartCall.tsx"

export const Component = () => {
  const { calls: texts, shell } = useTexts()
  const account = useAccountId()
  const navigate = useNavigate()
  const [query, setQuery] = useSearchParams()
  const address = query.toString()
  const filters = useMemo(() => readFilters(new URLSearchParams(address)), [address])
  const [isStarting, setIsStarting] = useState(false)
  const [stretch, setStretch] = useState({ address, start: "" })
  // Other filters begin at the newest calls.
  const start = stretch.address === address ? stretch.start : ""
  const { error, isAway, next, refetch, rows, ...list } = useCallList(filters, start)
  const table = useRef<DataTableHandle>(null)
  const choose = (change: Partial<CallFilters>) => {
    const next = { ...filters, ...change }
    if (change.search !== undefined && searchKind(change.search.trim()) === "call") {
      void navigate(`/${account}/calls/${change.search.trim()}`)
    } else setQuery(writeFilters(next), { replace: true })
  }
  const isFiltered = address !== ""
  const canSearchNumbers = useIsAllowed("operator")
  const isRefusedSearch = filters.search !== "" && error instanceof ApiError && error.status === 403
  return (
    <Page
      title={shell.pages.calls}
      isFilled
      actions={
        <RoleGate role="operator">
          <Button tone="primary" onPress={() => setIsStarting(true)}>
            <Icon name="plus" />
            {texts.start.open}
          </Button>
        </RoleGate>
      }
    >
      <Filters
        filters={filters}
        onChange={choose}
        onClear={() => setQuery({}, { replace: true })}
        isFiltered={isFiltered}
      />
      {isRefusedSearch
        ? <Notice tone="info" title={texts.noNumberSearch} />
        : error !== null && <ErrorNotice error={error} onRetry={refetch} />}
      {(error === null || rows.length > 0) && (
        <CallTable
          key={start}
          ref={table}
          calls={rows}
          {...list}
          empty={
            <EmptyState
              title={isFiltered ? texts.noneFound : texts.noneYet}
              action={isFiltered && <Button onPress={() => setQuery({})}>{texts.clearFilters}</Button>}
            >
              {isFiltered ? canSearchNumbers ? texts.noneFoundHelp : texts.noneFoundHelpMasked : texts.noneYetHelp}
            </EmptyState>
          }
        />
      )}
      {(next !== undefined || start !== "" || isAway) && (
        <div className="row">
          <Button
            isCompact
            onPress={() => {
              if (start === "") table.current?.toFirst()
              else setStretch({ address, start: "" })
            }}
          >
            {texts.newest}
          </Button>
          {next !== undefined && (
            <Button isCompact onPress={() => setStretch({ address, start: next })}>{texts.older}</Button>
          )}
          <span className="muted small">{texts.shown(rows.length)}</span>
        </div>
      )}
      {isStarting && <StartCall onClose={() => setIsStarting(false)} />}
    </Page>
  )
}
