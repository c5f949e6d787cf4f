/** One delivery: its event and every attempt with the answer of the receiver. */
import { Link } from "react-router"
import { useAccountChange, useAccountId } from "../../data/Account.ts"
import type { Delivery } from "../../data/Wire.ts"
import { useFormat } from "../../texts/Format.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Facts } from "../../ui/Card.tsx"
import { CopyId } from "../../ui/CopyId.tsx"
import { Dialog, DialogActions } from "../../ui/Dialog.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { PlainTable } from "../../ui/PlainTable.tsx"
import { Time } from "../../ui/Time.tsx"
import { toast } from "../../ui/Toasts.tsx"

export interface DeliveryDialogProps {
  readonly delivery: Delivery
  readonly onClose: () => void
}

export const DeliveryDialog = ({ delivery, onClose }: DeliveryDialogProps) => {
  const account = useAccountId()
  const { common, webhook } = useTexts()
  const { attempts, call_id, event_id, next_attempt_at, state, type } = delivery
  const redeliver = useAccountChange({
    request: () => ({ path: `events/${event_id}/redeliver` }),
    changes: ["deliveries", "overview"],
    onSuccess: () => toast(webhook.redelivered)
  })
  return (
    <Dialog title={type} isOpen isWide onClose={onClose}>
      <Facts
        facts={[
          [webhook.state, webhook.states[state]],
          [webhook.event, <CopyId key="event" id={event_id} label={webhook.event} />],
          [webhook.call, call_id !== undefined && <Link to={`/${account}/calls/${call_id}`}>{call_id}</Link>],
          [webhook.nextAttempt, next_attempt_at !== undefined && <Time at={next_attempt_at} isRelative />]
        ]}
      />
      {attempts.length === 0 ? <p className="muted">{webhook.noAttempts}</p> : <Attempts attempts={attempts} />}
      {redeliver.error !== null && <ErrorNotice error={redeliver.error} />}
      <DialogActions>
        <Button onPress={onClose}>{common.close}</Button>
        <Button tone="primary" isPending={redeliver.isPending} onPress={() => redeliver.mutate()}>
          {webhook.redeliver}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const Attempts = ({ attempts }: Pick<Delivery, "attempts">) => {
  const { webhook } = useTexts()
  const format = useFormat()
  return (
    <PlainTable
      label={webhook.attempts}
      rows={attempts}
      keyOf={({ attempt }) => attempt}
      columns={[
        {
          id: "at",
          title: webhook.at,
          isRowHeader: true,
          cell: ({ created_at }) => <Time at={created_at} form="clock" />
        },
        { id: "cause", title: webhook.cause, cell: ({ cause }) => webhook.causes[cause] },
        {
          id: "answer",
          title: webhook.answer,
          cell: ({ error_code, status_code }) => (
            <span>
              {status_code} {error_code !== undefined && <code>{error_code}</code>}
            </span>
          )
        },
        {
          id: "duration",
          title: webhook.duration,
          isEnd: true,
          cell: ({ duration_ms }) => `${format.number(duration_ms)} ms`
        }
      ]}
    />
  )
}
