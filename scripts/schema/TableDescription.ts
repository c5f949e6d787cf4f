/**
 * What the schema does not say of itself: the meaning of a table, its columns, indexes and CHECK constraints. `SchemaReference`
 * makes `docs/reference/schema.md` of it.
 */

export interface TableDescription {
  readonly holds: string
  /** What causes rows. */
  readonly grows: string
  /** What removes rows, and when. */
  readonly pruned: string
  readonly columns: Readonly<Record<string, string>>
  /** The queries that each index serves, the primary key's included. */
  readonly indexes: Readonly<Record<string, string>>
  readonly checks: Readonly<Record<string, string>>
}

export const account = "The account that owns the row."
export const sealed = "a JSON document with `ciphertext`, `key_id` of the secret key that opens it, and `hint`"
export const never = "Never."
