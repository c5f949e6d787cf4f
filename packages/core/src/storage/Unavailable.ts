/** Tells callers that storage is away, in the words of the one list of errors. */
import { Effect } from "effect"
import { Unavailable } from "../domain/Errors.ts"
import type { StorageError } from "./StorageError.ts"

/** `StorageError` becomes `Unavailable`; a conflict has been tried again by storage itself before it comes here. */
export const orUnavailable = <A, E, R>(
  self: Effect.Effect<A, E | StorageError, R>
): Effect.Effect<A, Exclude<E, StorageError> | Unavailable, R> =>
  Effect.catchTag(self, "StorageError", (cause) => Effect.fail(new Unavailable({ cause }))) as Effect.Effect<
    A,
    // The one tag caught is gone; the compiler cannot subtract it from a type parameter.
    Exclude<E, StorageError> | Unavailable,
    R
  >
