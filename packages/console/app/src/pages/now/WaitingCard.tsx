/** Waiting calls by what holds them. */
import { Link } from "react-router"
import { useAccountId } from "../../data/Account.ts"
import type { Overview } from "../../data/Wire.ts"
import { useFormat } from "../../texts/Format.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Card } from "../../ui/Card.tsx"
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
          <div className="table-scroll">
            <table className="plain-table">
              <thead>
                <tr>
                  <th scope="col">{now.heldByColumn}</th>
                  <th scope="col" className="end">{now.callsColumn}</th>
                  <th scope="col">{now.firstDue}</th>
                </tr>
              </thead>
              <tbody>
                {overview.waiting.map((group) => (
                  <tr key={group.status_code ?? ""}>
                    <td>{reason(group.status_code, group.reason)}</td>
                    <td className="end">
                      {isEstimate ? `≈ ${format.number(group.calls)}` : format.number(group.calls)}
                    </td>
                    <td>{group.first_due === null ? "–" : <Time at={group.first_due} isRelative />}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      {isEstimate && <p className="muted small">{now.estimate}</p>}
    </Card>
  )
}
