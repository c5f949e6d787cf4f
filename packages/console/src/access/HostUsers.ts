/** Users that the host of a console authenticates, such as by its own session, instead of links. */
import { Accounts, ConsoleRole, ConsoleSession, Decoding, Errors, Ids } from "@outdial/core"
import { Effect, Schema } from "effect"

/** A user of the host, and what they may do. */
export interface HostUser {
  readonly role: ConsoleRole.Role
  /** For the audit log. */
  readonly name: string
  /** The only account that the user may see. Default: all accounts. */
  readonly accountId?: string | undefined
}

/** Returns the user of a request, or `undefined` or `null` to reject it with 401. If it throws, the response is 500. */
export type AuthenticateUser<HostRequest> = (
  request: HostRequest
) => HostUser | undefined | null | Promise<HostUser | undefined | null>

const read = Decoding.reading(
  Schema.Struct({
    role: ConsoleRole.Role,
    name: ConsoleSession.UserName,
    accountId: Schema.optionalKey(Schema.UndefinedOr(Ids.AccountId))
  }).annotate({ message: "must be an object" })
)

/** A fault of the host's `authenticate`. The message goes to the host's log, so it names fields and holds no value. */
const wrongAnswer = (problem: string) =>
  new TypeError(
    `authenticate returned a wrong value: ${problem}. It must return { role, name, accountId }, of which accountId is optional, or ` +
      "undefined for a request to refuse with 401"
  )

/** Calls the host's function. An invalid result is a defect, so that the request is rejected. */
export const resolve = <HostRequest>(authenticate: AuthenticateUser<HostRequest>, request: HostRequest) =>
  Effect.gen(function*() {
    const answer = yield* Effect.promise(async () => authenticate(request))
    if (answer === undefined || answer === null) return yield* new Errors.Unauthenticated({ why: "host" })
    const { accountId, name, role } = yield* Effect.fromResult(read(answer)).pipe(
      Effect.catch(({ message }) => Effect.die(wrongAnswer(message)))
    )
    const accounts = yield* Accounts.Accounts
    if (accountId !== undefined) {
      yield* Effect.catchTag(
        accounts.get(accountId),
        "NotFound",
        () => Effect.die(wrongAnswer("accountId is that of no account"))
      )
    }
    return { role, name, sessionId: undefined, accountId }
  })
