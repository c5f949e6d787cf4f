/** Deliveries by state, newest first; the attempts of one; sending again one event, or all that failed since a time. */
import { useState } from "react"
import { useSearchParams } from "react-router"
import { useAccountChange } from "../../data/Account.ts"
import { useAccountPages } from "../../data/Pages.ts"
import type { Delivery, Recovery } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { type DataColumn, DataTable } from "../../ui/DataTable.tsx"
import { ConfirmButton } from "../../ui/Dialog.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Select } from "../../ui/Select.tsx"
import { Badge, type BadgeTone } from "../../ui/StatusBadge.tsx"
import { Time } from "../../ui/Time.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { DeliveryDialog } from "./DeliveryDialog.tsx"

const states = ["pending", "sending", "delivered", "exhausted", "held", "dropped"] as const

const tones: Readonly<Record<Delivery["state"], BadgeTone>> = {
  pending: "accent",
  sending: "accent",
  delivered: "good",
  exhausted: "bad",
  held: "warn",
  dropped: "quiet"
}

const isState = (text: string | null): text is Delivery["state"] => states.some((state) => state === text)

export const Deliveries = () => {
  const { webhook } = useTexts()
  const [search, setSearch] = useSearchParams()
  const chosen = search.get("state")
  const state = isState(chosen) ? chosen : undefined
  const [openedId, setOpenedId] = useState<string>()
  const { error, refetch, ...list } = useAccountPages<Delivery>("deliveries", "v1/webhook/deliveries", { state })
  const opened = list.rows.find(({ id }) => id === openedId)
  const filter = (value: Delivery["state"] | "all") =>
    setSearch((before) => {
      const after = new URLSearchParams(before)
      if (value === "all") after.delete("state")
      else after.set("state", value)
      return after
    }, { replace: true })
  if (error !== null && list.rows.length === 0) return <ErrorNotice error={error} onRetry={refetch} />
  const columns: ReadonlyArray<DataColumn<Delivery>> = [
    { id: "event", title: webhook.event, isRowHeader: true, width: "2fr", cell: ({ type }) => <code>{type}</code> },
    {
      id: "state",
      title: webhook.state,
      width: 168,
      isSecondLine: true,
      cell: (delivery) => <Badge tone={tones[delivery.state]}>{webhook.states[delivery.state]}</Badge>
    },
    { id: "at", title: webhook.at, isSecondLine: true, cell: ({ created_at }) => <Time at={created_at} /> },
    { id: "attempts", title: webhook.attempts, isEnd: true, isWide: true, cell: ({ attempts }) => attempts.length },
    {
      id: "details",
      title: webhook.details,
      width: 110,
      isEnd: true,
      cell: ({ id }) => <Button tone="quiet" isCompact onPress={() => setOpenedId(id)}>{webhook.details}</Button>
    }
  ]
  return (
    <div className="stack">
      <div className="row apart">
        <Select
          label={webhook.state}
          isLabelHidden
          options={[
            { id: "all", label: webhook.allStates },
            ...states.map((id) => ({ id, label: webhook.states[id] }))
          ]}
          value={state ?? "all"}
          onChange={filter}
        />
        <Recover />
      </div>
      <div className="list-height">
        <DataTable
          label={webhook.deliveries}
          columns={columns}
          keyOf={({ id }) => id}
          empty={<EmptyState title={webhook.noDeliveries} />}
          {...list}
        />
      </div>
      {opened !== undefined && <DeliveryDialog delivery={opened} onClose={() => setOpenedId(undefined)} />}
    </div>
  )
}

const hours = (count: number) => new Date(Date.now() - count * 3_600_000).toISOString()

/** Sends everything again that was not delivered in a window that ends now. */
const Recover = () => {
  const { webhook } = useTexts()
  const [since, setSince] = useState<"1" | "24" | "720">("24")
  const recover = useAccountChange<Recovery>({
    request: () => ({ path: "events/recover", body: { since: hours(Number(since)) } }),
    changes: ["deliveries", "overview"],
    onSuccess: ({ events }) => toast(webhook.recovered(events))
  })
  return (
    <ConfirmButton
      label={webhook.recover}
      title={webhook.recover}
      confirmLabel={webhook.recover}
      onConfirm={() => recover.mutateAsync()}
    >
      <p>{webhook.recoverHelp}</p>
      <Select
        label={webhook.since}
        options={[
          { id: "1", label: webhook.lastHour },
          { id: "24", label: webhook.lastDay },
          { id: "720", label: webhook.lastMonth }
        ]}
        value={since}
        onChange={setSince}
      />
    </ConfirmButton>
  )
}
