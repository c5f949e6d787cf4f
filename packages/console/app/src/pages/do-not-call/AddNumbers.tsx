/** Adds some numbers, all or none. */
import { useState } from "react"
import { useAccountChange } from "../../data/Account.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Form, TextField } from "../../ui/Form.tsx"
import { toast } from "../../ui/Toasts.tsx"

interface Addition {
  readonly added: number
  readonly canceled: number
}

/** What opens and closes a dialog. */
export interface Opened {
  readonly isOpen: boolean
  readonly onClose: () => void
}

export const AddNumbers = ({ isOpen, onClose }: Opened) => {
  const { common, doNotCall } = useTexts()
  const [text, setText] = useState("")
  const add = useAccountChange<Addition, ReadonlyArray<string>>({
    request: (phone_numbers) => ({ path: "v1/do_not_call", body: { phone_numbers } }),
    changes: ["do_not_call"],
    onSuccess: ({ added, canceled }) => {
      toast(doNotCall.addedNow(added, canceled))
      close()
    }
  })
  const close = () => {
    setText("")
    add.reset()
    onClose()
  }
  const numbers = text.split(/[\n,;]/).map((line) => line.trim()).filter((line) => line !== "")
  return (
    <Dialog title={doNotCall.add} isOpen={isOpen} onClose={close}>
      <Form
        onSubmit={() => add.mutate(numbers)}
        error={add.error}
        actions={
          <>
            <Button onPress={close}>{common.cancel}</Button>
            <Button type="submit" tone="primary" isDisabled={numbers.length === 0} isPending={add.isPending}>
              {doNotCall.addCount(numbers.length)}
            </Button>
          </>
        }
      >
        <TextField
          label={doNotCall.numbers}
          description={doNotCall.numbersHelp}
          value={text}
          onChange={setText}
          rows={6}
          isRequired
        />
      </Form>
    </Dialog>
  )
}
