/** The present endpoint, and what an administrator may do with it. */
import { useState } from "react"
import { useAccountChange } from "../../data/Account.ts"
import type { Webhook, WebhookTest } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card, Facts } from "../../ui/Card.tsx"
import { ConfirmButton, Dialog } from "../../ui/Dialog.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { Badge } from "../../ui/StatusBadge.tsx"
import { Time } from "../../ui/Time.tsx"
import { EndpointForm } from "./EndpointForm.tsx"

export interface EndpointProps {
  readonly webhook: Webhook
  readonly onSecret: (secret: string) => void
}

export const Endpoint = ({ onSecret, webhook: present }: EndpointProps) => {
  const { webhook } = useTexts()
  const { disabled_at, disabled_reason, enabled, events, previous_secret_expires_at, secret_hint, url } = present
  const enable = useAccountChange<Webhook, boolean>({
    request: (isEnabled) => ({ path: "v1/webhook", method: "PUT", body: { url, events, enabled: isEnabled } }),
    changes: ["webhook", "deliveries", "overview"]
  })
  return (
    <Card
      title={webhook.endpoint}
      actions={enabled
        ? <Badge tone="good" icon="check">{webhook.enabled}</Badge>
        : <Badge tone="warn" icon="close">{webhook.disabled}</Badge>}
    >
      {!enabled && (
        <Notice
          tone="warn"
          title={disabled_reason === undefined ? webhook.disabledByYou : webhook.disabledBecause[disabled_reason]}
          actions={
            <RoleGate role="admin">
              <Button isCompact isPending={enable.isPending} onPress={() => enable.mutate(true)}>
                {webhook.enable}
              </Button>
            </RoleGate>
          }
        >
          {disabled_at !== undefined && <Time at={disabled_at} isRelative />} {webhook.heldHelp}
        </Notice>
      )}
      {enable.error !== null && <ErrorNotice error={enable.error} />}
      <Facts
        facts={[
          [webhook.url, <Foreign key="url" text={url} />],
          [webhook.events, events.join(", ")],
          [webhook.secret, <code key="secret">{secret_hint}</code>],
          [
            webhook.previousSecret,
            previous_secret_expires_at !== undefined && <Time at={previous_secret_expires_at} isRelative />
          ]
        ]}
      />
      <RoleGate role="admin">
        <Actions webhook={present} onSecret={onSecret} onDisable={() => enable.mutateAsync(false)} />
      </RoleGate>
    </Card>
  )
}

const Actions = (
  { onDisable, onSecret, webhook: present }: EndpointProps & { readonly onDisable: () => Promise<unknown> }
) => {
  const { webhook } = useTexts()
  const [isEditing, setIsEditing] = useState(false)
  const test = useAccountChange<WebhookTest>({ request: () => ({ path: "v1/webhook/test" }), changes: [] })
  const rotate = useAccountChange<Webhook>({
    request: () => ({ path: "v1/webhook/rotate-secret", body: {} }),
    changes: ["webhook"],
    onSuccess: ({ secret }) => {
      if (secret !== undefined) onSecret(secret)
    }
  })
  const remove = useAccountChange({
    request: () => ({ path: "v1/webhook", method: "DELETE" }),
    changes: ["webhook", "deliveries", "overview"]
  })
  return (
    <>
      {test.error !== null && <ErrorNotice error={test.error} />}
      {test.data !== undefined && <TestResult test={test.data} />}
      <div className="row">
        <Button onPress={() => setIsEditing(true)}>{webhook.edit}</Button>
        <Button isPending={test.isPending} isDisabled={!present.enabled} onPress={() => test.mutate()}>
          {webhook.test}
        </Button>
        <ConfirmButton
          label={webhook.rotate}
          title={webhook.rotate}
          confirmLabel={webhook.rotate}
          onConfirm={() => rotate.mutateAsync()}
        >
          {webhook.rotateHelp}
        </ConfirmButton>
        {present.enabled && (
          <ConfirmButton
            label={webhook.disable}
            title={webhook.disable}
            confirmLabel={webhook.disable}
            onConfirm={onDisable}
          >
            {webhook.disableHelp}
          </ConfirmButton>
        )}
        <span className="last">
          <ConfirmButton
            label={webhook.remove}
            isDangerous
            title={webhook.remove}
            confirmLabel={webhook.remove}
            onConfirm={() => remove.mutateAsync()}
          >
            {webhook.removeHelp}
          </ConfirmButton>
        </span>
      </div>
      <Dialog title={webhook.edit} isOpen={isEditing} onClose={() => setIsEditing(false)}>
        <EndpointForm webhook={present} onSecret={onSecret} onDone={() => setIsEditing(false)} />
      </Dialog>
    </>
  )
}

const TestResult = ({ test }: { readonly test: WebhookTest }) => {
  const { webhook } = useTexts()
  return test.delivered
    ? <Notice tone="good">{webhook.testDelivered(test.status_code ?? 0, test.duration_ms)}</Notice>
    : (
      <Notice tone="bad" title={webhook.testFailed}>
        {test.status_code !== undefined && <p>{webhook.answered(test.status_code)}</p>}
        {test.error_code !== undefined && <code>{test.error_code}</code>}
      </Notice>
    )
}
