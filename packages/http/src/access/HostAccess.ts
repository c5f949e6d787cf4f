/**
 * Requests that the host lets in by its own means, such as its session or its gateway, in place of API keys. The host says on
 * whose behalf a request is made, and who is held to the rate limit.
 */
import { Accounts, ApiKey, Decoding, Errors, Ids } from "@outdial/core"
import { Effect, Schema } from "effect"

/** On whose behalf a request is made, and what it may do. */
export interface HostAccess {
  readonly accountId: string
  /** What the request may do. Default: everything. */
  readonly scopes?: ReadonlyArray<ApiKey.Scope> | undefined
  /** The id of your user, for the rate limit: each user of an account has their own. Only a hash of it is stored. */
  readonly principal?: string | undefined
}

/** Resolves with on whose behalf a request is made; with nothing for one to refuse with 401. When it throws, the answer is 500. */
export type Authenticate<HostRequest> = (
  request: HostRequest
) => HostAccess | undefined | null | Promise<HostAccess | undefined | null>

const principal = { message: "must be text and not empty" }

const Access = Schema.Struct({
  accountId: Ids.AccountId,
  scopes: Schema.optional(Schema.Array(ApiKey.Scope)),
  // Nobody's id is empty: users without one would share a limit.
  principal: Schema.optionalKey(Schema.UndefinedOr(Schema.NonEmptyString.annotate(principal)).annotate(principal))
}).annotate({ message: "must be an object" })

// A misspelled `scopes` that is ignored would give all of them.
const read = Decoding.reading(Access)

/** A fault of the host's `authenticate`. The message goes to the host's log, so it names fields and holds no value. */
const wrongAnswer = (problem: string) =>
  new TypeError(
    `authenticate returned a wrong value: ${problem}. It must return { accountId, scopes, principal }, of which scopes and principal ` +
      "are optional, or undefined for a request to refuse with 401"
  )

/** Asks the host. What it answers must be right: anything else is a fault of its own, and lets nobody in. */
export const resolve = <HostRequest>(authenticate: Authenticate<HostRequest>, request: HostRequest) =>
  Effect.gen(function*() {
    const answer = yield* Effect.promise(async () => authenticate(request))
    if (answer === undefined || answer === null) return yield* new Errors.Unauthenticated({ why: "host" })
    const access = yield* Effect.fromResult(read(answer)).pipe(
      Effect.catch(({ message }) => Effect.die(wrongAnswer(message)))
    )
    const accounts = yield* Accounts.Accounts
    yield* Effect.catchTag(
      accounts.get(access.accountId),
      "NotFound",
      () => Effect.die(wrongAnswer("accountId is that of no account"))
    )
    return { ...access, scopes: access.scopes ?? ApiKey.Scope.literals }
  })
