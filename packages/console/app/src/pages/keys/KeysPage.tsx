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
import { PlainTable } from "../../ui/PlainTable.tsx"
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
  const { common, keys, shell } = useTexts()
  const query = useAccountQuery<{ readonly data: ReadonlyArray<Key> }>("keys", "keys")
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ?
          <EmptyState title={keys.empty}>{keys.emptyHelp}</EmptyState> :
          (
            <PlainTable
              label={shell.pages.keys}
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                {
                  id: "name",
                  title: keys.name,
                  isRowHeader: true,
                  cell: ({ id, name }) => (
                    <>
                      <Foreign text={name} />
                      <div className="small muted">{id}</div>
                    </>
                  )
                },
                {
                  id: "scopes",
                  title: keys.scopes,
                  cell: ({ scopes }) => (
                    <ul>
                      {scopes.map((scope) => <li key={scope}>{keys.scopeNames[scope]}</li>)}
                    </ul>
                  )
                },
                { id: "created", title: keys.created, cell: ({ created_at }) => <Time at={created_at} /> },
                {
                  id: "used",
                  title: keys.lastUsed,
                  cell: ({ last_used_at }) =>
                    last_used_at === undefined ? keys.never : <Time at={last_used_at} isRelative />
                },
                { id: "state", title: keys.state, cell: (key) => <State shown={key} /> },
                {
                  id: "revoke",
                  title: common.actions,
                  isTitleHidden: true,
                  isEnd: true,
                  isBeside: true,
                  isNarrow: true,
                  cell: (key) => key.revoked_at === undefined && <RevokeButton shown={key} />
                }
              ]}
            />
          )}
    </Loaded>
  )
}

const State = ({ shown: { expires_at, revoked_at } }: { readonly shown: Key }) => {
  const { keys } = useTexts()
  const isExpired = expires_at !== undefined && new Date(expires_at).getTime() <= Date.now()
  return (
    <div>
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
    </div>
  )
}

const RevokeButton = ({ shown: { id, name } }: { readonly shown: Key }) => {
  const { keys } = useTexts()
  const revoke = useAccountChange({
    request: () => ({ path: `keys/${id}`, method: "DELETE" }),
    changes: ["keys"],
    onSuccess: () => toast(keys.revokedNow)
  })
  return (
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
  )
}
