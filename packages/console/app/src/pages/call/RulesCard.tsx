/** The verdict of every rule: now, on a waiting call; on another when it was dialed, or ended by the rules. */
import { useAccountQuery } from "../../data/Account.ts"
import type { Call, Explanation } from "../../data/Wire.ts"
import { type Texts, useTexts } from "../../texts/Language.tsx"
import { Card } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { RuleTable } from "../../ui/Rules.tsx"
import { Time } from "../../ui/Time.tsx"

export const RulesCard = ({ call: shown }: { readonly call: Call }) => {
  const { call } = useTexts()
  const { id, status, test } = shown
  const isWaiting = status === "queued"
  const explanation = useAccountQuery<Explanation>("call", `v1/calls/${encodeURIComponent(id)}/explanation`, {
    id,
    // No rule applies to a test.
    enabled: !test,
    // The rules also change with the time of day.
    ...(isWaiting && { refetchInterval: 30_000 })
  })
  if (test) return null
  return (
    <Card title={titleOf(shown, call)}>
      <Loaded query={explanation} lines={6}>
        {({ decided_at, rules, time_zones, worker_alive }) => (
          <>
            {!isWaiting && (
              <p className="muted small">
                {decided_at === undefined ? undecided(shown, call) : (
                  <>
                    {call.asOf} <Time at={decided_at} />
                  </>
                )}
              </p>
            )}
            {isWaiting && time_zones.length > 0 && (
              <p className="muted small">
                {call.zones} <Foreign text={time_zones.join(", ")} />
              </p>
            )}
            {worker_alive === false && <p>{call.noWorker}</p>}
            {rules.length > 0 && <RuleTable rules={rules} isPast={!isWaiting} />}
          </>
        )}
      </Loaded>
    </Card>
  )
}

const titleOf = ({ dialed_at, status }: Call, { rules, rulesAtDial, rulesAtEnd }: Texts["call"]): string => {
  if (status === "queued") return rules
  return dialed_at === undefined ? rulesAtEnd : rulesAtDial
}

const undecided = ({ status }: Call, { noRuleDecided, rulesNotKept }: Texts["call"]): string =>
  status === "canceled" ? noRuleDecided : rulesNotKept
