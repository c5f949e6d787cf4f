/** The table of calls. */
import { type ReactNode, type Ref, useMemo } from "react"
import { useAccountId } from "../../data/Account.ts"
import type { CallRow } from "../../data/CallPages.ts"
import type { Rows } from "../../data/Rows.ts"
import { useTexts } from "../../texts/Language.tsx"
import { type DataColumn, DataTable, type DataTableHandle } from "../../ui/DataTable.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { PhoneNumber } from "../../ui/PhoneNumber.tsx"
import { useReason } from "../../ui/Reason.tsx"
import { Badge, StatusBadge } from "../../ui/StatusBadge.tsx"
import { Duration, Time } from "../../ui/Time.tsx"
import { useAgentName } from "./AgentNames.ts"

export interface CallTableProps {
  readonly ref?: Ref<DataTableHandle>
  readonly calls: ReadonlyArray<CallRow>
  readonly empty: ReactNode
  readonly isLoading: boolean
  readonly isLoadingMore: boolean
  readonly onLoadMore?: () => void
  readonly onView: (rows: Rows) => void
}

export const CallTable = ({ calls, ...rest }: CallTableProps) => {
  const texts = useTexts()
  const account = useAccountId()
  const reason = useReason()
  const agentName = useAgentName()
  const columns = useMemo(() => {
    const { columns: titles } = texts.calls
    const all: ReadonlyArray<DataColumn<CallRow>> = [
      {
        id: "number",
        title: titles.number,
        width: 158,
        isRowHeader: true,
        cell: ({ phone_number }) => <PhoneNumber number={phone_number} />
      },
      { id: "status", title: titles.status, width: 164, cell: ({ status }) => <StatusBadge status={status} /> },
      {
        id: "contact",
        title: titles.contact,
        width: "2fr",
        minWidth: 120,
        isSecondLine: true,
        cell: ({ contact }) => <Foreign text={contact} isLine />
      },
      {
        id: "result",
        title: titles.result,
        width: "2fr",
        minWidth: 120,
        isSecondLine: true,
        cell: ({ disposition, status_code, status_reason }) => {
          if (disposition !== undefined) return <Foreign text={disposition} isLine />
          if (status_code === undefined) return null
          return <Foreign text={reason(status_code, status_reason)} isLine />
        }
      },
      {
        id: "agent",
        title: titles.agent,
        width: "1fr",
        minWidth: 100,
        isWide: true,
        cell: ({ agent_id }) => <Foreign text={agentName(agent_id)} isLine />
      },
      {
        id: "duration",
        title: titles.duration,
        width: 84,
        isEnd: true,
        isWide: true,
        cell: ({ duration_seconds }) => duration_seconds > 0 && <Duration seconds={duration_seconds} />
      },
      {
        id: "created",
        title: titles.created,
        width: "1fr",
        minWidth: 144,
        isWide: true,
        cell: ({ created_at, test }) => (
          <span className="row one">
            <Time at={created_at} />
            {test && <Badge>{texts.common.test}</Badge>}
          </span>
        )
      }
    ]
    return all
  }, [agentName, reason, texts])
  return (
    <DataTable
      label={texts.shell.pages.calls}
      columns={columns}
      rows={calls}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `/${account}/calls/${id}`}
      {...rest}
    />
  )
}
