/** Starts, reads and cancels calls. A returned call is stored; a refused request leaves nothing behind. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { type Call, type CallRecord, fromRecord, type Hold, type StartCall } from "../domain/Call.ts"
import {
  CallNotCancelable,
  type CallNotLive,
  CallRefused,
  IdempotencyKeyInUse,
  IdempotencyKeyReused,
  type InvalidRequest,
  NotFound,
  type RefusalReason,
  type Unavailable
} from "../domain/Errors.ts"
import { type AccountId, type CallId, makeCallId } from "../domain/Ids.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { PhoneNumbers } from "../phone-number/PhoneNumbers.ts"
import * as LazySpan from "../observe/LazySpan.ts"
import { carriersOf, Telephony } from "../telephony/Telephony.ts"
import { TimeZones } from "../time/TimeZones.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { currentHold } from "../rules/policy/DialDecision.ts"
import { type DialFacts, unknownNumber } from "../rules/policy/DialFacts.ts"
import { withEventWriter } from "../observe/WithEventWriter.ts"
import { CallingRules } from "../policy/CallingRules.ts"
import * as CallTrace from "../observe/CallTrace.ts"
import { type AdmissionRules, impossibleNumber, normalized, planCall } from "./CallAdmission.ts"
import { ErasureAliases } from "../privacy/ErasureAliases.ts"
import * as Fingerprint from "./Fingerprint.ts"
import { HangUps } from "./HangUps.ts"
import * as Metrics from "../observe/Metrics.ts"
import { RecordingLinks } from "../recording/RecordingLinks.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import * as NumberReading from "../phone-number/NumberReading.ts"
import { defaultCountryFor, notANumber } from "../phone-number/NumberReading.ts"
import { type CallFilter, CallStore } from "./CallStore.ts"
import { AccountStore } from "../account/AccountStore.ts"

/** Which calls are listed. The number is read as in a request for a call. */
export interface CallSearch extends Omit<CallFilter, "phoneNumber"> {
  readonly phoneNumber?: string
}

export class Calls extends Context.Service<Calls, {
  /** Queues one call. `idempotentReplay` is true if an earlier request with the same key started the call. */
  readonly start: (
    accountId: AccountId,
    request: StartCall,
    options?: { readonly idempotencyKey?: string }
  ) => Effect.Effect<Call, CallRefused | Unavailable>
  /** The present state of the call, with its hold while it waits, and a new link to its recording. */
  readonly get: (accountId: AccountId, id: CallId) => Effect.Effect<Call, NotFound | Unavailable>
  /** Newest first by (`createdAt`, `id`). */
  readonly list: (
    accountId: AccountId,
    filter: CallSearch,
    page: PageRequest
  ) => Effect.Effect<Page<Call>, InvalidRequest | Unavailable>
  /** Cancels a call that is still queued. Between it and a dial the first to commit wins. */
  readonly cancel: (
    accountId: AccountId,
    id: CallId
  ) => Effect.Effect<Call, NotFound | CallNotCancelable | Unavailable>
  /**
   * Asks the carrier to end a live call; its report then says how the call ended. If no report comes, the janitor settles the call. A
   * call that was not dialed yet is canceled. An ended call is returned unchanged. Safe to repeat, on any node.
   */
  readonly hangUp: (
    accountId: AccountId,
    id: CallId
  ) => Effect.Effect<Call, NotFound | CallNotLive | Unavailable>
}>()("@outdial/core/call/Calls") {
  static readonly layer = Layer.effect(
    Calls,
    Effect.gen(function*() {
      const callStore = yield* CallStore
      const accountStore = yield* AccountStore
      const numbers = yield* PhoneNumbers
      const links = yield* RecordingLinks
      const wakeups = yield* Wakeups
      const carriers = carriersOf(yield* Telephony)
      const [firstCarrier] = carriers.keys()
      const erasureKeys = yield* ErasureAliases
      const hangUps = yield* HangUps
      const random = yield* SecureRandom.SecureRandom
      const fingerprint = yield* Fingerprint.make.pipe(Effect.provideService(Digest.Digest, yield* Digest.Digest))

      const rules = yield* CallingRules
      const { isKnown } = yield* TimeZones
      const readNumber = NumberReading.read(numbers)
      const admission: AdmissionRules = { rules, isKnownZone: isKnown }

      const shown = (record: CallRecord, hold: Hold | undefined) =>
        Effect.map(links.make(record), (link) => fromRecord(record, link, hold))

      const holdOf = (record: CallRecord, facts: DialFacts) =>
        record.status === "queued" ? currentHold(rules, record, facts) : undefined

      /** The present state of the calls. Holds of waiting calls are computed by the rules on each read. */
      const allShown = Effect.fnUntraced(function*(accountId: AccountId, records: ReadonlyArray<CallRecord>) {
        const waiting = records.filter(({ status }) => status === "queued")
        if (waiting.length === 0) return yield* Effect.forEach(records, (record) => shown(record, undefined))
        const now = yield* DateTime.now
        const phoneNumbers = [...new Set(waiting.map(({ phoneNumber }) => phoneNumber))]
        const { numbers: known, ...account } = yield* callStore.dialFacts({ accountId, phoneNumbers, now, rules })
        return yield* Effect.forEach(records, (record) => {
          const number = known.get(record.phoneNumber) ?? unknownNumber
          return shown(record, holdOf(record, { ...account, number }))
        })
      }, orUnavailable)

      const current = Effect.fnUntraced(function*(record: CallRecord) {
        const [call] = yield* allShown(record.accountId, [record])
        return call ?? (yield* shown(record, undefined))
      })

      /** The number that the account means by the text. */
      const readIn = Effect.fnUntraced(function*(accountId: AccountId, text: string) {
        return readNumber(text, yield* orUnavailable(defaultCountryFor(accountStore.get(accountId), [text])))
      })

      const start = LazySpan.fn("Calls.start")(Effect.fnUntraced(function*(
        accountId: AccountId,
        given: StartCall,
        options: { readonly idempotencyKey?: string } = {}
      ) {
        const number = yield* readIn(accountId, given.phoneNumber)
        if (number._tag === "NotANumber") return yield* refuse(notANumber(number.message))
        const { assessment } = number
        if (assessment._tag === "NotPossible") return yield* refuse(impossibleNumber)
        const request = normalized({ ...given, phoneNumber: assessment.number })
        const now = yield* DateTime.now
        const id = yield* makeCallId.pipe(Effect.provideService(SecureRandom.SecureRandom, random))
        const idempotency = options.idempotencyKey === undefined
          ? Option.none()
          : Option.some({ key: options.idempotencyKey, fingerprint: yield* fingerprint(request) })
        const result = yield* orUnavailable(withEventWriter({ now }, (events) =>
          callStore.start({
            accountId,
            agentId: request.agentId,
            now,
            idempotency,
            phoneNumber: request.phoneNumber,
            rules,
            aliasesOf: erasureKeys.aliasesOf(accountId),
            plan: ({ agent, ...facts }) =>
              planCall({ id, request, assessment, facts, agent: Option.getOrUndefined(agent), admission }),
            events
          })))
        switch (result._tag) {
          case "Started":
            yield* Metrics.accepted("call", 1, result.call.test)
            yield* CallTrace.mark(result.call.id, "Call.accepted", { account_id: accountId })
            yield* wakeups.notify(result.call.status === "queued" ? "dial" : "delivery", accountId)
            return { ...(yield* shown(result.call, holdOf(result.call, result.facts))), idempotentReplay: false }
          case "Replayed":
            return { ...(yield* current(result.call)), idempotentReplay: true }
          case "KeyReused":
            return yield* refuse(new IdempotencyKeyReused({ callId: result.callId }))
          case "KeyInUse":
            return yield* refuse(new IdempotencyKeyInUse({}))
          case "Refused":
            return yield* refuse(result.reason)
          default:
            return result satisfies never
        }
      }))

      /** Calls are stored under the canonical form of their number. */
      const canonical = Effect.fnUntraced(function*(accountId: AccountId, { phoneNumber, ...rest }: CallSearch) {
        if (phoneNumber === undefined) return rest
        const number = yield* readIn(accountId, phoneNumber)
        if (number._tag === "NotANumber") return yield* notANumber(number.message)
        const { assessment } = number
        return { ...rest, phoneNumber: assessment._tag === "NotPossible" ? number.number : assessment.number }
      })

      const noCall = (id: CallId) => new NotFound({ what: `call ${id}` })

      return Calls.of({
        start,
        get: Effect.fn("Calls.get")(function*(accountId, id) {
          const found = yield* orUnavailable(callStore.get(accountId, id))
          return Option.isSome(found) ? yield* current(found.value) : yield* noCall(id)
        }),
        list: Effect.fn("Calls.list")(function*(accountId, filter, page) {
          const found = callStore.list({ accountId, filter: yield* canonical(accountId, filter), page })
          const { hasMore, items } = yield* orUnavailable(found)
          return { hasMore, items: yield* allShown(accountId, items) }
        }),
        cancel: Effect.fn("Calls.cancel")(function*(accountId, id) {
          const now = yield* DateTime.now
          const result = yield* orUnavailable(
            withEventWriter({ now }, (events) => callStore.cancel({ accountId, id, now, events }))
          )
          switch (result._tag) {
            case "Canceled":
              yield* wakeups.notify("delivery", accountId)
              return yield* shown(result.call, undefined)
            case "NotCancelable":
              return yield* new CallNotCancelable({ callId: id, callStatus: result.call.status })
            case "NotFound":
              return yield* noCall(id)
            default:
              return result satisfies never
          }
        }),
        hangUp: Effect.fn("Calls.hangUp")(function*(accountId, id) {
          const { agent, call } = yield* hangUps.request(accountId, id)
          const { carrierCallId, submittedAt } = call.claim ?? {}
          const name = call.carrier ?? firstCarrier
          const carrier = name === undefined ? undefined : carriers.get(name)
          if (carrier !== undefined && submittedAt !== undefined) {
            const placed = {
              accountId,
              callId: id,
              phoneNumber: call.phoneNumber,
              submittedAt,
              ...(agent?.callerId !== undefined && { callerId: agent.callerId }),
              ...(carrierCallId !== undefined && { carrierCallId })
            }
            // If the request does not reach the carrier, the next sign of life is answered with `hang_up`.
            yield* Effect.timeoutOption(carrier.hangUp(placed), hangUpTimeout)
          }
          return yield* current(call)
        })
      })
    })
  )
}

/** How long a request to end a call waits for the carrier. */
const hangUpTimeout = "10 seconds"

const refuse = (reason: RefusalReason) => Effect.fail(new CallRefused({ reason }))
