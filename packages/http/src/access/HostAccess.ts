/**
 * Authentication by the host, such as by its session or gateway, instead of API keys. The host returns the account of a request
 * and, for the rate limit, its user.
 */
import { Accounts, ApiKey, Decoding, Errors, Ids } from "@outdial/core"
import { Effect, Schema } from "effect"

/** The account of a request and its scopes. */
export interface HostAccess {
  readonly accountId: string
  /** What the request may do. Default: everything. */
  readonly scopes?: ReadonlyArray<ApiKey.Scope> | undefined
  /** The id of your user, for the rate limit: each user of an account has their own. Only a hash of it is stored. */
  readonly principal?: string | undefined
}

/** Returns the access of a request, or `undefined` or `null` to reject it with 401. If it throws, the response is 500. */
export type Authenticate<HostRequest> = (
  request: HostRequest
) => HostAccess | undefined | null | Promise<HostAccess | undefined | null>

const principal = { message: "must be text and not empty" }

const Access = Schema.Struct({
  accountId: Ids.AccountId,
  scopes: Schema.optional(Schema.Array(ApiKey.Scope)),
  // Rejects empty ids: users without an id would share a limit.
  principal: Schema.optionalKey(Schema.UndefinedOr(Schema.NonEmptyString.annotate(principal)).annotate(principal))
}).annotate({ message: "must be an object" })

// An ignored misspelled `scopes` would grant all scopes.
const read = Decoding.reading(Access)

/** A fault of the host's `authenticate`. The message goes to the host's log, so it names fields and holds no value. */
const wrongAnswer = (problem: string) =>
  new TypeError(
    `authenticate returned a wrong value: ${problem}. It must return { accountId, scopes, principal }, of which scopes and principal ` +
      "are optional, or undefined for a request to refuse with 401"
  )

/** Calls the host's function. An invalid result is a defect, so that the request is rejected. */
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
