/** Reports to callers that storage is unavailable, with an error of the public list. */
import { Effect } from "effect"
import { Unavailable } from "../domain/Errors.ts"
import type { StorageError } from "./StorageError.ts"

/** `StorageError` becomes `Unavailable`. Storage itself has already retried conflicts. */
export const orUnavailable = <A, E, R>(
  self: Effect.Effect<A, E | StorageError, R>
): Effect.Effect<A, Exclude<E, StorageError> | Unavailable, R> =>
  Effect.catchTag(self, "StorageError", (cause) => Effect.fail(new Unavailable({ cause }))) as Effect.Effect<
    A,
    // The caught tag is removed; the compiler cannot subtract it from a type parameter.
    Exclude<E, StorageError> | Unavailable,
    R
  >
