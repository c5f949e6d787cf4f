/** Sets the webhook endpoint: its address and which events it gets. */
import { useState } from "react"
import { Checkbox as AriaCheckbox, CheckboxGroup, FieldError, Label } from "react-aria-components"
import { useAccountChange } from "../../data/Account.ts"
import type { EventKind, Webhook } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Form, TextField } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { toast } from "../../ui/Toasts.tsx"

export const eventKinds: ReadonlyArray<EventKind> = [
  "call.completed",
  "call.not_connected",
  "call.dialing",
  "call.in_progress",
  "batch.completed"
]

export interface EndpointFormProps {
  /** The present endpoint; absent for the first. */
  readonly webhook?: Webhook
  readonly onSecret: (secret: string) => void
  readonly onDone?: () => void
}

export const EndpointForm = ({ onDone, onSecret, webhook: present }: EndpointFormProps) => {
  const { common, webhook } = useTexts()
  const [url, setUrl] = useState(present?.url ?? "")
  const [events, setEvents] = useState<ReadonlyArray<string>>(
    present?.events ?? ["call.completed", "call.not_connected"]
  )
  const save = useAccountChange<Webhook>({
    request: () => ({
      path: "v1/webhook",
      method: "PUT",
      body: { url: url.trim(), events, enabled: present?.enabled ?? true }
    }),
    changes: ["webhook", "overview"],
    onSuccess: ({ secret }) => {
      if (secret !== undefined) onSecret(secret)
      toast(webhook.saved)
      onDone?.()
    }
  })
  return (
    <Form
      onSubmit={() => save.mutate()}
      error={save.error}
      fields={["url", "events"]}
      actions={
        <>
          {onDone !== undefined && <Button onPress={onDone}>{common.cancel}</Button>}
          <Button type="submit" tone="primary" isPending={save.isPending}>{common.save}</Button>
        </>
      }
    >
      <TextField
        label={webhook.url}
        name="url"
        type="url"
        value={url}
        onChange={setUrl}
        description={webhook.urlHelp}
        placeholder="https://example.com/hooks/calls"
        isRequired
      />
      <CheckboxGroup className="field" name="events" value={[...events]} onChange={setEvents}>
        <Label>{webhook.events}</Label>
        {eventKinds.map((kind) => (
          <AriaCheckbox key={kind} value={kind} className="check">
            <span className="box" aria-hidden="true">
              <Icon name="check" size={14} />
            </span>
            <span>
              <code>{kind}</code> <span className="muted">{webhook.kinds[kind]}</span>
            </span>
          </AriaCheckbox>
        ))}
        <FieldError className="field-error" />
      </CheckboxGroup>
    </Form>
  )
}
