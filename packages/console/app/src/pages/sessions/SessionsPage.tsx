/** Who is in: the sessions that links have opened, and the links that wait to be opened. Admins let others in, and end what they see. */
import { type ReactNode, useState } from "react"
import { useDeploymentChange, useDeploymentQuery } from "../../data/Deployment.ts"
import { useSession } from "../../data/Session.ts"
import type { ListedSession, UnusedLink } from "../../data/Wire.ts"
import { Page } from "../../shell/Page.tsx"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { ConfirmButton } from "../../ui/Dialog.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { PlainTable } from "../../ui/PlainTable.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { Badge } from "../../ui/StatusBadge.tsx"
import { Time } from "../../ui/Time.tsx"
import { CreateLink } from "./CreateLink.tsx"

export const Component = () => {
  const { sessions, shell } = useTexts()
  const { expires_at } = useSession()
  const [isCreating, setIsCreating] = useState(false)
  // Users of a host application have no session here, and a link would open none for them.
  const usesLinks = expires_at !== null
  return (
    <Page
      title={shell.pages.sessions}
      actions={
        <RoleGate role="admin">
          {usesLinks && <Button tone="primary" onPress={() => setIsCreating(true)}>{sessions.create}</Button>}
        </RoleGate>
      }
    >
      <p className="muted">{usesLinks ? sessions.help : sessions.hostHelp}</p>
      <RoleGate role="admin" fallback={<p>{sessions.forAdmins}</p>}>
        <Sessions />
        <UnusedLinks />
      </RoleGate>
      {isCreating && <CreateLink onClose={() => setIsCreating(false)} />}
    </Page>
  )
}

const Sessions = () => {
  const { sessions, shell } = useTexts()
  const query = useDeploymentQuery<{ readonly data: ReadonlyArray<ListedSession> }>("sessions")
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0
          ? <EmptyState title={sessions.empty} />
          : (
            <Table
              label={shell.pages.sessions}
              rows={data}
              early={[sessions.lastUsed, ({ last_used_at }) => last_used_at]}
              action={({ current, id, name }) =>
                !current && (
                  <EndButton path={`sessions/${id}`} label={sessions.revoke} title={sessions.revokeTitle}>
                    <Foreign text={name} />
                    <p>{sessions.revokeHelp}</p>
                  </EndButton>
                )}
            />
          )}
    </Loaded>
  )
}

/** Not shown while there are none, as most of the time. */
const UnusedLinks = () => {
  const { sessions } = useTexts()
  const query = useDeploymentQuery<{ readonly data: ReadonlyArray<UnusedLink> }>("links")
  const links = query.data?.data ?? []
  if (links.length === 0) return null
  return (
    <Card title={sessions.unused}>
      <Table
        label={sessions.unused}
        rows={links}
        early={[sessions.created, ({ created_at }) => created_at]}
        action={({ id, name }) => (
          <EndButton path={`links/${id}`} label={sessions.withdraw} title={sessions.withdrawTitle}>
            <Foreign text={name} />
            <p>{sessions.withdrawHelp}</p>
          </EndButton>
        )}
      />
    </Card>
  )
}

interface Access {
  readonly id: string
  readonly name: string
  readonly role: ListedSession["role"]
  readonly account_id: string | null
  readonly expires_at: string
  readonly current?: boolean
}

const Table = <Row extends Access>({ action, early: [earlyTitle, earlyOf], label, rows }: {
  readonly label: string
  readonly rows: ReadonlyArray<Row>
  /** The first of the two columns of times. */
  readonly early: readonly [title: string, at: (row: Row) => string]
  readonly action: (row: Row) => ReactNode
}) => {
  const { common, sessions, shell } = useTexts()
  return (
    <PlainTable
      label={label}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          id: "name",
          title: sessions.name,
          isRowHeader: true,
          cell: ({ current = false, name }) => (
            <span className="row">
              <Foreign text={name} />
              {current && <Badge tone="accent">{sessions.current}</Badge>}
            </span>
          )
        },
        { id: "role", title: sessions.role, cell: ({ role }) => shell.roles[role] },
        { id: "account", title: shell.account, cell: ({ account_id }) => <AccountName id={account_id} /> },
        { id: "early", title: earlyTitle, cell: (row) => <Time at={earlyOf(row)} isRelative /> },
        { id: "expires", title: sessions.expires, cell: ({ expires_at }) => <Time at={expires_at} isRelative /> },
        {
          id: "action",
          title: common.actions,
          isTitleHidden: true,
          isEnd: true,
          isBeside: true,
          isNarrow: true,
          cell: action
        }
      ]}
    />
  )
}

const AccountName = ({ id }: { readonly id: string | null }) => {
  const { sessions } = useTexts()
  const { accounts } = useSession()
  return id === null ? sessions.allAccounts : <Foreign text={accounts.find((one) => one.id === id)?.name ?? id} />
}

const EndButton = ({ children, label, path, title }: {
  readonly path: string
  readonly label: string
  readonly title: string
  readonly children: ReactNode
}) => {
  const end = useDeploymentChange()
  return (
    <ConfirmButton
      label={label}
      isCompact
      isDangerous
      title={title}
      confirmLabel={label}
      onConfirm={() => end.mutateAsync({ path, method: "DELETE" })}
    >
      {children}
    </ConfirmButton>
  )
}
