/** What calls depend on: carriers, the processes that dial, and the receiver of the events. */
import { useAccountChange } from "../../data/Account.ts"
import type { OverviewCarrier } from "../../data/Overview.ts"
import type { Overview } from "../../data/Wire.ts"
import { useSession } from "../../data/Session.ts"
import { useFormat } from "../../texts/Format.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Card, Facts } from "../../ui/Card.tsx"
import { ConfirmButton } from "../../ui/Dialog.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { Badge } from "../../ui/StatusBadge.tsx"
import { Time } from "../../ui/Time.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { useOverviewChange } from "./OverviewChange.ts"

export const CarriersCard = ({ overview }: { readonly overview: Overview }) => {
  const { now } = useTexts()
  const format = useFormat()
  const failed = overview.today.not_connected["failed"] ?? 0
  return (
    <Card title={now.carriers}>
      {overview.carriers.map((carrier) => (
        <Carrier
          key={carrier.name}
          carrier={carrier}
          carriers={overview.carriers}
        />
      ))}
      <Facts
        facts={[
          [now.failedToday, format.number(failed)],
          [now.busyToday, format.number(overview.today.not_connected["busy"] ?? 0)],
          [now.noAnswerToday, format.number(overview.today.not_connected["no_answer"] ?? 0)],
          [now.workers, format.number(overview.workers)]
        ]}
      />
    </Card>
  )
}

interface CarrierProps {
  readonly carrier: OverviewCarrier
  readonly carriers: ReadonlyArray<OverviewCarrier>
}

const Carrier = ({ carrier, carriers }: CarrierProps) => {
  const show = useOverviewChange()
  const { now } = useTexts()
  const { account_id } = useSession()
  const resume = useAccountChange({
    request: () => ({ path: `carriers/${encodeURIComponent(carrier.name)}/resume` }),
    changes: ["carriers", "calls"],
    onSuccess: () => {
      toast(now.carrierResumed(carrier.name))
      void show({ carriers: carriers.map((one) => one.name === carrier.name ? { ...one, paused: false } : one) })
    }
  })
  const reason = [carrier.reason?.code, carrier.reason?.message].filter((part) => part !== undefined).join(" ")
  return (
    <div className="stack tight">
      <div className="row apart">
        <Foreign text={carrier.name} />
        {carrier.paused
          ? (
            <Badge tone="bad" icon="pause">
              {carrier.paused_by === "operator" ? now.pausedByOperator : now.pausedByFault}
            </Badge>
          )
          : <Badge tone="good" icon="check">{now.dials}</Badge>}
      </div>
      {carrier.paused && (
        <>
          {reason !== "" && <Foreign text={reason} />}
          {carrier.since !== null && (
            <div className="muted small">
              {now.since} <Time at={carrier.since} isRelative />
            </div>
          )}
          {account_id === null && (
            <RoleGate role="operator">
              <div>
                <ConfirmButton
                  label={now.resumeCarrier}
                  isCompact
                  title={now.resumeCarrierTitle(carrier.name)}
                  confirmLabel={now.resumeCarrier}
                  onConfirm={() => resume.mutateAsync()}
                >
                  <p>{now.resumeCarrierText}</p>
                </ConfirmButton>
              </div>
            </RoleGate>
          )}
        </>
      )}
    </div>
  )
}

export const WebhookCard = ({ overview: { webhook } }: { readonly overview: Overview }) => {
  const { now } = useTexts()
  const format = useFormat()
  const state = !webhook.configured
    ? <Badge>{now.webhookMissing}</Badge>
    : webhook.disabled
    ? <Badge tone="bad" icon="pause">{now.webhookDisabled}</Badge>
    : webhook.failing
    ? <Badge tone="warn" icon="warning">{now.webhookFailing}</Badge>
    : <Badge tone="good" icon="check">{now.webhookWorks}</Badge>
  return (
    <Card title={now.webhook} actions={state}>
      {webhook.configured
        ? (
          <Facts
            facts={[
              [now.openDeliveries, format.number(webhook.open_deliveries)],
              [now.oldestDue, webhook.oldest_due !== null && <Time at={webhook.oldest_due} isRelative />]
            ]}
          />
        )
        : <p className="muted">{now.webhookMissingText}</p>}
    </Card>
  )
}
