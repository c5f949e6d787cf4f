/** The last calls, live. */
import type { UseQueryResult } from "@tanstack/react-query"
import { Link } from "react-router"
import { useAccountId } from "../../data/Account.ts"
import type { Call, List } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Card } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { PhoneNumber } from "../../ui/PhoneNumber.tsx"
import { useReason } from "../../ui/Reason.tsx"
import { StatusBadge } from "../../ui/StatusBadge.tsx"
import { Duration, Time } from "../../ui/Time.tsx"

export const RecentCalls = ({ query }: { readonly query: UseQueryResult<List<Call>> }) => {
  const { calls, now } = useTexts()
  const account = useAccountId()
  return (
    <Card title={now.recentCalls} actions={<Link to={`/${account}/calls`}>{calls.showAll}</Link>}>
      <Loaded query={query} lines={5}>
        {({ data }) =>
          data.length === 0
            ? <p className="muted">{calls.noneYet}</p>
            : (
              <div className="table-scroll">
                <table className="plain-table">
                  <thead>
                    <tr>
                      <th scope="col">{calls.columns.number}</th>
                      <th scope="col">{calls.columns.contact}</th>
                      <th scope="col">{calls.columns.status}</th>
                      <th scope="col">{calls.columns.result}</th>
                      <th scope="col">{calls.columns.created}</th>
                    </tr>
                  </thead>
                  <tbody>{data.map((call) => <RecentCall key={call.id} call={call} />)}</tbody>
                </table>
              </div>
            )}
      </Loaded>
    </Card>
  )
}

const RecentCall = ({ call }: { readonly call: Call }) => {
  const account = useAccountId()
  return (
    <tr>
      <td>
        <Link to={`/${account}/calls/${call.id}`}>
          <PhoneNumber number={call.phone_number} />
        </Link>
      </td>
      <td>{call.contact.name !== undefined && <Foreign text={call.contact.name} />}</td>
      <td>
        <StatusBadge status={call.status} />
      </td>
      <td>
        <CallResult call={call} />
      </td>
      <td>
        <Time at={call.created_at} />
      </td>
    </tr>
  )
}

/** What came of it: the disposition, the duration, or why not. */
const CallResult = ({ call }: { readonly call: Call }) => {
  const reason = useReason()
  if (call.outcome !== null) return <Foreign text={call.outcome.disposition} />
  if (call.status_code !== undefined) {
    return <span className="muted">{reason(call.status_code, call.status_reason)}</span>
  }
  if ((call.duration_seconds ?? 0) > 0) return <Duration seconds={call.duration_seconds ?? 0} />
  return null
}
