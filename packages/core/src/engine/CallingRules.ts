/**
 * The rules as a service, so that a host may bring its own. Decisions are synchronous: storage takes them inside its
 * transaction. A rule that throws holds what it was asked about, and is told of in the log.
 */
import { Context, DateTime, Effect, Layer, Result } from "effect"
import * as Lane from "../domain/Lane.ts"
import * as Limits from "../domain/Limits.ts"
import { TimeZones } from "../ports/TimeZones.ts"
import * as DialDecision from "../rules/DialDecision.ts"

export class CallingRules extends Context.Service<CallingRules, DialDecision.DialRules>()(
  "@outdial/core/engine/CallingRules"
) {
  static readonly layer = Layer.effect(
    CallingRules,
    Effect.map(TimeZones, ({ offset, ofNumber }) =>
      DialDecision.make({
        offset,
        zonesOf: ({ contact, phoneNumber }) =>
          contact.timeZone === undefined ? ofNumber(phoneNumber) : [contact.timeZone]
      }))
  )
}

/** The rules that are in scope, closed where they fail: what cannot be decided is looked at again in a minute. */
export const layerFailingClosed: Layer.Layer<CallingRules, never, CallingRules> = Layer.effect(
  CallingRules,
  Effect.gen(function*() {
    const rules = yield* CallingRules
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
    const later = (now: DateTime.Utc) => DateTime.addDuration(now, Limits.lookAgain)
    return {
      decide: (call, facts) =>
        attempt(
          () => rules.decide(call, facts),
          () => ({ _tag: "hold", code: "rule_failed", until: later(facts.now) })
        ),
      holdOf: (call, facts) => attempt(() => rules.holdOf(call, facts), () => ({ code: "rule_failed" })),
      timeRules: (call, facts) => attempt(() => rules.timeRules(call, facts), () => []),
      laneOpensAt: (lane, facts) => attempt(() => rules.laneOpensAt(lane, facts), () => later(facts.now)),
      laneOf: (account, call) =>
        attempt(
          () => rules.laneOf(account, call),
          () => Lane.make({ planVersion: account.planVersion, timeZones: [] })
        ),
      // Since ever: every call that was placed counts against the limit.
      dayStart: (account, now) => attempt(() => rules.dayStart(account, now), () => DateTime.makeUnsafe(0))
    }
  })
)
