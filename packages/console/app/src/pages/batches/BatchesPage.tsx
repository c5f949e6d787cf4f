/** All batches, newest first, with the progress of each. */
import { useMemo } from "react"
import { useAccountId } from "../../data/Account.ts"
import { useAgentName } from "../../data/Agents.ts"
import { useAccountPages } from "../../data/Pages.ts"
import type { Batch } from "../../data/Wire.ts"
import { Page } from "../../shell/Page.tsx"
import { useTexts } from "../../texts/Language.tsx"
import { ButtonLink } from "../../ui/Button.tsx"
import { type DataColumn, DataTable } from "../../ui/DataTable.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { Badge } from "../../ui/StatusBadge.tsx"
import { Time } from "../../ui/Time.tsx"
import { allCalls, BatchBar, endedCalls } from "./BatchProgress.tsx"
import "./batches.css"

export const Component = () => {
  const { batches: texts } = useTexts()
  const account = useAccountId()
  const nameOf = useAgentName()
  const { error, refetch, rows, ...list } = useAccountPages<Batch>("batches", "v1/batches")
  const columns = useMemo((): ReadonlyArray<DataColumn<Batch>> => [
    {
      id: "started",
      title: texts.started,
      isRowHeader: true,
      width: "1fr",
      minWidth: 110,
      cell: (batch) => <Time at={batch.created_at} />
    },
    {
      id: "agent",
      title: texts.agent,
      width: "2fr",
      isSecondLine: true,
      cell: ({ agent_id, test }) => (
        <span className="row">
          {agent_id === null
            ? <span className="muted">{texts.unknownAgents}</span>
            : <Foreign isLine text={nameOf(agent_id)} />}
          {test && <Badge>{texts.test}</Badge>}
        </span>
      )
    },
    {
      id: "progress",
      title: texts.progress,
      width: "2fr",
      minWidth: 90,
      cell: ({ counts }) => <BatchBar counts={counts} />
    },
    {
      id: "ended",
      title: texts.ended,
      width: 130,
      minWidth: 110,
      isEnd: true,
      cell: ({ counts }) => texts.endedOf(endedCalls(counts), allCalls(counts))
    },
    {
      id: "rejected",
      title: texts.rejected,
      width: 120,
      isEnd: true,
      isWide: true,
      cell: ({ rejected_count }) => rejected_count
    },
    {
      id: "status",
      title: texts.statusColumn,
      width: 164,
      isWide: true,
      cell: ({ status }) =>
        status === "completed"
          ? <Badge tone="good" icon="check">{texts.status.completed}</Badge>
          : <Badge tone="accent" icon="play">{texts.status.in_progress}</Badge>
    }
  ], [texts, nameOf])
  const startNew = (
    <RoleGate role="operator">
      <ButtonLink tone="primary" to={`/${account}/batches/new`}>{texts.new}</ButtonLink>
    </RoleGate>
  )
  return (
    <Page title={texts.list} isFilled actions={startNew}>
      {error !== null && rows.length === 0
        ? <ErrorNotice error={error} onRetry={refetch} />
        : (
          <DataTable
            label={texts.list}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => `/${account}/batches/${id}`}
            {...list}
            empty={
              <EmptyState title={texts.listEmptyTitle} action={startNew}>
                {texts.listEmpty} <RoleGate role="operator">{texts.listEmptyStart}</RoleGate>
              </EmptyState>
            }
          />
        )}
    </Page>
  )
}
