/**
 * What the rules decided from when a call was dialed, or ended by them: the facts as they were. Stored with the call as JSON, so instants are
 * text. A fact that does not apply is absent.
 */
import type { NumberLimit } from "./Policy.ts"
import type { StatusCode } from "./StatusCode.ts"

export interface DecisionBasis {
  readonly at: string
  /** The rules that did not allow the dial; none when it was dialed. */
  readonly holding?: ReadonlyArray<StatusCode>
  readonly lines: number
  readonly linesInUse: number
  readonly callsPerSecond: number
  readonly placedLastSecond: number
  /** When the callee's calling hours ended next; absent while they were closed, and without calling hours. */
  readonly closesAt?: string
  readonly recallGapSeconds?: number
  readonly lastDialAt?: string
  /** Only of a number that was dialed before. */
  readonly numberLimits?: ReadonlyArray<NumberLimit>
  /** The newest dials of the number, if there are number limits. */
  readonly dials?: ReadonlyArray<string>
  readonly dailyLimit?: number
  readonly placedToday?: number
}
