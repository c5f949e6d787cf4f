/**
 * Limits how often the users of a host may send requests. Uses the sliding windows of API keys, which are stored and
 * exact for any number of processes. Storage sees a hash of the principal, not the host's name for it.
 */
import { Context, DateTime, Effect, Layer } from "effect"
import { Digest } from "effect/crypto"
import type { Unavailable } from "../domain/Errors.ts"
import type { AccountId } from "../domain/Ids.ts"
import type * as RequestWindow from "../rules/access/RequestWindow.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { AccessStore } from "./AccessStore.ts"

export interface LimitedRequest {
  readonly accountId: AccountId
  /** The host's name for the user. Without one, the whole account shares a window. */
  readonly principal?: string | undefined
  /** Requests in any 60 seconds. */
  readonly limit: number
}

export class RequestLimits extends Context.Service<RequestLimits, {
  /** Takes one request from the principal's window. A request that is not allowed must be refused; it is not counted. */
  readonly take: (request: LimitedRequest) => Effect.Effect<RequestWindow.Verdict, Unavailable>
}>()("@outdial/core/access/RequestLimits") {
  static readonly layer = Layer.effect(
    RequestLimits,
    Effect.gen(function*() {
      const accessStore = yield* AccessStore
      const digest = yield* Digest.Digest
      return RequestLimits.of({
        take: Effect.fn("RequestLimits.take")(function*({ accountId, limit, principal }) {
          const name = principal === undefined
            ? "account"
            // SHA-256 of text cannot fail.
            : `principal:${yield* Effect.orDie(digest.digestHex(Digest.sha256, new TextEncoder().encode(principal)))}`
          return yield* orUnavailable(accessStore.takeFromWindow({ accountId, name, now: yield* DateTime.now, limit }))
        })
      })
    })
  )
}
