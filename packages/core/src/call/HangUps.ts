/**
 * Ends live calls. The request is stored, so that every node answers the next sign of life with it, and the janitor
 * repeats it. A provider in another process ends the call within `Limits.aliveEvery`, any other within a line lease.
 */
import { Context, DateTime, Effect, Layer } from "effect"
import type { Agent } from "../domain/Agent.ts"
import type { CallRecord } from "../domain/Call.ts"
import { CallNotLive, NotFound, type Unavailable } from "../domain/Errors.ts"
import type { AccountId, CallId } from "../domain/Ids.ts"
import { isErased } from "../domain/PhoneNumber.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { CallStore } from "./CallStore.ts"

export class HangUps extends Context.Service<HangUps, {
  /**
   * Requests the end of the call and returns its present state, with its agent while it is live. A call that has ended
   * is returned unchanged. Safe to repeat.
   */
  readonly request: (
    accountId: AccountId,
    id: CallId
  ) => Effect.Effect<
    { readonly call: CallRecord; readonly agent?: Agent },
    NotFound | CallNotLive | Unavailable
  >
}>()("@outdial/core/call/HangUps") {
  static readonly layer = Layer.effect(
    HangUps,
    Effect.map(CallStore, (callStore) =>
      HangUps.of({
        request: Effect.fn("HangUps.request")(function*(accountId, id) {
          const result = yield* orUnavailable(callStore.requestHangUp({ accountId, id, now: yield* DateTime.now }))
          if (result._tag === "NotFound" || isErased(result.call.phoneNumber)) {
            return yield* new NotFound({ what: `call ${id}` })
          }
          if (result.call.status === "queued") return yield* new CallNotLive({ callId: id })
          return result
        })
      }))
  )
}
