/** The accounts of the deployment: their lines and whether they are paused. */
import { useState } from "react"
import { Link } from "react-router"
import { accountPath } from "../../data/Account.ts"
import { useDeploymentChange, useDeploymentQuery } from "../../data/Deployment.ts"
import { useSession } from "../../data/Session.ts"
import type { Account, AccountList } from "../../data/Wire.ts"
import { Page } from "../../shell/Page.tsx"
import { useFormat } from "../../texts/Format.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { ConfirmButton } from "../../ui/Dialog.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { PlainTable } from "../../ui/PlainTable.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { Badge } from "../../ui/StatusBadge.tsx"
import { Time } from "../../ui/Time.tsx"
import { AccountDialog } from "./AccountDialog.tsx"

export const Component = () => {
  const { accounts, shell } = useTexts()
  const { account_id } = useSession()
  const [edited, setEdited] = useState<Account | "new">()
  return (
    <Page
      title={shell.pages.accounts}
      actions={
        <RoleGate role="admin">
          {account_id === null && <Button tone="primary" onPress={() => setEdited("new")}>{accounts.create}</Button>}
        </RoleGate>
      }
    >
      <RoleGate role="admin" fallback={<p>{accounts.forAdmins}</p>}>
        {account_id === null ? <Accounts onEdit={setEdited} /> : <p>{accounts.oneOnly}</p>}
      </RoleGate>
      {edited !== undefined && (
        <AccountDialog
          {...(edited !== "new" && { account: edited })}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Page>
  )
}

const Accounts = ({ onEdit }: { readonly onEdit: (account: Account) => void }) => {
  const { accounts, common, shell } = useTexts()
  const format = useFormat()
  const query = useDeploymentQuery<AccountList>("accounts")
  return (
    <Loaded query={query}>
      {({ data }) => (
        <PlainTable
          label={shell.pages.accounts}
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            {
              id: "name",
              title: accounts.name,
              isRowHeader: true,
              cell: ({ id, name }) => (
                <>
                  <Link to={`/${id}/now`}>
                    <Foreign text={name} />
                  </Link>
                  <div className="small muted">{id}</div>
                </>
              )
            },
            {
              id: "state",
              title: accounts.state,
              isBeside: true,
              cell: ({ paused }) =>
                paused
                  ? <Badge tone="warn">{accounts.paused}</Badge>
                  : <Badge tone="good">{accounts.calling}</Badge>
            },
            { id: "lines", title: accounts.lines, isEnd: true, cell: ({ lines }) => format.number(lines) },
            { id: "created", title: accounts.created, cell: ({ created_at }) => <Time at={created_at} /> },
            {
              id: "actions",
              title: common.actions,
              isTitleHidden: true,
              isEnd: true,
              isNarrow: true,
              cell: (account) => (
                <div className="row-actions">
                  <Button isCompact tone="quiet" onPress={() => onEdit(account)}>{accounts.edit}</Button>
                  <PauseButton account={account} />
                </div>
              )
            }
          ]}
        />
      )}
    </Loaded>
  )
}

const PauseButton = ({ account: { id, name, paused } }: { readonly account: Account }) => {
  const { accounts } = useTexts()
  const change = useDeploymentChange()
  const text = paused ? accounts.resume : accounts.pause
  return (
    <ConfirmButton
      label={text}
      isCompact
      isDangerous={!paused}
      title={text}
      confirmLabel={text}
      onConfirm={() => change.mutateAsync({ path: accountPath(id, "pause"), body: { paused: !paused } })}
    >
      <Foreign text={name} />
      <p>{paused ? accounts.resumeHelp : accounts.pauseHelp}</p>
    </ConfirmButton>
  )
}
