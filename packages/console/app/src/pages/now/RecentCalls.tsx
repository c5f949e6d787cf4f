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
import { PlainTable } from "../../ui/PlainTable.tsx"
import { useReason } from "../../ui/Reason.tsx"
import { StatusBadge } from "../../ui/StatusBadge.tsx"
import { Duration, Time } from "../../ui/Time.tsx"

export const RecentCalls = ({ query }: { readonly query: UseQueryResult<List<Call>> }) => {
  const { calls, now } = useTexts()
  const account = useAccountId()
  const reason = useReason()
  return (
    <Card title={now.recentCalls} actions={<Link to={`/${account}/calls`}>{calls.showAll}</Link>}>
      <Loaded query={query} lines={5}>
        {({ data }) =>
          data.length === 0
            ? <p className="muted">{calls.noneYet}</p>
            : (
              <PlainTable
                label={now.recentCalls}
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  {
                    id: "number",
                    title: calls.columns.number,
                    isRowHeader: true,
                    isNarrow: true,
                    cell: ({ id, phone_number }) => (
                      <Link to={`/${account}/calls/${id}`}>
                        <PhoneNumber number={phone_number} />
                      </Link>
                    )
                  },
                  {
                    id: "contact",
                    title: calls.columns.contact,
                    cell: ({ contact }) => contact.name !== undefined && <Foreign text={contact.name} isLine />
                  },
                  {
                    id: "status",
                    title: calls.columns.status,
                    isBeside: true,
                    isNarrow: true,
                    cell: ({ status }) => <StatusBadge status={status} />
                  },
                  {
                    id: "result",
                    title: calls.columns.result,
                    cell: (call) => resultOf(call, reason)
                  },
                  {
                    id: "created",
                    title: calls.columns.created,
                    isNarrow: true,
                    isWide: true,
                    cell: ({ created_at }) => <Time at={created_at} />
                  }
                ]}
              />
            )}
      </Loaded>
    </Card>
  )
}

/** What came of it: the disposition, the duration, or why not. */
const resultOf = (
  { duration_seconds, outcome, status_code, status_reason }: Call,
  reason: ReturnType<typeof useReason>
) => {
  if (outcome !== null) return <Foreign text={outcome.disposition} isLine />
  if (status_code !== undefined) return <Foreign text={reason(status_code, status_reason)} isLine />
  return (duration_seconds ?? 0) > 0 && <Duration seconds={duration_seconds ?? 0} />
}
