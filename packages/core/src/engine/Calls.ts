/**
 * Starting, reading and canceling calls. A call that is returned is stored; a request that is refused leaves nothing behind.
 */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { type Call, type CallRecord, fromRecord, type StartCall } from "../domain/Call.ts"
import {
  CallAlreadyQueued,
  CallNotCancelable,
  CallRefused,
  IdempotencyKeyInUse,
  IdempotencyKeyReused,
  NotFound,
  type RefusalReason,
  type Unavailable
} from "../domain/Errors.ts"
import { type AccountId, type CallId, makeCallId } from "../domain/Ids.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { PhoneNumbers } from "../ports/PhoneNumbers.ts"
import { type CallFilter, Storage } from "../ports/Storage.ts"
import { Wakeups } from "../ports/Wakeups.ts"
import { eventWriter } from "../rules/EventBodies.ts"
import { impossibleNumber, normalized, planCall } from "./CallPlanning.ts"
import * as Fingerprint from "./Fingerprint.ts"
import { RecordingLinks } from "./RecordingLinks.ts"
import { orUnavailable } from "./Unavailable.ts"

export class Calls extends Context.Service<Calls, {
  /** Queues one call; `idempotentReplay` tells whether an earlier request with the same key had made it. */
  readonly start: (
    accountId: AccountId,
    request: StartCall,
    options?: { readonly idempotencyKey?: string }
  ) => Effect.Effect<Call, CallRefused | Unavailable>
  /** The call as it is now, with a fresh link to its recording. */
  readonly get: (accountId: AccountId, id: CallId) => Effect.Effect<Call, NotFound | Unavailable>
  /** Newest first by (`createdAt`, `id`). */
  readonly list: (
    accountId: AccountId,
    filter: CallFilter,
    page: PageRequest
  ) => Effect.Effect<Page<Call>, Unavailable>
  /** Cancels a call that is still queued. Between it and a dial the first to commit wins. */
  readonly cancel: (
    accountId: AccountId,
    id: CallId
  ) => Effect.Effect<Call, NotFound | CallNotCancelable | Unavailable>
}>()("@outdial/core/engine/Calls") {
  static readonly layer = Layer.effect(
    Calls,
    Effect.gen(function*() {
      const storage = yield* Storage
      const numbers = yield* PhoneNumbers
      const links = yield* RecordingLinks
      const wakeups = yield* Wakeups
      const random = yield* SecureRandom.SecureRandom
      const fingerprint = yield* Fingerprint.make.pipe(Effect.provideService(Digest.Digest, yield* Digest.Digest))

      const shown = (record: CallRecord) => Effect.map(links.make(record), (link) => fromRecord(record, link))

      const start = Effect.fn("Calls.start")(function*(
        accountId: AccountId,
        given: StartCall,
        options: { readonly idempotencyKey?: string } = {}
      ) {
        const assessment = numbers.assess(given.phoneNumber)
        if (assessment._tag === "NotPossible") return yield* refuse(impossibleNumber)
        const request = normalized({ ...given, phoneNumber: assessment.number })
        const now = yield* DateTime.now
        const id = yield* makeCallId.pipe(Effect.provideService(SecureRandom.SecureRandom, random))
        const result = yield* orUnavailable(storage.startCall({
          accountId,
          agentId: request.agentId,
          now,
          idempotency: options.idempotencyKey === undefined
            ? Option.none()
            : Option.some({ key: options.idempotencyKey, fingerprint: yield* fingerprint(request) }),
          plan: ({ account, agent }) =>
            planCall({ id, now, request, assessment, account, agent: Option.getOrUndefined(agent) }),
          events: eventWriter(now)
        }))
        switch (result._tag) {
          case "Started":
            yield* wakeups.notify(result.call.status === "queued" ? "dial" : "delivery", accountId)
            return { ...(yield* shown(result.call)), idempotentReplay: false }
          case "Replayed":
            return { ...(yield* shown(result.call)), idempotentReplay: true }
          case "KeyReused":
            return yield* refuse(new IdempotencyKeyReused({ callId: result.callId }))
          case "KeyInUse":
            return yield* refuse(new IdempotencyKeyInUse({}))
          case "AlreadyQueued":
            return yield* refuse(new CallAlreadyQueued({ callId: result.callId }))
          case "Refused":
            return yield* refuse(result.reason)
          default:
            return result satisfies never
        }
      })

      /** Calls are stored under their number's canonical form, so that is what is looked for. */
      const canonical = ({ phoneNumber }: CallFilter): CallFilter => {
        const assessment = phoneNumber === undefined ? undefined : numbers.assess(phoneNumber)
        return assessment === undefined || assessment._tag === "NotPossible" ? {} : { phoneNumber: assessment.number }
      }

      const noCall = (id: CallId) => new NotFound({ what: `call ${id}` })

      return Calls.of({
        start,
        get: Effect.fn("Calls.get")(function*(accountId, id) {
          const found = yield* orUnavailable(storage.getCall(accountId, id))
          return Option.isSome(found) ? yield* shown(found.value) : yield* noCall(id)
        }),
        list: Effect.fn("Calls.list")(function*(accountId, filter, page) {
          const { hasMore, items } = yield* orUnavailable(
            storage.listCalls({ accountId, filter: { ...filter, ...canonical(filter) }, page })
          )
          return { hasMore, items: yield* Effect.forEach(items, (record) => shown(record)) }
        }),
        cancel: Effect.fn("Calls.cancel")(function*(accountId, id) {
          const now = yield* DateTime.now
          const result = yield* orUnavailable(storage.cancelCall({ accountId, id, now, events: eventWriter(now) }))
          switch (result._tag) {
            case "Canceled":
              yield* wakeups.notify("delivery", accountId)
              return yield* shown(result.call)
            case "NotCancelable":
              return yield* new CallNotCancelable({ callId: id, callStatus: result.call.status })
            case "NotFound":
              return yield* noCall(id)
            default:
              return result satisfies never
          }
        })
      })
    })
  )
}

const refuse = (reason: RefusalReason) => Effect.fail(new CallRefused({ reason }))
