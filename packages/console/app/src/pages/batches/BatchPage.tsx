/** One batch: its progress by result, its calls, the refused rows; cancel and download. */
import { useMemo } from "react"
import { useParams } from "react-router"
import { accountPath, useAccountChange, useAccountId, useAccountQuery } from "../../data/Account.ts"
import { useAgentName } from "../../data/Agents.ts"
import { queryString, request } from "../../data/Api.ts"
import { downloadCsv } from "../../data/Download.ts"
import type { Batch, Call, List, RejectedRow } from "../../data/Wire.ts"
import { useMutation } from "@tanstack/react-query"
import { Page } from "../../shell/Page.tsx"
import { useTexts } from "../../texts/Language.tsx"
import { useServerText } from "../../texts/ServerText.ts"
import { Button } from "../../ui/Button.tsx"
import { Card, Facts } from "../../ui/Card.tsx"
import { CopyId } from "../../ui/CopyId.tsx"
import { type DataColumn, DataTable } from "../../ui/DataTable.tsx"
import { ConfirmButton } from "../../ui/Dialog.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { PhoneNumber } from "../../ui/PhoneNumber.tsx"
import { PlainTable } from "../../ui/PlainTable.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { Badge, StatusBadge } from "../../ui/StatusBadge.tsx"
import { Time } from "../../ui/Time.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { allCalls, BatchBar, BatchLegend, endedCalls } from "./BatchProgress.tsx"
import { resultsCsv } from "./ResultsCsv.ts"
import "./batches.css"

export const Component = () => {
  const { id = "" } = useParams()
  const { batches: texts } = useTexts()
  const query = useAccountQuery<Batch>("batches", `v1/batches/${encodeURIComponent(id)}`)
  const nameOf = useAgentName()
  const agentId = query.data?.agent_id
  const title = query.data === undefined
    ? texts.list
    : texts.title(typeof agentId === "string" ? nameOf(agentId) : texts.unknownAgents)
  return (
    <Page
      title={title}
      note={query.data?.test === true && <Badge>{texts.test}</Badge>}
      actions={query.data !== undefined && (
        <>
          <Results batch={query.data} />
          <RoleGate role="operator">
            {query.data.counts.queued > 0 && <Cancel batch={query.data} />}
          </RoleGate>
        </>
      )}
    >
      <Loaded query={query} lines={6}>{(batch) => <Content batch={batch} />}</Loaded>
    </Page>
  )
}

const Content = ({ batch }: { readonly batch: Batch }) => {
  const { batches: texts } = useTexts()
  const { calls = [], completed_at, counts, created_at, id, rejected = [], status } = batch
  return (
    <>
      <Card
        title={texts.progress}
        actions={
          <span className="row">
            <span className="numeric">{texts.endedOf(endedCalls(counts), allCalls(counts))}</span>
            {status === "completed"
              ? <Badge tone="good" icon="check">{texts.status.completed}</Badge>
              : <Badge tone="accent" icon="play">{texts.status.in_progress}</Badge>}
          </span>
        }
      >
        <BatchBar counts={counts} isTall />
        <BatchLegend counts={counts} />
        <Facts
          facts={[
            [texts.started, <Time key="started" at={created_at} />],
            [texts.ended, completed_at !== undefined && <Time key="ended" at={completed_at} />],
            ["ID", <CopyId key="id" id={id} label="ID" />]
          ]}
        />
      </Card>
      {rejected.length > 0 && <Rejected rows={rejected} />}
      <Card title={texts.calls} className="batch-table">
        <p className="muted small">{texts.positionHelp}</p>
        <Calls calls={calls} />
      </Card>
    </>
  )
}

type BatchCall = NonNullable<Batch["calls"]>[number]

const Calls = ({ calls }: { readonly calls: ReadonlyArray<BatchCall> }) => {
  const account = useAccountId()
  const { batches: texts } = useTexts()
  const columns = useMemo((): ReadonlyArray<DataColumn<BatchCall>> => [
    { id: "position", title: texts.position, width: 96, isEnd: true, isWide: true, cell: ({ index }) => index + 1 },
    {
      id: "number",
      title: texts.column.fields.phone_number,
      isRowHeader: true,
      minWidth: 130,
      cell: ({ phone_number }) => <PhoneNumber number={phone_number} />
    },
    {
      id: "external",
      title: texts.column.fields.external_id,
      isSecondLine: true,
      cell: ({ external_id }) => external_id !== undefined && <Foreign isLine text={external_id} />
    },
    {
      id: "status",
      title: texts.statusColumn,
      isSecondLine: true,
      cell: ({ status }) => <StatusBadge status={status} />
    }
  ], [texts])
  return (
    <DataTable
      label={texts.calls}
      columns={columns}
      rows={calls}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `/${account}/calls/${id}`}
      empty={<EmptyState title={texts.progressEmpty} />}
    />
  )
}

const Rejected = ({ rows }: { readonly rows: ReadonlyArray<RejectedRow> }) => {
  const { batches: texts } = useTexts()
  const translated = useServerText()
  return (
    <Card title={texts.rejected}>
      <PlainTable
        label={texts.rejected}
        isScrolled={rows.length > 8}
        rows={rows}
        keyOf={({ index }) => index}
        columns={[
          { id: "position", title: texts.position, isNarrow: true, cell: ({ index }) => index + 1 },
          {
            id: "number",
            title: texts.column.fields.phone_number,
            isRowHeader: true,
            cell: ({ phone_number }) => <Foreign text={phone_number} />
          },
          { id: "reason", title: texts.reason, cell: ({ message }) => <Foreign text={translated(message)} /> }
        ]}
      />
    </Card>
  )
}

const Cancel = ({ batch: { counts, id } }: { readonly batch: Batch }) => {
  const { batches: texts } = useTexts()
  const cancel = useAccountChange({
    request: () => ({ path: `v1/batches/${encodeURIComponent(id)}/cancel` }),
    changes: ["batches", "calls", "overview"],
    onSuccess: () => toast(texts.canceled)
  })
  return (
    <ConfirmButton
      label={texts.cancel}
      title={texts.cancelTitle}
      confirmLabel={texts.cancel}
      isDangerous
      onConfirm={() => cancel.mutateAsync()}
    >
      {texts.cancelText(counts.queued)}
    </ConfirmButton>
  )
}

/** Reads all calls of the batch, and has the browser save their results. */
const Results = ({ batch: { id } }: { readonly batch: Batch }) => {
  const account = useAccountId()
  const { batches: texts } = useTexts()
  const download = useMutation({
    mutationFn: async () => {
      const calls: Array<Call> = []
      let cursor: string | undefined
      do {
        const path = accountPath(account, `v1/calls${queryString({ batch_id: id, limit: 100, cursor })}`)
        const page: List<Call> = await request(path)
        calls.push(...page.data)
        cursor = page.next_cursor ?? undefined
      } while (cursor !== undefined)
      // Lists begin with the newest.
      downloadCsv(texts.fileName.results(id), resultsCsv(calls.toReversed()))
    }
  })
  return (
    <>
      <Button isPending={download.isPending} onPress={() => download.mutate()}>{texts.results}</Button>
      {download.error !== null && <ErrorNotice error={download.error} />}
    </>
  )
}
