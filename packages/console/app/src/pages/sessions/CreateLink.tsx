/** Makes a link that lets another person in, and shows it, once. */
import { useState } from "react"
import { useAccountId } from "../../data/Account.ts"
import { useDeploymentChange } from "../../data/Deployment.ts"
import { type Role, useSession } from "../../data/Session.ts"
import type { NewLink } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { CopyId } from "../../ui/CopyId.tsx"
import { Dialog, DialogActions } from "../../ui/Dialog.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Form, TextField } from "../../ui/Form.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Select } from "../../ui/Select.tsx"
import { Time } from "../../ui/Time.tsx"

const roles: ReadonlyArray<Role> = ["viewer", "operator", "admin"]

/** The token stands behind the `#`, which browsers do not send and servers do not log. */
const addressOf = ({ token }: NewLink): string => new URL(`link#${token}`, document.baseURI).href

export const CreateLink = ({ onClose }: { readonly onClose: () => void }) => {
  const { sessions } = useTexts()
  const create = useDeploymentChange<NewLink>()
  return (
    <Dialog title={sessions.create} isOpen onClose={onClose}>
      {create.data === undefined
        ? <Details create={create} onClose={onClose} />
        : <Created link={create.data} onClose={onClose} />}
    </Dialog>
  )
}

const Details = ({ create, onClose }: {
  readonly create: ReturnType<typeof useDeploymentChange<NewLink>>
  readonly onClose: () => void
}) => {
  const { common, sessions, shell } = useTexts()
  const { account_id, accounts } = useSession()
  const shown = useAccountId()
  const [name, setName] = useState("")
  const [role, setRole] = useState<Role>("viewer")
  const [account, setAccount] = useState(account_id ?? (accounts.length > 1 ? shown : ""))
  const submit = () =>
    create.mutate({
      path: "links",
      body: { role, name: name.trim(), ...(account !== "" && { account_id: account }) }
    })
  const choices = accounts.map(({ id, name }) => ({ id, label: name }))
  return (
    <Form
      onSubmit={submit}
      error={create.error}
      fields={["name", "role"]}
      actions={
        <>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button type="submit" tone="primary" isPending={create.isPending}>{sessions.create}</Button>
        </>
      }
    >
      <TextField
        label={sessions.name}
        name="name"
        value={name}
        onChange={setName}
        description={sessions.nameHelp}
        isRequired
        autoFocus
      />
      <div className="stack tight">
        <Select
          label={sessions.role}
          options={roles.map((id) => ({ id, label: shell.roles[id] }))}
          value={role}
          onChange={setRole}
        />
        <p className="small muted">{sessions.roleHelp[role]}</p>
      </div>
      {account_id === null && (
        <Select
          label={shell.account}
          options={[{ id: "", label: sessions.allAccounts }, ...choices]}
          value={account}
          onChange={setAccount}
        />
      )}
    </Form>
  )
}

const Created = ({ link, onClose }: { readonly link: NewLink; readonly onClose: () => void }) => {
  const { common, sessions, shell } = useTexts()
  return (
    <>
      <Notice tone="warn" title={sessions.once}>
        <p>{sessions.onceHelp}</p>
        <CopyId id={addressOf(link)} label={sessions.link} />
        <p>
          {shell.roles[link.role]}: <Foreign text={link.name} />. {sessions.worksUntil} <Time at={link.expires_at} />.
        </p>
      </Notice>
      <DialogActions>
        <Button tone="primary" onPress={onClose}>{common.close}</Button>
      </DialogActions>
    </>
  )
}
