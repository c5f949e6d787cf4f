/** What a policy would mean for the calls that wait now, by the rules themselves. Changes nothing. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { AccountStore } from "../account/AccountStore.ts"
import { CallStore } from "../call/CallStore.ts"
import type { CallRecord, Hold } from "../domain/Call.ts"
import { type InvalidRequest, NotFound, type Unavailable } from "../domain/Errors.ts"
import type { AccountId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import type { PolicyDocument } from "../domain/Policy.ts"
import { CallingRules } from "../policy/CallingRules.ts"
import * as PolicyDecoding from "../policy/PolicyDecoding.ts"
import { unknownNumber } from "../rules/policy/DialFacts.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { TimeZones } from "../time/TimeZones.ts"
import { OverviewStore } from "./OverviewStore.ts"
import { waitingCalls } from "./WaitingReasons.ts"

export interface PolicyEffect {
  readonly waitingCalls: number
  /** The newest of them. */
  readonly waitingCallsExamined: number
  /** May be dialed as soon as there is a line. */
  readonly nowCallable: number
  /** Are held, and may be dialed later. */
  readonly later: number
  /** Expire before they may be dialed. */
  readonly expire: number
}

export class PolicyPreviews extends Context.Service<PolicyPreviews, {
  /** The policy of a document in the form of a file, with every problem of it. */
  readonly read: (document: unknown) => Effect.Effect<PolicyDocument, InvalidRequest>
  /**
   * What becomes of the account's waiting calls under the policy, as if nothing were paused. Examines at most
   * `Limits.previewedCalls`.
   */
  readonly effectOf: (
    accountId: AccountId,
    policy: PolicyDocument
  ) => Effect.Effect<PolicyEffect, NotFound | Unavailable>
}>()("@outdial/core/overview/PolicyPreviews") {
  static readonly layer = Layer.effect(
    PolicyPreviews,
    Effect.gen(function*() {
      const accountStore = yield* AccountStore
      const callStore = yield* CallStore
      const overviewStore = yield* OverviewStore
      const rules = yield* CallingRules
      const { isKnown } = yield* TimeZones

      return PolicyPreviews.of({
        read: (document) => PolicyDecoding.decodeWire(document, isKnown),
        effectOf: Effect.fn("PolicyPreviews.effectOf")(function*(accountId, policy) {
          const account = yield* orUnavailable(accountStore.get(accountId))
          if (Option.isNone(account)) return yield* new NotFound({ what: `account ${accountId}` })
          const now = yield* DateTime.now
          const { waiting } = yield* orUnavailable(overviewStore.activity({ accountId, now, since: now }))
          const { items } = yield* orUnavailable(callStore.list({
            accountId,
            filter: { statuses: ["queued"] },
            page: { limit: Limits.previewedCalls, after: Option.none() }
          }))
          const phoneNumbers = [...new Set(items.map(({ phoneNumber }) => phoneNumber))]
          const { numbers, ...stored } = yield* orUnavailable(
            callStore.dialFacts({ accountId, phoneNumbers, now, rules })
          )
          const facts = {
            ...stored,
            account: { ...stored.account, policy, paused: false },
            deploymentPaused: false,
            carrierPaused: false,
            pausedCarriers: new Set<never>()
          }
          const effect = { nowCallable: 0, later: 0, expire: 0 }
          for (const [index, call] of items.entries()) {
            // Yields between groups of calls, so that other fibers do not wait for all of them.
            if (index % callsAtOnce === 0) yield* Effect.yieldNow
            // The lane of a call depends on the policy.
            const planned = { ...call, lane: rules.laneOf(facts.account, call) }
            const number = numbers.get(call.phoneNumber) ?? unknownNumber
            effect[resultOf(planned, rules.holdOf(planned, { ...facts, number }))] += 1
          }
          return {
            ...effect,
            waitingCalls: waitingCalls(waiting),
            waitingCallsExamined: items.length
          }
        })
      })
    })
  )
}

/** Calls that are examined without yielding: about a millisecond of work. */
const callsAtOnce = 100

const resultOf = (call: CallRecord, hold: Hold | undefined): "expire" | "later" | "nowCallable" => {
  switch (hold?.code) {
    case undefined:
    case "calls_per_second":
    case "lines_busy":
      return "nowCallable"
    case "expires_before_allowed":
    case "queue_expired":
      return "expire"
    default:
      return hold?.until !== undefined && DateTime.isGreaterThanOrEqualTo(hold.until, call.expiresAt)
        ? "expire"
        : "later"
  }
}
