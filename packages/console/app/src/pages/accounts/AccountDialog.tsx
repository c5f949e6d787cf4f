/** Creates an account, or changes its name and its lines. */
import { useState } from "react"
import { FieldError, Group, Input, Label, NumberField, Text } from "react-aria-components"
import { accountPath } from "../../data/Account.ts"
import { useDeploymentChange } from "../../data/Deployment.ts"
import type { Account } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Form, TextField } from "../../ui/Form.tsx"

/** The largest number of lines of an account, as the server checks it. */
const mostLines = 10_000

export interface AccountDialogProps {
  /** Absent for a new one. */
  readonly account?: Account
  readonly onClose: () => void
}

export const AccountDialog = ({ account, onClose }: AccountDialogProps) => {
  const { accounts, common } = useTexts()
  const [name, setName] = useState(account?.name ?? "")
  const [lines, setLines] = useState(account?.lines ?? 5)
  const save = useDeploymentChange<Account>()
  const submit = () =>
    save.mutate(
      account === undefined
        ? { path: "accounts", body: { name: name.trim(), lines } }
        : { path: accountPath(account.id, "").replace(/\/$/, ""), method: "PATCH", body: { name: name.trim(), lines } },
      { onSuccess: onClose }
    )
  return (
    <Dialog title={account === undefined ? accounts.create : accounts.edit} isOpen onClose={onClose}>
      <Form
        onSubmit={submit}
        error={save.error}
        fields={["name", "lines"]}
        actions={
          <>
            <Button onPress={onClose}>{common.cancel}</Button>
            <Button type="submit" tone="primary" isPending={save.isPending}>{common.save}</Button>
          </>
        }
      >
        <TextField label={accounts.name} name="name" value={name} onChange={setName} isRequired />
        <NumberField className="field" name="lines" value={lines} onChange={setLines} minValue={0} maxValue={mostLines}>
          <Label>{accounts.lines}</Label>
          <Group>
            <Input className="input" />
          </Group>
          <Text slot="description" className="description">{accounts.linesHelp}</Text>
          <FieldError className="field-error" />
        </NumberField>
      </Form>
    </Dialog>
  )
}
