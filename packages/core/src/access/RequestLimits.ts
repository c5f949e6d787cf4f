/**
 * How often the users of a host may ask. Counts in the sliding windows of API keys, which stand in storage and are exact for any
 * number of processes. Storage sees a hash of who asks, not the name that the host has for them.
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
  /** Who asks, by a name of the host's; the whole account has a window of its own when there is none. */
  readonly principal?: string | undefined
  /** Requests in any 60 seconds. */
  readonly limit: number
}

export class RequestLimits extends Context.Service<RequestLimits, {
  /** Takes one request of the principal in the account. One that is not allowed is to be refused, and is not counted. */
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
