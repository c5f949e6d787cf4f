/** The verdict of every rule on a waiting call. */
import { useAccountQuery } from "../../data/Account.ts"
import type { Call, Explanation } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Card } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { RuleTable } from "../../ui/Rules.tsx"

export const RulesCard = ({ call: { id, status } }: { readonly call: Call }) => {
  const { call } = useTexts()
  const explanation = useAccountQuery<Explanation>("call", `v1/calls/${encodeURIComponent(id)}/explanation`, {
    id,
    enabled: status === "queued",
    // The rules also change with the time of day.
    refetchInterval: 30_000
  })
  if (status !== "queued") return null
  return (
    <Card title={call.rules}>
      <Loaded query={explanation} lines={6}>
        {({ rules, time_zones, worker_alive }) => (
          <>
            {time_zones.length > 0 && (
              <p className="muted small">
                {call.zones} <Foreign text={time_zones.join(", ")} />
              </p>
            )}
            {worker_alive === false && <p>{call.noWorker}</p>}
            <RuleTable rules={rules} />
          </>
        )}
      </Loaded>
    </Card>
  )
}
