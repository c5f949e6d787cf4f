/**
 * How the entries of a log are stored: a few in each row, the latest first, and turns in a short form. An entry that is added in front
 * leaves all bytes behind it as they are, so that the write-ahead log gets this entry only, and no index entry.
 */
import type { Conversation, Ids, Storage } from "@outdial/core"

/** Entries of a row. Eight turns of ordinary length stay well below the 2 KB from which Postgres compresses a row or stores parts elsewhere. */
export const size = 8

type Turn = Extract<Conversation.Entry, { readonly _tag: "Turn" }>

type StoredTurn = readonly [speaker: Turn["speaker"], text: string, at: number, endedAt: number, interrupted?: boolean]

export interface EntryRow {
  readonly call_id: Ids.CallId
  /** From 0. Has the entries from `chunk * size + 1` on. */
  readonly chunk: number
  readonly entries: ReadonlyArray<StoredTurn | Exclude<Conversation.Entry, Turn>>
}

/** The JSON of an entry. */
export const encoded = (entry: Conversation.Entry): string => {
  if (entry._tag !== "Turn") return JSON.stringify(entry)
  const { at, endedAt, interrupted, speaker, text } = entry
  return JSON.stringify([speaker, text, at, endedAt, ...interrupted === undefined ? [] : [interrupted]])
}

/** The entries of rows in the order of their chunks. */
export const entriesOf = (
  rows: ReadonlyArray<Pick<EntryRow, "chunk" | "entries">>
): ReadonlyArray<Storage.LoggedEntry> =>
  rows.flatMap(({ chunk, entries }) =>
    entries.toReversed().map((entry, index) => ({ sequence: chunk * size + index + 1, entry: toEntry(entry) }))
  )

const toEntry = (entry: EntryRow["entries"][number]): Conversation.Entry => {
  // Of the two forms only turns are arrays.
  if (!isTurn(entry)) return entry
  const [speaker, text, at, endedAt, interrupted] = entry
  return { _tag: "Turn", speaker, text, at, endedAt, ...(interrupted !== undefined && { interrupted }) }
}

const isTurn = (entry: EntryRow["entries"][number]): entry is StoredTurn => Array.isArray(entry)
