/** The verdict of every calling rule: whether the call may be dialed now, and from when on. */
import type { Explanation, Verdict } from "../data/Wire.ts"
import { useFormat } from "../texts/Format.ts"
import { useTexts } from "../texts/Language.tsx"
import { Foreign } from "./Foreign.tsx"
import { Notice, type NoticeTone } from "./Notice.tsx"
import { type PlainColumn, PlainTable } from "./PlainTable.tsx"
import { useReason } from "./Reason.tsx"
import { ruleDataText } from "./RuleData.ts"
import { Badge } from "./StatusBadge.tsx"
import { Time } from "./Time.tsx"

const tones: Readonly<Record<Explanation["decision"], NoticeTone>> = {
  dial: "good",
  wait: "warn",
  refuse: "bad",
  none: "info"
}

/** The decision, in one sentence. */
export const Decision = ({ explanation }: { readonly explanation: Explanation }) => {
  const { rules } = useTexts()
  const reason = useReason()
  const { code, decision, scheduled_for, worker_alive } = explanation
  return (
    <Notice tone={tones[decision]} title={rules.decisions[decision]}>
      {code !== undefined && <Foreign text={reason(code, explanation.reason)} />}
      {scheduled_for !== undefined && (
        <div>
          {rules.from} <Time at={scheduled_for} isRelative />
        </div>
      )}
      {worker_alive === false && <div>{rules.noWorker}</div>}
    </Notice>
  )
}

export interface RuleTableProps {
  readonly rules: ReadonlyArray<Verdict>
  /** They were decided in the past. */
  readonly isPast?: boolean
}

export const RuleTable = ({ isPast = false, rules: verdicts }: RuleTableProps) => {
  const texts = useTexts()
  const { rules } = texts
  const words = { texts, format: useFormat() }
  const reason = useReason()
  const from: PlainColumn<Verdict> = {
    id: "from",
    title: rules.allowedFrom,
    cell: ({ next_allowed_at }) =>
      next_allowed_at !== undefined && (
        <div>
          <Time at={next_allowed_at} isRelative />
        </div>
      )
  }
  return (
    <PlainTable
      label={rules.rule}
      rows={[...verdicts].sort(holdsFirst)}
      keyOf={({ rule }) => rule}
      columns={[
        {
          id: "rule",
          title: rules.rule,
          isRowHeader: true,
          cell: ({ rule }) => rules.names[rule as keyof typeof rules.names] ?? reason(rule, rule.replaceAll("_", " "))
        },
        {
          id: "verdict",
          title: rules.verdict,
          isBeside: true,
          isNarrow: true,
          cell: ({ allows }) =>
            allows
              ? <Badge tone="good" icon="check">{isPast ? rules.allowed : rules.allows}</Badge>
              : <Badge tone="warn" icon="clock">{isPast ? rules.held : rules.holds}</Badge>
        },
        ...(isPast ? [] : [from]),
        {
          id: "data",
          title: rules.data,
          cell: ({ data }) => {
            const text = ruleDataText(data, words)
            return text !== "" && (
              <div className="small muted">
                <Foreign text={text} />
              </div>
            )
          }
        }
      ]}
    />
  )
}

const holdsFirst = (one: Verdict, other: Verdict): number => Number(one.allows) - Number(other.allows)
