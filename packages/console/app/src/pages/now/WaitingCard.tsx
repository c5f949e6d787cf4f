/** Waiting calls by what holds them. */
import { Link } from "react-router"
import { useAccountId } from "../../data/Account.ts"
import type { Overview } from "../../data/Wire.ts"
import { useFormat } from "../../texts/Format.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Card } from "../../ui/Card.tsx"
import { PlainTable } from "../../ui/PlainTable.tsx"
import { useReason } from "../../ui/Reason.tsx"
import { Time } from "../../ui/Time.tsx"

export const WaitingCard = ({ overview }: { readonly overview: Overview }) => {
  const { calls, now } = useTexts()
  const format = useFormat()
  const reason = useReason()
  const account = useAccountId()
  const isEstimate = !overview.waiting_exact
  return (
    <Card
      title={now.waitingCalls}
      actions={<Link to={`/${account}/calls?status=queued`}>{calls.showAll}</Link>}
    >
      {overview.waiting.length === 0
        ? <p className="muted">{now.noneWaiting}</p>
        : (
          <PlainTable
            label={now.waitingCalls}
            rows={overview.waiting}
            keyOf={({ status_code }) => status_code ?? ""}
            columns={[
              {
                id: "reason",
                title: now.heldByColumn,
                isRowHeader: true,
                cell: (group) => reason(group.status_code, group.reason)
              },
              {
                id: "calls",
                title: now.callsColumn,
                isEnd: true,
                isBeside: true,
                isNarrow: true,
                cell: (group) => `${isEstimate ? "≈ " : ""}${format.number(group.calls)}`
              },
              {
                id: "due",
                title: now.firstDue,
                cell: ({ first_due }) => first_due !== null && <Time at={first_due} isRelative />
              }
            ]}
          />
        )}
      {isEstimate && <p className="muted small">{now.estimate}</p>}
    </Card>
  )
}
