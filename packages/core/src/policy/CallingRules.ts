/**
 * The rules as a service, so that a host may bring its own. Decisions are synchronous: storage takes them inside its
 * transaction. A rule that throws holds what it was asked about, and is told of in the log.
 */
import { Context, DateTime, Effect, Layer, Result } from "effect"
import * as Lane from "../domain/Lane.ts"
import * as Limits from "../domain/Limits.ts"
import { PhoneNumbers } from "../phone-number/PhoneNumbers.ts"
import { TimeZones } from "../time/TimeZones.ts"
import * as DialDecision from "../rules/policy/DialDecision.ts"

export class CallingRules extends Context.Service<CallingRules, DialDecision.DialRules>()(
  "@outdial/core/policy/CallingRules"
) {
  static readonly layer = Layer.effect(
    CallingRules,
    Effect.gen(function*() {
      const { canonical, offset, ofNumber } = yield* TimeZones
      const numbers = yield* PhoneNumbers
      return DialDecision.make({
        offset,
        originOf: (number) => {
          const assessment = numbers.assess(number)
          const country = assessment._tag === "NotPossible" ? undefined : assessment.country
          return { isValid: numbers.isValid(number), ...(country !== undefined && { country }) }
        },
        // One name for all spellings of a zone, or each would make a lane of its own.
        zonesOf: ({ contact: { timeZone }, phoneNumber }) =>
          timeZone === undefined ? ofNumber(phoneNumber) : [canonical(timeZone) ?? timeZone]
      })
    })
  )
}

/**
 * The rules that are in scope, closed where they fail: what cannot be decided is looked at again in a minute. Lanes are
 * marked with what they were planned by, whatever a host's own rules call them.
 */
export const layerFailingClosed: Layer.Layer<CallingRules, never, CallingRules | TimeZones> = Layer.effect(
  CallingRules,
  Effect.gen(function*() {
    const rules = yield* CallingRules
    const { version: timeZoneData } = yield* TimeZones
    const run = Effect.runForkWith(yield* Effect.context())
    const attempt = <A>(decide: () => A, closed: () => A): A =>
      Result.getOrElse(
        Result.try({
          try: decide,
          catch: (cause) =>
            void run(Effect.logError("A calling rule failed, so what it was asked about is held", cause))
        }),
        closed
      )
    const later = (now: DateTime.Utc) => DateTime.addDuration(now, Limits.recheckAfter)
    return {
      decide: (call, facts) =>
        attempt(
          () => rules.decide(call, facts),
          () => ({ _tag: "hold", code: "rule_failed", until: later(facts.now) })
        ),
      holdOf: (call, facts) =>
        attempt(() => {
          // A lane whose opening fails is closed, whatever else is said of its calls.
          rules.laneOpensAt(call.lane, facts)
          return rules.holdOf(call, facts)
        }, () => ({ code: "rule_failed" })),
      timeRules: (call, facts) => attempt(() => rules.timeRules(call, facts), () => []),
      laneOpensAt: (lane, facts) => attempt(() => rules.laneOpensAt(lane, facts), () => later(facts.now)),
      laneOf: (account, call) =>
        Lane.plannedBy(
          attempt(
            () => rules.laneOf(account, call),
            () => Lane.make({ planVersion: account.planVersion, timeZones: [Lane.failed] })
          ),
          { planVersion: account.planVersion, timeZoneData }
        ),
      // Since ever: every call that was placed counts against the limit.
      dayStart: (account, now) => attempt(() => rules.dayStart(account, now), () => DateTime.makeUnsafe(0))
    }
  })
)
