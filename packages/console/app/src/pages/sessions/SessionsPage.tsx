/** The sessions that links have opened. */
import { useDeploymentChange, useDeploymentQuery } from "../../data/Deployment.ts"
import type { ListedSession } from "../../data/Wire.ts"
import { Page } from "../../shell/Page.tsx"
import { useTexts } from "../../texts/Language.tsx"
import { ConfirmButton } from "../../ui/Dialog.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { Badge } from "../../ui/StatusBadge.tsx"
import { Time } from "../../ui/Time.tsx"

export const Component = () => {
  const { sessions, shell } = useTexts()
  return (
    <Page title={shell.pages.sessions}>
      <p className="muted">{sessions.help}</p>
      <RoleGate role="admin" fallback={<p>{sessions.forAdmins}</p>}>
        <Sessions />
      </RoleGate>
    </Page>
  )
}

const Sessions = () => {
  const { sessions, shell } = useTexts()
  const query = useDeploymentQuery<{ readonly data: ReadonlyArray<ListedSession> }>("sessions")
  const revoke = useDeploymentChange()
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ?
          <EmptyState title={sessions.empty} /> :
          (
            <div className="table-scroll" tabIndex={0} role="region" aria-label={shell.pages.sessions}>
              <table className="plain-table">
                <thead>
                  <tr>
                    <th>{sessions.name}</th>
                    <th>{sessions.role}</th>
                    <th className="wide">{sessions.lastUsed}</th>
                    <th>{sessions.expires}</th>
                    <td />
                  </tr>
                </thead>
                <tbody>
                  {data.map(({ current, expires_at, id, last_used_at, name, role }) => (
                    <tr key={id}>
                      <th scope="row">
                        <Foreign text={name} /> {current && <Badge tone="accent">{sessions.current}</Badge>}
                      </th>
                      <td>{shell.roles[role]}</td>
                      <td className="wide">
                        <Time at={last_used_at} isRelative />
                      </td>
                      <td>
                        <Time at={expires_at} isRelative />
                      </td>
                      <td className="end">
                        {!current && (
                          <ConfirmButton
                            label={sessions.revoke}
                            isCompact
                            isDangerous
                            title={sessions.revokeTitle}
                            confirmLabel={sessions.revoke}
                            onConfirm={() => revoke.mutateAsync({ path: `sessions/${id}`, method: "DELETE" })}
                          >
                            <Foreign text={name} />
                            <p>{sessions.revokeHelp}</p>
                          </ConfirmButton>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
    </Loaded>
  )
}
