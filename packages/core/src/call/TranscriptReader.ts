/**
 * Reads the turns of a transcript in order: from the log while the call is spoken, and from the call once the log is sealed. Turns are
 * numbered from 1 in the log and in the call alike, so that a reader continues after the seal where it was.
 */
import { Effect, Option } from "effect"
import { CallStore } from "./CallStore.ts"
import type { CallRecord } from "../domain/Call.ts"
import type { AccountId, CallId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import type { TranscriptTurn } from "../domain/Outcome.ts"
import type { NumberedTurn } from "../domain/Transcript.ts"
import type { StorageError } from "../storage/StorageError.ts"
import { ConversationStore, type LogPage } from "../conversation/ConversationStore.ts"

/** How far a log was read. */
export interface Position {
  readonly accountId: AccountId
  readonly callId: CallId
  /** The sequence number of the last entry that was read. */
  readonly after: number
  /** How many turns were read. */
  readonly turns: number
}

export interface Read {
  readonly position: Position
  readonly turns: ReadonlyArray<NumberedTurn>
  /** `more`: there may be more in storage now. `waiting`: not yet. `sealed`: that was all. */
  readonly state: "more" | "waiting" | "sealed"
}

/** Applies a page of the log that follows the position. A final log has no entries: the call has the rest. */
export const readPage = (position: Position, { entries }: Pick<LogPage, "entries">): Omit<Read, "state"> => {
  const turns: Array<NumberedTurn> = []
  for (const { entry } of entries) {
    if (entry._tag !== "Turn") continue
    const { at, endedAt, interrupted, speaker, text } = entry
    turns.push(numbered(
      { speaker, text, startMs: at, endMs: endedAt, ...(interrupted !== undefined && { interrupted }) },
      position.turns + turns.length
    ))
  }
  const after = entries.at(-1)?.sequence ?? position.after
  return { position: { ...position, after, turns: position.turns + turns.length }, turns }
}

/** The turns of the call after the position; all of the outcome's transcript once that is stored. */
const readCall = (position: Position, { outcome, transcript }: Pick<CallRecord, "outcome" | "transcript">): Read => {
  const turns = (transcript ?? outcome?.transcript ?? []).map(numbered).slice(position.turns)
  return { position: { ...position, turns: position.turns + turns.length }, turns, state: "sealed" }
}

const numbered = (turn: TranscriptTurn, index: number): NumberedTurn => ({ sequence: index + 1, ...turn })

/** Reads what follows the position. */
export type ReadNext = (position: Position) => Effect.Effect<Read, StorageError>

export const make = Effect.gen(function*() {
  const calls = yield* CallStore
  const conversations = yield* ConversationStore

  const readNext: ReadNext = Effect.fnUntraced(function*(position) {
    const { accountId, callId } = position
    const [page] = yield* conversations.readMany({ logs: [position], limit: Limits.transcriptPage })
    if (page === undefined || page.isFinal) {
      const call = yield* calls.get(accountId, callId)
      return readCall(position, Option.getOrElse(call, () => ({ outcome: null })))
    }
    return { ...readPage(position, page), state: page.entries.length < Limits.transcriptPage ? "waiting" : "more" }
  })

  return readNext
})
