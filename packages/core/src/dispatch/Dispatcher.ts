/**
 * Dials due calls. The claim is committed and the fence passed before the request to the carrier. If the carrier's
 * answer is ambiguous, the janitor looks the call up; it is never dialed again.
 */
import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { AccountId, type CarrierName, type ClaimToken, makeClaimToken } from "../domain/Ids.ts"
import { CarrierStore } from "../telephony/CarrierStore.ts"
import { LineReports } from "../telephony/LineReports.ts"
import { carriersOf, DialFailed, Telephony } from "../telephony/Telephony.ts"
import { TimeZones } from "../time/TimeZones.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { agentBrief } from "../rules/call/AgentBrief.ts"
import { CallingRules } from "../policy/CallingRules.ts"
import * as CallTrace from "../observe/CallTrace.ts"
import { withEventWriter } from "../observe/WithEventWriter.ts"
import * as InFlight from "../loop/InFlight.ts"
import * as Metrics from "../observe/Metrics.ts"
import { type AccountPoller, makePoller, whileStorageReturns } from "../loop/AccountPoller.ts"
import { CarrierChecks } from "./CarrierChecks.ts"
import { DispatchStore, type ReturnReason } from "./DispatchStore.ts"
import { planDataOf } from "./RoutedRules.ts"
import * as SlotQueue from "./SlotQueue.ts"
import { type ClaimedCall, WorkStore } from "../storage/WorkStore.ts"

const accountsPerRound = 32

/** How long a carrier may take to answer a dial; after that its answer counts as lost. */
const dialTimeout = "30 seconds"

/** Maximum number of calls in one claim. As many as reports in one transaction: with 100, `lifecycles` has 0.92 of the rate. */
const claimLimit = 200

/** Names, among the woken accounts, the queue of those that wait for slots. No account has this id. */
const slotQueueTurn = AccountId.make("acct_0")

/** When to retry an account that another node has locked: about the length of a claim at first, doubling to a poll. */
const [lookAgainFirst, lookAgainMost] = [Duration.millis(10), Duration.seconds(1)]

export class Dispatcher extends Context.Service<Dispatcher, {
  /** Claims due calls and starts to dial them. Returns how many calls it moved. Does not wait for the carrier. */
  readonly runOnce: AccountPoller["runOnce"]
  /** The same for woken accounts, without asking storage which accounts have work. */
  readonly runFor: AccountPoller["runFor"]
  /** Returns when no dial is in flight. */
  readonly idle: Effect.Effect<void>
  /** The carriers whose calls per second due calls wait for, and when each may dial the next. */
  readonly freeAt: Effect.Effect<ReadonlyMap<CarrierName, DateTime.Utc>>
}>()("@outdial/core/dispatch/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function*() {
      const carrierChecks = yield* CarrierChecks
      const carrierStore = yield* CarrierStore
      const dispatchStore = yield* DispatchStore
      const workStore = yield* WorkStore
      const telephony = yield* Telephony
      const reports = yield* LineReports
      const rules = yield* CallingRules
      const planData = planDataOf(yield* TimeZones, telephony)
      const wakeups = yield* Wakeups
      const carriers = carriersOf(telephony)
      const [first] = carriers.keys()
      const scope = yield* Effect.scope
      const random = yield* SecureRandom.SecureRandom
      const dials = yield* InFlight.make("A dial", "20 seconds")
      /** The accounts that were locked at the last attempt, with the pause before the next attempt, if there is one. */
      const locked = new Map<AccountId, { readonly pause: Duration.Duration; isPausing: boolean }>()

      const returnToQueue = Effect.fnUntraced(function*(
        work: { readonly accountId: AccountId; readonly token: ClaimToken },
        calls: ReadonlyArray<ClaimedCall>,
        reason: ReturnReason
      ) {
        if (calls.length === 0) return
        const now = yield* DateTime.now
        const callIds = calls.map(({ call }) => call.id)
        yield* withEventWriter(
          { now },
          (events) => dispatchStore.returnToQueue({ ...work, callIds, now, reason, events })
        ).pipe(
          Effect.retry(whileStorageReturns)
        )
      })

      const dial = Effect.fnUntraced(function*(
        claimed: ClaimedCall,
        token: ClaimToken
      ) {
        const { agent, call } = claimed
        const { accountId, contact, id: callId, phoneNumber } = call
        // A node that was suspended after the fence may resume when the call counts as lost or its hours have ended.
        const { dialBy } = call.claim ?? {}
        const carrier = call.carrier === undefined ? undefined : carriers.get(call.carrier)
        // It was claimed for a carrier of this process.
        if (carrier === undefined) return
        if (dialBy === undefined || DateTime.isLessThanOrEqualTo(dialBy, yield* DateTime.now)) {
          return yield* returnToQueue({ accountId, token }, [claimed], "dial_deadline_passed")
        }
        const asked = {
          accountId,
          callId,
          phoneNumber,
          ...(agent.callerId !== undefined && { callerId: agent.callerId })
        }
        const answer = yield* Effect.result(
          carrier.dial({
            ...asked,
            contact,
            agent: agentBrief(agent, call),
            dialBy
          }).pipe(Effect.timeoutOrElse({
            duration: dialTimeout,
            orElse: () => new DialFailed({ reason: "unknown", cause: "The carrier did not answer in time" })
          }))
        )
        yield* Metrics.dialed(answer._tag === "Success" ? "accepted" : answer.failure.reason)
        if (answer._tag === "Success") {
          const carrierCallId = answer.success
          const instruction = yield* reports.report({ accountId, callId, event: { _tag: "Accepted", carrierCallId } })
          // The call was ended here before the carrier answered, so that there would be no agent on the line.
          if (instruction === "hang_up") yield* carrier.hangUp({ ...asked, carrierCallId })
          return
        }
        const { carrierReason } = answer.failure
        switch (answer.failure.reason) {
          case "refused":
            yield* reports.report({
              accountId,
              callId,
              event: {
                _tag: "Ended",
                at: yield* DateTime.now,
                result: "failed",
                code: "carrier_refused",
                ...(carrierReason !== undefined && { carrierReason }),
                transcript: [],
                recorded: false
              }
            })
            return
          case "unavailable":
            return yield* returnToQueue({ accountId, token }, [claimed], "carrier_unavailable")
          case "not_authorized":
            // First, so that the call is not claimed again.
            yield* carrierChecks.pause(carrier.name, answer.failure)
            return yield* returnToQueue({ accountId, token }, [claimed], "carrier_not_authorized")
          case "unknown":
            // The phone may be ringing. The lease stays, and the janitor looks the call up.
            return yield* Effect.logWarning(`The carrier's answer to the dial of ${callId} is unknown`, answer.failure)
          default:
            return answer.failure.reason satisfies never
        }
      })

      /** Passes the fence with the whole claim at once, then dials the calls that are still allowed, and returns them. */
      const submit = Effect.fn("Dispatcher.submit")(function*(
        accountId: AccountId,
        token: ClaimToken,
        claimed: ReadonlyArray<ClaimedCall>
      ) {
        const callIds = claimed.map(({ call }) => call.id)
        const now = yield* DateTime.now
        const submitted = yield* dispatchStore.submit({ accountId, callIds, token, now })
        const fenced = claimed.filter(({ call }) => !submitted.has(call.id))
        yield* returnToQueue({ accountId, token }, fenced, "not_submitted")
        const dialable = claimed.filter(({ call }) => submitted.has(call.id))
        yield* Metrics.submitted(dialable, now)
        yield* Effect.forEach(
          dialable,
          (claim) => dials.run(CallTrace.step(claim.call.id, "Dispatcher.dial")(dial(claim, token))),
          { discard: true }
        )
        return dialable
      })

      /** Schedules another attempt for this process only, because a host may hold the lock for long. */
      const claimAgain = Effect.fnUntraced(function*(accountId: AccountId) {
        const last = locked.get(accountId)
        if (last?.isPausing === true) return
        const pause = last === undefined ? lookAgainFirst : Duration.min(Duration.times(last.pause, 2), lookAgainMost)
        const next = { pause, isPausing: true }
        locked.set(accountId, next)
        const look = Effect.suspend(() => {
          next.isPausing = false
          return wakeups.wake("dial", accountId)
        })
        yield* Effect.forkIn(Effect.delay(look, pause), scope)
      })

      /** Claims due calls of the account, at most so many for each carrier, and starts to dial them. */
      const claim = Effect.fn("Dispatcher.claim")(function*(
        accountId: AccountId,
        { carrier, slots }: { readonly carrier: CarrierName; readonly slots: SlotQueue.Slots }
      ) {
        const now = yield* DateTime.now
        const token = yield* makeClaimToken.pipe(Effect.provideService(SecureRandom.SecureRandom, random))
        let hasEvents = false
        const { claimed, isLocked, moved } = yield* withEventWriter({ now }, (write) =>
          dispatchStore.claimDue({
            accountId,
            now,
            limit: Math.min(claimLimit, [...slots.values()].reduce((sum, most) => sum + most, 0)),
            token,
            carrier,
            ...(telephony.router !== undefined && { slots }),
            rules,
            planData,
            events: (change, kind) => {
              hasEvents = true
              return write(change, kind)
            }
          }))
        // The holder of the lock may have read before the change that woke this loop.
        if (isLocked) yield* claimAgain(accountId)
        else locked.delete(accountId)
        yield* CallTrace.markAll(claimed.map(({ call }) => call.id), "Call.claimed")
        const submitted = claimed.length > 0 ? yield* submit(accountId, token, claimed) : []
        // Progress events and the ends decided by the rules are written by now.
        if (hasEvents) yield* wakeups.notify("delivery", accountId)
        const used = new Map<CarrierName, number>()
        for (const { call: { carrier: name = carrier } } of submitted) used.set(name, (used.get(name) ?? 0) + 1)
        return { done: claimed.length + moved, used }
      })

      const isLimited = [...carriers.values()].some(({ callsPerSecond }) => callsPerSecond !== undefined)
      const slotQueue = first === undefined || !isLimited ? undefined : yield* SlotQueue.make({
        carrierStore,
        carriers: [...carriers.values()],
        claim: (accountId, slots) => claim(accountId, { carrier: first, slots }),
        wake: wakeups.wake("dial", slotQueueTurn)
      })
      const unlimited = new Map([...carriers.keys()].map((carrier) => [carrier, Infinity]))

      const dispatch = (accountId: AccountId) => {
        if (first === undefined) return Effect.succeed(0)
        if (slotQueue !== undefined) {
          return accountId === slotQueueTurn ? slotQueue.resume : slotQueue.serve(accountId)
        }
        return Effect.map(claim(accountId, { carrier: first, slots: unlimited }), ({ done }) => done)
      }

      return Dispatcher.of({
        ...(yield* makePoller(
          workStore,
          {
            kind: "dial",
            limit: accountsPerRound,
            group: claimLimit,
            ...(first !== undefined && { carriers: [...carriers.keys()] }),
            hasRoutes: telephony.router !== undefined
          },
          dispatch
        )),
        idle: dials.idle,
        freeAt: slotQueue === undefined ? Effect.succeed(new Map()) : slotQueue.freeAt
      })
    })
  )
}
