/**
 * The rules as a service, so that a host may provide its own. Decisions are synchronous, because storage makes them
 * inside its transaction. A rule that throws holds its call or lane, and is logged.
 */
import { Context, DateTime, Effect, Layer, Result } from "effect"
import * as Lane from "../domain/Lane.ts"
import * as Limits from "../domain/Limits.ts"
import { PhoneNumbers } from "../phone-number/PhoneNumbers.ts"
import { TimeZones } from "../time/TimeZones.ts"
import * as DialDecision from "../rules/policy/DialDecision.ts"
import type { DialFacts } from "../rules/policy/DialFacts.ts"
import type * as TimeRules from "../rules/policy/TimeRules.ts"

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
        // One name for all spellings of a zone; otherwise each spelling would make its own lane.
        zonesOf: ({ contact: { timeZone }, phoneNumber }) =>
          timeZone === undefined ? ofNumber(phoneNumber) : [canonical(timeZone) ?? timeZone]
      })
    })
  )
}

/**
 * The rules in the context, failing closed: what cannot be decided is retried in a minute. The names of lanes begin
 * with the versions that they were planned by, even when a host's own rules name them. Those rules see no carriers in them.
 */
export const layerFailingClosed: Layer.Layer<CallingRules, never, CallingRules | TimeZones> = Layer.effect(
  CallingRules,
  Effect.gen(function*() {
    const rules = yield* CallingRules
    const { version: planData } = yield* TimeZones
    const run = Effect.runForkWith(yield* Effect.context())
    const attempt = <A>(decide: () => A, closed: () => A): A =>
      Result.getOrElse(
        Result.try({
          try: decide,
          catch: (cause) => void run(Effect.logError("A calling rule failed; its call or lane is held", cause))
        }),
        closed
      )
    /** The call as a host's rules see it, with the state of the carrier that its lane names as that of its lane. */
    const unrouted = <C extends Pick<TimeRules.Candidate, "lane">>(call: C, facts: DialFacts): [C, DialFacts] => [
      { ...call, lane: Lane.withoutRoute(call.lane) },
      {
        ...facts,
        carrierPaused: DialDecision.isCarrierPaused(call, facts),
        carrierMissing: DialDecision.isCarrierMissing(call, facts)
      }
    ]
    const later = (now: DateTime.Utc) => DateTime.addDuration(now, Limits.recheckAfter)
    return {
      decide: (call, facts) =>
        attempt(
          () => rules.decide(...unrouted(call, facts)),
          () => ({ _tag: "hold", code: "rule_failed", until: later(facts.now), isOpenEnded: true })
        ),
      holdOf: (call, facts) =>
        attempt(() => {
          // A lane whose opening cannot be decided is closed, whatever the rules say about its calls.
          rules.laneHold(Lane.withoutRoute(call.lane), facts)
          return rules.holdOf(...unrouted(call, facts))
        }, () => ({ code: "rule_failed" })),
      timeRules: (call, facts) => attempt(() => rules.timeRules(...unrouted(call, facts)), () => []),
      laneHold: (lane, facts) =>
        attempt(
          () => rules.laneHold(Lane.withoutRoute(lane), facts),
          () => ({ code: "rule_failed", until: later(facts.now) })
        ),
      laneOf: (account, call) =>
        Lane.ofHost(
          attempt(
            () => rules.laneOf(account, call),
            () => Lane.make({ planVersion: account.planVersion, timeZones: [Lane.failed] })
          ),
          { planVersion: account.planVersion, planData }
        ),
      // From the beginning: every call counts against the limit.
      dayStart: (account, now) => attempt(() => rules.dayStart(account, now), () => DateTime.makeUnsafe(0))
    }
  })
)
