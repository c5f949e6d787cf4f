/** What has happened to a call, step by step, from its record, its events and their deliveries. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { CallStore } from "../call/CallStore.ts"
import {
  type AnsweredBy,
  type CallRecord,
  type CallStatus,
  endReason,
  type Hold,
  isFinal,
  type PastHold,
  talkedSeconds
} from "../domain/Call.ts"
import type { CarrierReason } from "../domain/CarrierReason.ts"
import type { MachineKind } from "../domain/Conversation.ts"
import type { AttemptCause, DeliveryRecord, DeliveryState } from "../domain/Delivery.ts"
import { NotFound, type Unavailable } from "../domain/Errors.ts"
import type { EventRecord, SubscribableKind } from "../domain/Event.ts"
import type { AccountId, BatchId, CallId, DeliveryId, EventId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import type { StatusCode } from "../domain/StatusCode.ts"
import { EventStore } from "../event/EventStore.ts"
import { CallingRules } from "../policy/CallingRules.ts"
import * as HoldHistory from "../rules/call/HoldHistory.ts"
import { currentHold } from "../rules/policy/DialDecision.ts"
import { unknownNumber } from "../rules/policy/DialFacts.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { DeliveryStore } from "../webhook/DeliveryStore.ts"

export type TimelineItem =
  & { readonly at: DateTime.Utc }
  & (
    | { readonly kind: "created"; readonly batchId: BatchId | null; readonly test: boolean }
    | {
      readonly kind: "held"
      readonly statusCode: StatusCode
      readonly until: DateTime.Utc | null
      /** It holds the call now. Then `at` is the present if its beginning is not known. */
      readonly isCurrent: boolean
      /** How many holds before it are left out. */
      readonly omitted: number
    }
    | { readonly kind: "dialed"; readonly carrier: string | null }
    | { readonly kind: "answered"; readonly answeredBy: AnsweredBy | null }
    | { readonly kind: "machine"; readonly machine: MachineKind }
    | {
      readonly kind: "ended"
      readonly status: CallStatus
      readonly statusCode: StatusCode | null
      readonly reason: string | null
      readonly carrierReason: CarrierReason | null
      readonly durationSeconds: number
    }
    | { readonly kind: "recording"; readonly stored: boolean }
    | { readonly kind: "outcome"; readonly disposition: string | null }
    | { readonly kind: "event"; readonly eventId: EventId; readonly type: SubscribableKind }
    | {
      readonly kind: "delivery"
      readonly deliveryId: DeliveryId
      readonly eventId: EventId
      readonly attempt: number
      readonly cause: AttemptCause
      readonly state: DeliveryState
      readonly statusCode: number | null
      readonly errorCode: string | null
      readonly durationMs: number
    }
  )

export class Timelines extends Context.Service<Timelines, {
  /** Oldest first. Without words of the contact. */
  readonly read: (
    accountId: AccountId,
    callId: CallId
  ) => Effect.Effect<ReadonlyArray<TimelineItem>, NotFound | Unavailable>
}>()("@outdial/core/overview/Timelines") {
  static readonly layer = Layer.effect(
    Timelines,
    Effect.gen(function*() {
      const callStore = yield* CallStore
      const eventStore = yield* EventStore
      const deliveryStore = yield* DeliveryStore
      const rules = yield* CallingRules

      const holdAt = Effect.fnUntraced(function*(call: CallRecord, now: DateTime.Utc) {
        if (call.status !== "queued") return undefined
        const { accountId, phoneNumber } = call
        const { numbers, ...account } = yield* callStore.dialFacts({
          accountId,
          phoneNumbers: [phoneNumber],
          now,
          rules
        })
        const hold = currentHold(rules, call, { ...account, number: numbers.get(phoneNumber) ?? unknownNumber })
        return hold && { ...hold, at: now }
      })

      /** With what has held it together with others until then. */
      const withShared = Effect.fnUntraced(function*(call: CallRecord, now: DateTime.Utc) {
        if (call.status !== "queued") return call
        const shared = yield* callStore.sharedPeriods(call.accountId, [call.lane])
        return HoldHistory.withShared(call, shared, now)
      })

      return Timelines.of({
        read: Effect.fn("Timelines.read")(function*(accountId, callId) {
          const found = yield* orUnavailable(callStore.get(accountId, callId))
          if (Option.isNone(found)) return yield* new NotFound({ what: `call ${callId}` })
          // A call has a few events, and each one delivery to the webhook.
          const all = { accountId, filter: { callId }, page: { limit: Limits.pageSizeMost, after: Option.none() } }
          const events = yield* orUnavailable(eventStore.list(all))
          const deliveries = yield* orUnavailable(deliveryStore.list(all))
          const now = yield* DateTime.now
          return timeline(yield* orUnavailable(withShared(found.value, now)), {
            events: events.items,
            deliveries: deliveries.items,
            hold: yield* orUnavailable(holdAt(found.value, now))
          })
        })
      })
    })
  )
}

/** The steps in the order of time; steps of the same instant in the order in which a call takes them. */
const timeline = (call: CallRecord, { deliveries, events, hold }: {
  readonly events: ReadonlyArray<EventRecord>
  readonly deliveries: ReadonlyArray<DeliveryRecord>
  readonly hold: PastHold | undefined
}): ReadonlyArray<TimelineItem> => {
  const { answeredAt, dialedAt } = call
  const dialings = events.filter(({ type }) => type === "call.dialing")
  // Dials after which the call waited again, where the account has their events. The latest is that of the dial that counts.
  const earlierDials = dialedAt === undefined ? dialings : dialings.slice(1)
  const steps: ReadonlyArray<TimelineItem> = [
    { kind: "created", at: call.createdAt, batchId: call.batchId, test: call.test },
    ...earlierDials.map(({ createdAt: at }) => ({ kind: "dialed" as const, at, carrier: null })),
    ...holds(call, hold),
    ...(dialedAt === undefined ? [] : [{ kind: "dialed" as const, at: dialedAt, carrier: call.carrier ?? null }]),
    ...(answeredAt === undefined
      ? []
      : [{ kind: "answered" as const, at: answeredAt, answeredBy: call.answeredBy ?? null }]),
    ...machine(call),
    ...end(call),
    ...outcome(call, events),
    ...[...events].reverse().map(({ createdAt, id, type }): TimelineItem => ({
      kind: "event",
      at: createdAt,
      eventId: id,
      type
    })),
    ...deliveries.flatMap(attempts)
  ]
  return [...steps].sort((one, other) => DateTime.Order(one.at, other.at))
}

/** The holds of the past, and the present one, which may be one of them. For an expired call its last one. */
const holds = ({ endedAt, heldBy, holds = [] }: CallRecord, now: PastHold | undefined): ReadonlyArray<TimelineItem> => {
  const items = holds.map((hold) => held(hold))
  const newest = holds.at(-1)
  if (now !== undefined) {
    const known = holds.findLast((hold) => isGoingOn(hold, now))
    return known === undefined
      ? [...items, held(now, true)]
      : holds.map((hold) =>
        hold === known ? held({ ...now, at: known.at, omitted: known.omitted ?? 0 }, true) : held(hold)
      )
  }
  const isKnown = heldBy === undefined || endedAt === undefined || newest?.code === heldBy.code
  return isKnown ? items : [...items, held({ ...heldBy, at: endedAt })]
}

const isGoingOn = ({ code, until }: Hold, now: PastHold): boolean =>
  code === now.code && (until === undefined || DateTime.isGreaterThanOrEqualTo(until, now.at))

const held = ({ at, code, omitted = 0, until }: PastHold, isCurrent = false): TimelineItem => ({
  kind: "held",
  at,
  statusCode: code,
  until: until ?? null,
  isCurrent,
  omitted
})

const machine = ({ answeredAt, dialedAt, machine }: CallRecord): ReadonlyArray<TimelineItem> => {
  const at = answeredAt ?? dialedAt
  return machine === undefined || at === undefined ? [] : [{ kind: "machine", at, machine }]
}

const end = (call: CallRecord): ReadonlyArray<TimelineItem> => {
  const { endedAt, status } = call
  if (endedAt === undefined || !isFinal(status)) return []
  const { statusCode = null, statusReason = null } = endReason(call)
  const carrierReason = call.carrierReason ?? null
  return [
    {
      kind: "ended",
      at: endedAt,
      status,
      statusCode,
      reason: statusReason,
      carrierReason,
      durationSeconds: talkedSeconds(call)
    },
    ...(call.hasRecording ? [{ kind: "recording" as const, at: endedAt, stored: true }] : [])
  ]
}

/** The outcome, which is reported by its event as soon as it is made. */
const outcome = (
  { endedAt, outcome, outcomeState }: CallRecord,
  events: ReadonlyArray<EventRecord>
): ReadonlyArray<TimelineItem> => {
  const at = events.find(({ type }) => type === "call.completed")?.createdAt ?? endedAt
  return at === undefined || (outcomeState !== "stored" && outcomeState !== "given_up")
    ? []
    : [{ kind: "outcome", at, disposition: outcome?.disposition ?? null }]
}

const attempts = ({ attempts, eventId, id, state }: DeliveryRecord): ReadonlyArray<TimelineItem> =>
  attempts.map(({ at, cause, durationMs, errorCode, statusCode }, index) => ({
    kind: "delivery",
    at,
    deliveryId: id,
    eventId,
    attempt: index + 1,
    cause,
    state,
    statusCode: statusCode ?? null,
    errorCode: errorCode ?? null,
    durationMs
  }))
