/** Who has changed what in the console, newest first. */
import { useDeploymentPages } from "../../data/Pages.ts"
import { useSession } from "../../data/Session.ts"
import type { AuditEntry } from "../../data/Wire.ts"
import { Page } from "../../shell/Page.tsx"
import { useTexts } from "../../texts/Language.tsx"
import { type DataColumn, DataTable } from "../../ui/DataTable.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { Badge } from "../../ui/StatusBadge.tsx"
import { Time } from "../../ui/Time.tsx"

export const Component = () => {
  const { audit, shell } = useTexts()
  return (
    <Page title={shell.pages.audit} isFilled>
      <p className="muted">{audit.help}</p>
      <RoleGate role="admin" fallback={<p>{audit.forAdmins}</p>}>
        <Entries />
      </RoleGate>
    </Page>
  )
}

const Entries = () => {
  const { audit, shell } = useTexts()
  const { accounts } = useSession()
  const { error, refetch, ...list } = useDeploymentPages<AuditEntry>("audit")
  if (error !== null && list.rows.length === 0) return <ErrorNotice error={error} onRetry={refetch} />
  const columns: ReadonlyArray<DataColumn<AuditEntry>> = [
    { id: "at", title: audit.at, width: 150, isSecondLine: true, cell: ({ at }) => <Time at={at} /> },
    {
      id: "actor",
      title: audit.actor,
      isRowHeader: true,
      width: "1.5fr",
      cell: ({ actor }) => <Foreign text={actor} isLine />
    },
    { id: "role", title: audit.role, isWide: true, width: 132, cell: ({ role }) => shell.roles[role] },
    { id: "action", title: audit.action, width: "2fr", cell: ({ action }) => <code>{action}</code> },
    {
      id: "target",
      title: audit.target,
      isWide: true,
      width: "2fr",
      cell: ({ details, target }) => {
        const shown = target ?? details["link"]
        return typeof shown === "string" ? <Foreign text={shown} isLine /> : ""
      }
    },
    {
      id: "account",
      title: shell.account,
      isWide: true,
      cell: ({ account_id }) =>
        account_id === null
          ? audit.allAccounts
          : <Foreign text={accounts.find(({ id }) => id === account_id)?.name ?? account_id} isLine />
    },
    {
      id: "status",
      title: audit.result,
      width: 140,
      isSecondLine: true,
      cell: ({ status }) => <Result status={status} />
    }
  ]
  return (
    <DataTable
      label={shell.pages.audit}
      columns={columns}
      keyOf={({ id }) => id}
      empty={<EmptyState title={audit.empty} />}
      {...list}
    />
  )
}

const Result = ({ status }: Pick<AuditEntry, "status">) => {
  const { audit } = useTexts()
  if (status === null) return <Badge tone="warn">{audit.unknown}</Badge>
  return status < 400
    ? <Badge tone="good" icon="check">{audit.done}</Badge>
    : <Badge tone="bad" icon="cross">{audit.refused(status)}</Badge>
}
