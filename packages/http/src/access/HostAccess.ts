/**
 * Requests that the host lets in by its own means, such as its session or its gateway, in place of API keys. The host says on
 * whose behalf a request is made, and who is held to the rate limit.
 */
import { Accounts, ApiKey, Errors, Ids } from "@outdial/core"
import { Effect, Schema } from "effect"

/** On whose behalf a request is made, and what it may do. */
export interface HostAccess {
  readonly accountId: string
  /** All scopes when not given. */
  readonly scopes?: ReadonlyArray<ApiKey.Scope> | undefined
  /** Who asks, such as the id of the host's user: each has a rate limit of their own in the account. Storage keeps a hash of it. */
  readonly principal?: string | undefined
}

/** Nothing for a request that is not let in, which is answered with 401. One that throws is answered with 500. */
export type Authenticate<HostRequest> = (
  request: HostRequest
) => HostAccess | undefined | null | Promise<HostAccess | undefined | null>

const Access = Schema.Struct({
  accountId: Ids.AccountId,
  scopes: Schema.optional(Schema.Array(ApiKey.Scope)),
  // Nobody's id is empty: users without one would share a limit.
  principal: Schema.optional(Schema.NonEmptyString)
})

// A misspelled `scopes` that is ignored would give all of them.
const decode = Schema.decodeUnknownEffect(Schema.UndefinedOr(Access), { onExcessProperty: "error" })

/** Asks the host. What it answers must be right: anything else is a fault of its own, and lets nobody in. */
export const ask = <HostRequest>(authenticate: Authenticate<HostRequest>, request: HostRequest) =>
  Effect.gen(function*() {
    const answer = yield* Effect.promise(async () => authenticate(request))
    const access = yield* Effect.orDie(decode(answer ?? undefined))
    if (access === undefined) return yield* new Errors.Unauthenticated({ why: "host" })
    const accounts = yield* Accounts.Accounts
    yield* Effect.catchTag(accounts.get(access.accountId), "NotFound", Effect.die)
    return { ...access, scopes: access.scopes ?? ApiKey.Scope.literals }
  })
