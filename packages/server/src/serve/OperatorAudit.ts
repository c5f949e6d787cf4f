/** The audit log of what the operators of a server change by its command line, and of links that it prints. */
import { type AuditEntry, AuditLog, Errors } from "@outdial/core"
import { Cause, Effect, Exit, Option } from "effect"

/** Records the change before it is made, and its status after, with what `detailsOf` says of the result. A change that cannot be recorded is not made. */
export const audited = Effect.fnUntraced(function*<A, E, R>(
  change: Omit<AuditLog.Change, "role">,
  work: Effect.Effect<A, E, R>,
  detailsOf: (result: A) => AuditEntry.AuditEntry["details"] = () => ({})
) {
  const log = yield* AuditLog.AuditLog
  const entry = yield* log.begin({ role: "admin", ...change })
  return yield* Effect.onExit(
    work,
    (exit) =>
      log.complete(entry, { status: statusOf(exit), details: Exit.isSuccess(exit) ? detailsOf(exit.value) : {} }).pipe(
        Effect.catch((error) => Effect.logError("An entry of the audit log could not be completed", error))
      )
  )
})

/** As the HTTP status of the same change in the console. */
const statusOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return 200
  return Option.getOrUndefined(Cause.findErrorOption(exit.cause)) instanceof Errors.NotFound ? 404 : 500
}
