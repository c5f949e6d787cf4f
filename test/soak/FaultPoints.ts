/**
 * Faults at the seams: a tracer that now and then freezes or kills its own process where the engine begins or ends a span,
 * which is between a claim and its fence, between the fence and the carrier, between an answer and its record.
 */
import { Tracer } from "effect"
import { writeSync } from "node:fs"
import type { SeededRandom } from "./SeededRandom.ts"

/** How often a span of this kind is hit; what lies around a dial more often than what is done all the time. */
const chances: ReadonlyArray<readonly [RegExp, number]> = [
  [/^Dispatcher\.(submit|dial)$/, 0.01],
  [/^(Storage\.claimDue|Storage\.submit|Storage\.returnToQueue|LineReports\.report|Janitor\.lookUp)$/, 0.003],
  [/^(Storage\.start(Call|Batch)|Storage\.settle\w+|Deliveries\.send|Storage\.claimDeliveries)$/, 0.002]
]

/** The line that reports that this process has frozen, until the run resumes it. */
export const frozen = "frozen at "
const killed = "killed at "

export const isFault = (line: string): boolean => line.startsWith(frozen) || line.startsWith(killed)

export const tracer = (random: SeededRandom, isCalm: () => boolean): Tracer.Tracer => {
  const strike = (name: string) => {
    const chance = chances.find(([names]) => names.test(name))?.[1] ?? 0
    if (!random.chance(chance) || isCalm()) return
    const kills = random.chance(0.4)
    // Written at once: a pipe takes a line this short whole.
    writeSync(1, `${kills ? killed : frozen}${name}\n`)
    process.kill(process.pid, kills ? "SIGKILL" : "SIGSTOP")
  }
  return Tracer.make({
    span: (options) => {
      strike(options.name)
      const span = new Tracer.NativeSpan(options)
      return Object.assign(span, {
        end: (...end: Parameters<Tracer.Span["end"]>) => {
          strike(options.name)
          Tracer.NativeSpan.prototype.end.apply(span, end)
        }
      })
    }
  })
}
