/** Creates a key and shows it, once. */
import { useState } from "react"
import { Checkbox as AriaCheckbox, CheckboxGroup, FieldError, Label } from "react-aria-components"
import { useAccountChange } from "../../data/Account.ts"
import type { Key, NewKey } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { CopyId } from "../../ui/CopyId.tsx"
import { Dialog, DialogActions } from "../../ui/Dialog.tsx"
import { Form, TextField } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Select } from "../../ui/Select.tsx"

const scopes: ReadonlyArray<Key["scopes"][number]> = [
  "calls:write",
  "calls:read",
  "webhooks:manage",
  "do_not_call:manage",
  "agents:manage"
]

const lifetimes = ["never", "30", "90", "365"] as const

export const CreateKey = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const { common, keys } = useTexts()
  const [name, setName] = useState("")
  const [chosen, setChosen] = useState<ReadonlyArray<string>>(["calls:write", "calls:read"])
  const [days, setDays] = useState<(typeof lifetimes)[number]>("never")
  const create = useAccountChange<NewKey>({
    request: () => ({
      path: "keys",
      body: {
        name: name.trim(),
        scopes: chosen,
        ...(days !== "never" && { expires_at: new Date(Date.now() + Number(days) * 86_400_000).toISOString() })
      }
    }),
    changes: ["keys"]
  })
  const close = () => {
    setName("")
    create.reset()
    onClose()
  }
  return (
    <Dialog title={keys.create} isOpen={isOpen} onClose={close}>
      {create.data === undefined
        ? (
          <Form
            onSubmit={() => create.mutate()}
            error={create.error}
            fields={["name", "scopes"]}
            actions={
              <>
                <Button onPress={close}>{common.cancel}</Button>
                <Button type="submit" tone="primary" isPending={create.isPending}>{keys.create}</Button>
              </>
            }
          >
            <TextField
              label={keys.name}
              name="name"
              value={name}
              onChange={setName}
              description={keys.nameHelp}
              isRequired
            />
            <CheckboxGroup className="field" name="scopes" value={[...chosen]} onChange={setChosen} isRequired>
              <Label>{keys.scopes}</Label>
              {scopes.map((scope) => (
                <AriaCheckbox key={scope} value={scope} className="check">
                  <span className="box" aria-hidden="true">
                    <Icon name="check" size={14} />
                  </span>
                  <span>
                    {keys.scopeNames[scope]} <code className="muted">{scope}</code>
                  </span>
                </AriaCheckbox>
              ))}
              <FieldError className="field-error" />
            </CheckboxGroup>
            <Select
              label={keys.expires}
              options={lifetimes.map((id) => ({ id, label: id === "never" ? keys.never : keys.days(Number(id)) }))}
              value={days}
              onChange={setDays}
            />
          </Form>
        )
        : (
          <>
            <Notice tone="warn" title={keys.once}>
              <p>{keys.onceHelp}</p>
              <CopyId id={create.data.api_key} label={keys.key} />
            </Notice>
            <DialogActions>
              <Button tone="primary" onPress={close}>{common.close}</Button>
            </DialogActions>
          </>
        )}
    </Dialog>
  )
}
