import type { Effect } from "effect"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { SealedSecret } from "../domain/SealedSecret.ts"
import type { StorageError } from "./StorageError.ts"

/** The aliases of the numbers under the account's key. */
export type AliasesOf = (
  key: SealedSecret,
  numbers: ReadonlyArray<PhoneNumber>
) => Effect.Effect<ReadonlyMap<PhoneNumber, PhoneNumber>, StorageError>
