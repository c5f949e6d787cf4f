/**
 * What an account does at this moment, for people who watch it. All who watch share one read of the storage in `validFor`, whose cost
 * is bounded.
 */
import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { AccountStore } from "../account/AccountStore.ts"
import { CallStore } from "../call/CallStore.ts"
import { Carriers } from "../dispatch/Carriers.ts"
import type { CallStatus } from "../domain/Call.ts"
import type { Carrier } from "../domain/Carrier.ts"
import { NotFound, type Unavailable } from "../domain/Errors.ts"
import type { AccountId } from "../domain/Ids.ts"
import * as Policy from "../domain/Policy.ts"
import { isDialing } from "../domain/Worker.ts"
import { cachedFor } from "../observe/CachedFor.ts"
import { CallingRules } from "../policy/CallingRules.ts"
import { dateIn, dayOf } from "../rules/time/LocalDays.ts"
import { StorageStats } from "../storage/StorageStats.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { TimeZones } from "../time/TimeZones.ts"
import { WebhookStore } from "../webhook/WebhookStore.ts"
import { Workers } from "../worker/Workers.ts"
import { type AccountMarks, OverviewStore } from "./OverviewStore.ts"
import { waitingCalls, type WaitingReason, waitingReasons } from "./WaitingReasons.ts"

export type { AccountMarks, MarkedKind } from "./OverviewStore.ts"
export type { WaitingReason } from "./WaitingReasons.ts"

export interface Overview {
  /** When it was read. */
  readonly at: DateTime.Utc
  readonly lines: { readonly used: number; readonly limit: number }
  readonly paused: boolean
  readonly allPaused: boolean
  readonly queued: number
  readonly dialing: number
  readonly inProgress: number
  readonly waiting: ReadonlyArray<WaitingReason>
  /** Whether every waiting call was counted. */
  readonly isExact: boolean
  /** The account's present day. */
  readonly day: string
  readonly timeZone: string
  /** Calls that were dialed on that day, by their status now. */
  readonly dialed: ReadonlyMap<CallStatus, number>
  readonly answered: number
  readonly carriers: ReadonlyArray<Carrier>
  readonly webhook: {
    readonly isConfigured: boolean
    readonly isDisabled: boolean
    readonly isFailing: boolean
    readonly openDeliveries: number
    readonly oldestDue?: DateTime.Utc
  }
  /** Live processes that dial. */
  readonly workers: number
  readonly isStorageReady: boolean
}

/** How long an overview is shown to others. */
const validFor = Duration.seconds(2)

/** The most accounts whose overviews are cached: more than are watched at a time. */
const cachedAccounts = 1_000

export class Overviews extends Context.Service<Overviews, {
  /** At most two seconds old. */
  readonly read: (accountId: AccountId) => Effect.Effect<Overview, NotFound | Unavailable>
  /** The state of these accounts in short, to see what has changed; without unknown accounts. */
  readonly marks: (
    accountIds: ReadonlyArray<AccountId>
  ) => Effect.Effect<ReadonlyMap<AccountId, AccountMarks>, Unavailable>
}>()("@outdial/core/overview/Overviews") {
  static readonly layer = Layer.effect(
    Overviews,
    Effect.gen(function*() {
      const accountStore = yield* AccountStore
      const callStore = yield* CallStore
      const overviewStore = yield* OverviewStore
      const storageStats = yield* StorageStats
      const webhookStore = yield* WebhookStore
      const carriers = yield* Carriers
      const workers = yield* Workers
      const rules = yield* CallingRules
      const { offset } = yield* TimeZones

      /** The account's day, in UTC if its zone is not known. */
      const dayIn = (zone: string, now: DateTime.Utc) => {
        const date = dateIn(zone, now, offset)
        return date === undefined ? undefined : dayOf(date, zone, offset)
      }

      const compute = Effect.fnUntraced(function*(accountId: AccountId) {
        const found = yield* orUnavailable(accountStore.get(accountId))
        if (Option.isNone(found)) return yield* new NotFound({ what: `account ${accountId}` })
        const now = yield* DateTime.now
        const { timeZone } = Policy.complete(found.value.policy ?? {})
        const day = dayIn(timeZone, now) ?? dayIn("UTC", now) ?? { day: "", from: now }
        const activity = yield* orUnavailable(overviewStore.activity({ accountId, now, since: day.from }))
        const facts = yield* orUnavailable(callStore.dialFacts({ accountId, phoneNumbers: [], now, rules }))
        const webhook = yield* orUnavailable(webhookStore.get(accountId))
        const state = yield* Effect.option(storageStats.state)
        const overview: Overview = {
          at: now,
          lines: { used: facts.linesInUse, limit: facts.account.lines },
          paused: facts.account.paused,
          allPaused: facts.deploymentPaused,
          queued: waitingCalls(activity.waiting),
          dialing: activity.dialing,
          inProgress: activity.inProgress,
          waiting: waitingReasons(rules, activity.waiting, facts),
          isExact: activity.isExact,
          day: day.day,
          timeZone,
          dialed: activity.dialed,
          answered: activity.answered,
          carriers: yield* carriers.list,
          webhook: {
            isConfigured: Option.isSome(webhook),
            isDisabled: Option.exists(webhook, ({ enabled }) => !enabled),
            isFailing: activity.isWebhookFailing,
            openDeliveries: activity.openDeliveries,
            ...(activity.deliveryDueAt !== undefined && { oldestDue: activity.deliveryDueAt })
          },
          workers: (yield* workers.list).filter(isDialing).length,
          isStorageReady: Option.exists(state, (state) => state === "ready")
        }
        return overview
      })

      const cached = new Map<AccountId, Effect.Effect<Overview, NotFound | Unavailable>>()
      const cachedOf = Effect.fnUntraced(function*(accountId: AccountId) {
        const known = cached.get(accountId)
        if (known !== undefined) return known
        const made = yield* cachedFor(compute(accountId), validFor)
        const [oldest] = cached.keys()
        if (cached.size >= cachedAccounts && oldest !== undefined) cached.delete(oldest)
        cached.set(accountId, made)
        return made
      })

      return Overviews.of({
        read: Effect.fn("Overviews.read")((accountId) => Effect.flatten(cachedOf(accountId))),
        marks: (accountIds) => orUnavailable(overviewStore.marks(accountIds))
      })
    })
  )
}
