/** Who is in: the sessions that links have opened, and the links that wait to be opened. Admins let others in, and end what they see. */
import { type ReactNode, useState } from "react"
import { useDeploymentChange, useDeploymentQuery } from "../../data/Deployment.ts"
import { useSession } from "../../data/Session.ts"
import type { ListedSession, UnusedLink } from "../../data/Wire.ts"
import { Page } from "../../shell/Page.tsx"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { ConfirmButton } from "../../ui/Dialog.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
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
        data.length === 0 ?
          <EmptyState title={sessions.empty} /> :
          (
            <Table label={shell.pages.sessions} times={[sessions.lastUsed, sessions.expires]}>
              {data.map(({ account_id, current, expires_at, id, last_used_at, name, role }) => (
                <tr key={id}>
                  <th scope="row">
                    <Foreign text={name} /> {current && <Badge tone="accent">{sessions.current}</Badge>}
                  </th>
                  <td>{shell.roles[role]}</td>
                  <td className="wide">
                    <AccountName id={account_id} />
                  </td>
                  <td className="wide">
                    <Time at={last_used_at} isRelative />
                  </td>
                  <td>
                    <Time at={expires_at} isRelative />
                  </td>
                  <td className="end">
                    {!current && (
                      <EndButton path={`sessions/${id}`} label={sessions.revoke} title={sessions.revokeTitle}>
                        <Foreign text={name} />
                        <p>{sessions.revokeHelp}</p>
                      </EndButton>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          )}
    </Loaded>
  )
}

/** Not shown while there are none, as most of the time. */
const UnusedLinks = () => {
  const { sessions, shell } = useTexts()
  const query = useDeploymentQuery<{ readonly data: ReadonlyArray<UnusedLink> }>("links")
  const links = query.data?.data ?? []
  if (links.length === 0) return null
  return (
    <section className="stack tight">
      <h2>{sessions.unused}</h2>
      <Table label={sessions.unused} times={[sessions.created, sessions.expires]}>
        {links.map(({ account_id, created_at, expires_at, id, name, role }) => (
          <tr key={id}>
            <th scope="row">
              <Foreign text={name} />
            </th>
            <td>{shell.roles[role]}</td>
            <td className="wide">
              <AccountName id={account_id} />
            </td>
            <td className="wide">
              <Time at={created_at} isRelative />
            </td>
            <td>
              <Time at={expires_at} isRelative />
            </td>
            <td className="end">
              <EndButton path={`links/${id}`} label={sessions.withdraw} title={sessions.withdrawTitle}>
                <Foreign text={name} />
                <p>{sessions.withdrawHelp}</p>
              </EndButton>
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

const Table = ({ children, label, times: [early, late] }: {
  readonly label: string
  /** The titles of the two columns of times. */
  readonly times: readonly [string, string]
  readonly children: ReactNode
}) => {
  const { sessions, shell } = useTexts()
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={label}>
      <table className="plain-table">
        <thead>
          <tr>
            <th>{sessions.name}</th>
            <th>{sessions.role}</th>
            <th className="wide">{shell.account}</th>
            <th className="wide">{early}</th>
            <th>{late}</th>
            <td />
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
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
