/** The events of the call and their deliveries; each can be sent again. */
import type { UseQueryResult } from "@tanstack/react-query"
import { useAccountChange } from "../../data/Account.ts"
import type { Timeline, TimelineItem } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { CopyId } from "../../ui/CopyId.tsx"
import { errorText } from "../../ui/ErrorNotice.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { Badge, type BadgeTone } from "../../ui/StatusBadge.tsx"
import { Time } from "../../ui/Time.tsx"
import { toast } from "../../ui/Toasts.tsx"

type EventItem = Extract<TimelineItem, { readonly kind: "event" }>
type Attempt = Extract<TimelineItem, { readonly kind: "delivery" }>

export const EventsCard = ({ timeline }: { readonly timeline: UseQueryResult<Timeline> }) => {
  const { call } = useTexts()
  return (
    <Card title={call.events}>
      <Loaded query={timeline} lines={3}>
        {({ items }) => {
          const events = items.filter((item) => item.kind === "event")
          const attempts = items.filter((item) => item.kind === "delivery")
          return events.length === 0
            ? <p className="muted">{call.noEvents}</p>
            : (
              <div className="stack tight">
                {events.map((event) => (
                  <EventRow
                    key={event.event_id}
                    event={event}
                    attempts={attempts.filter(({ event_id }) => event_id === event.event_id)}
                  />
                ))}
              </div>
            )
        }}
      </Loaded>
    </Card>
  )
}

interface EventRowProps {
  readonly event: EventItem
  readonly attempts: ReadonlyArray<Attempt>
}

const tones: Readonly<Record<Attempt["state"], BadgeTone>> = {
  pending: "quiet",
  sending: "accent",
  delivered: "good",
  exhausted: "bad",
  held: "warn",
  dropped: "quiet"
}

const EventRow = ({ attempts, event }: EventRowProps) => {
  const texts = useTexts()
  const { call } = texts
  const redeliver = useAccountChange({
    request: () => ({ path: `events/${event.event_id}/redeliver` }),
    changes: ["call", "deliveries"],
    onSuccess: () => toast(call.redelivered)
  })
  const last = attempts.at(-1)
  return (
    <div className="event stack tight">
      <div className="row apart">
        <div className="row">
          <code>{event.type}</code>
          {last !== undefined && <Badge tone={tones[last.state]}>{call.deliveryStates[last.state]}</Badge>}
        </div>
        <span className="small numeric">
          <Time at={event.at} form="clock" />
        </span>
      </div>
      <div className="row apart">
        <CopyId id={event.event_id} label={call.eventId} />
        <RoleGate role="operator">
          <Button
            isCompact
            isPending={redeliver.isPending}
            onPress={() => redeliver.mutate(undefined, { onError: (error) => toast(errorText(error, texts), "bad") })}
          >
            {call.redeliver}
          </Button>
        </RoleGate>
      </div>
      {attempts.length === 0
        ? <span className="muted small">{call.noDelivery}</span>
        : (
          <ul className="small stack tight">
            {attempts.map((attempt) => (
              <li key={`${attempt.delivery_id} ${attempt.attempt} ${attempt.at}`} className="row">
                <Time at={attempt.at} form="clock" />
                <span>{call.attempt(attempt.attempt, call.causes[attempt.cause])}</span>
                <span>
                  {attempt.status_code === null
                    ? <Foreign text={attempt.error_code ?? ""} />
                    : `HTTP ${attempt.status_code}`}
                </span>
                <span className="muted">{`${attempt.duration_ms} ms`}</span>
              </li>
            ))}
          </ul>
        )}
    </div>
  )
}
