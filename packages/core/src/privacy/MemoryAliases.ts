/** The aliases of numbers that were erased: see `Erasing`. */
import { Effect } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import { type Database, type Tables, tablesOf } from "../storage/MemoryTables.ts"
import type { AliasesOf } from "../storage/AliasesOf.ts"
import type { StorageError } from "../storage/StorageError.ts"

/** By their numbers. */
export type Aliases = ReadonlyMap<PhoneNumber, PhoneNumber>

/** The aliases of the erased numbers that the account has used again. */
export const known = ({ erasedCallees }: Tables): Aliases =>
  new Map([...erasedCallees].flatMap(([alias, number]) => number === undefined ? [] : [[number, alias]]))

/** Stores the numbers of these aliases, if their callees were erased. */
export const remember = ({ erasedCallees }: Tables, aliases: Aliases) => {
  for (const [number, alias] of aliases) if (erasedCallees.has(alias)) erasedCallees.set(alias, number)
}

/** Runs the step with the aliases of the numbers; without aliases if the account has erased no callee. */
export const withAliases = <A>(
  db: Database,
  { accountId, aliasesOf, phoneNumbers }: {
    readonly accountId: AccountId
    readonly aliasesOf?: AliasesOf
    readonly phoneNumbers: ReadonlyArray<PhoneNumber>
  },
  step: (aliases: Aliases) => A
): Effect.Effect<A, StorageError> =>
  Effect.suspend(() => {
    const { account: { erasureKey } } = tablesOf(db, accountId)
    if (erasureKey === undefined) return Effect.succeed(step(new Map()))
    if (aliasesOf === undefined) throw new Error(`${accountId} has erased a callee: aliasesOf is required`)
    return Effect.map(aliasesOf(erasureKey, phoneNumbers), step)
  })
