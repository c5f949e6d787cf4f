/** API keys: create, with the key shown once, and revoke. */
import { useState } from "react"
import { useAccountChange, useAccountQuery } from "../../data/Account.ts"
import type { Key } from "../../data/Wire.ts"
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
import { toast } from "../../ui/Toasts.tsx"
import { CreateKey } from "./CreateKey.tsx"

export const Component = () => {
  const { keys, shell } = useTexts()
  const [isCreating, setIsCreating] = useState(false)
  return (
    <Page
      title={shell.pages.keys}
      actions={
        <RoleGate role="admin">
          <Button tone="primary" onPress={() => setIsCreating(true)}>{keys.create}</Button>
        </RoleGate>
      }
    >
      <p className="muted">{keys.help}</p>
      <RoleGate role="admin" fallback={<p>{keys.forAdmins}</p>}>
        <Keys />
        <CreateKey isOpen={isCreating} onClose={() => setIsCreating(false)} />
      </RoleGate>
    </Page>
  )
}

const Keys = () => {
  const { keys, shell } = useTexts()
  const query = useAccountQuery<{ readonly data: ReadonlyArray<Key> }>("keys", "keys")
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ?
          <EmptyState title={keys.empty} /> :
          (
            <div className="table-scroll" tabIndex={0} role="region" aria-label={shell.pages.keys}>
              <table className="plain-table">
                <thead>
                  <tr>
                    <th>{keys.name}</th>
                    <th>{keys.scopes}</th>
                    <th className="wide">{keys.created}</th>
                    <th className="wide">{keys.lastUsed}</th>
                    <th>{keys.state}</th>
                    <td />
                  </tr>
                </thead>
                <tbody>
                  {data.map((key) => <Row key={key.id} shown={key} />)}
                </tbody>
              </table>
            </div>
          )}
    </Loaded>
  )
}

const Row = ({ shown }: { readonly shown: Key }) => {
  const { keys } = useTexts()
  const { created_at, expires_at, id, last_used_at, name, revoked_at, scopes } = shown
  const isExpired = expires_at !== undefined && new Date(expires_at).getTime() <= Date.now()
  const revoke = useAccountChange({
    request: () => ({ path: `keys/${id}`, method: "DELETE" }),
    changes: ["keys"],
    onSuccess: () => toast(keys.revokedNow)
  })
  return (
    <tr>
      <th scope="row">
        <Foreign text={name} />
        <div className="small muted">{id}</div>
      </th>
      <td>{scopes.map((scope) => <div key={scope}>{keys.scopeNames[scope]}</div>)}</td>
      <td className="wide">
        <Time at={created_at} />
      </td>
      <td className="wide">{last_used_at === undefined ? keys.never : <Time at={last_used_at} isRelative />}</td>
      <td>
        {revoked_at !== undefined
          ? <Badge>{keys.revoked}</Badge>
          : isExpired
          ? <Badge tone="warn">{keys.expired}</Badge>
          : <Badge tone="good">{keys.usable}</Badge>}
        {revoked_at === undefined && expires_at !== undefined && (
          <div className="small muted">
            {keys.until} <Time at={expires_at} />
          </div>
        )}
      </td>
      <td className="end">
        {revoked_at === undefined && (
          <ConfirmButton
            label={keys.revoke}
            isCompact
            isDangerous
            title={keys.revokeTitle}
            confirmLabel={keys.revoke}
            onConfirm={() => revoke.mutateAsync()}
          >
            <Foreign text={name} />
            <p>{keys.revokeHelp}</p>
          </ConfirmButton>
        )}
      </td>
    </tr>
  )
}
