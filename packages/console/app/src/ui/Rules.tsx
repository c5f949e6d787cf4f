/** The verdict of every calling rule: whether the call may be dialed now, and from when on. */
import type { Explanation, Verdict } from "../data/Wire.ts"
import { useTexts } from "../texts/Language.tsx"
import { Foreign } from "./Foreign.tsx"
import { Notice, type NoticeTone } from "./Notice.tsx"
import { useReason } from "./Reason.tsx"
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

export const RuleTable = ({ rules: verdicts }: { readonly rules: ReadonlyArray<Verdict> }) => {
  const { rules } = useTexts()
  const reason = useReason()
  return (
    <div className="table-scroll">
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">{rules.rule}</th>
            <th scope="col">{rules.verdict}</th>
            <th scope="col">{rules.allowedFrom}</th>
            <th scope="col">{rules.data}</th>
          </tr>
        </thead>
        <tbody>
          {[...verdicts].sort(holdsFirst).map((verdict) => (
            <tr key={verdict.rule}>
              <td>
                {rules.names[verdict.rule as keyof typeof rules.names] ??
                  reason(verdict.rule, verdict.rule.replaceAll("_", " "))}
              </td>
              <td>
                {verdict.allows
                  ? <Badge tone="good" icon="check">{rules.allows}</Badge>
                  : <Badge tone="warn" icon="clock">{rules.holds}</Badge>}
              </td>
              <td>{verdict.next_allowed_at !== undefined && <Time at={verdict.next_allowed_at} isRelative />}</td>
              <td className="small muted">
                <Foreign text={dataText(verdict.data)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const holdsFirst = (one: Verdict, other: Verdict): number => Number(one.allows) - Number(other.allows)

/** Such as `time zones: America/New_York`. */
const dataText = (data: Verdict["data"]): string =>
  Object.entries(data).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${valueText(value)}`).join("\n")

const valueText = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(valueText).join(", ")
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value)
}
