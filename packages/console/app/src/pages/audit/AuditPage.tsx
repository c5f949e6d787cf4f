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
import { actionText } from "./ActionText.ts"

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
    {
      id: "action",
      title: audit.action,
      isRowHeader: true,
      width: "3fr",
      minWidth: 240,
      cell: (entry) => {
        const text = actionText(entry, audit.actions)
        return text === undefined ? <code>{entry.action}</code> : <span className="one-line" title={text}>{text}</span>
      }
    },
    { id: "target", title: audit.target, isSecondLine: true, width: "2fr", cell: (entry) => <Target entry={entry} /> },
    {
      id: "actor",
      title: audit.actor,
      isSecondLine: true,
      width: "1.5fr",
      cell: ({ actor }) => <Foreign text={actor} isLine />
    },
    { id: "role", title: audit.role, isSecondLine: true, width: 132, cell: ({ role }) => shell.roles[role] },
    {
      id: "account",
      title: shell.account,
      isSecondLine: true,
      cell: ({ account_id }) =>
        account_id === null
          ? audit.allAccounts
          : <Foreign text={accounts.find(({ id }) => id === account_id)?.name ?? account_id} isLine />
    },
    { id: "at", title: audit.at, width: 140, isSecondLine: true, cell: ({ at }) => <Time at={at} /> },
    {
      id: "status",
      title: audit.result,
      width: 152,
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
      isTall
      {...list}
    />
  )
}

/** What was changed: its id, and the names of its fields where the entry has them. */
const Target = ({ entry: { details, target } }: { readonly entry: AuditEntry }) => {
  const { accounts, hours, shell } = useTexts()
  const names: Readonly<Record<string, string>> = {
    ...hours.preset.fields,
    ...hours.fields,
    retention: hours.retention.title,
    agents: shell.pages.agents,
    name: accounts.name
  }
  const { account, changed, key, lines, link } = details
  const shown = [
    target ?? link ?? key ?? account,
    ...(typeof changed === "string" ? changed.split(", ").map((field) => names[field] ?? field) : []),
    typeof lines === "number" ? `${accounts.lines}: ${lines}` : undefined
  ].filter((part) => typeof part === "string" && part !== "").join(", ")
  return <Foreign text={shown} isLine />
}

const Result = ({ status }: Pick<AuditEntry, "status">) => {
  const { audit } = useTexts()
  if (status === null) return <Badge tone="warn">{audit.unknown}</Badge>
  return status < 400
    ? <Badge tone="good" icon="check">{audit.done}</Badge>
    : <Badge tone="bad" icon="cross">{audit.refused(status)}</Badge>
}
