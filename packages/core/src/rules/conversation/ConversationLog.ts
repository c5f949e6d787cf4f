/**
 * The log of a conversation: who may write it, and what is folded from it into its call. Storage applies these functions under its locks,
 * so that memory and SQL cannot disagree.
 */
import { DateTime } from "effect"
import * as Call from "../../domain/Call.ts"
import type { CallState } from "../../domain/Call.ts"
import type { Entry, LoggedNote, Note } from "../../domain/Conversation.ts"
import * as Limits from "../../domain/Limits.ts"
import { summed } from "../../domain/ModelUsage.ts"
import * as Outcome from "../../domain/Outcome.ts"

/** The right to write a log. */
export interface Tenure {
  /** Raised by each acquisition, so that earlier writers are refused; `noWriter` once the log is sealed. */
  readonly generation: number
  readonly leaseUntil: DateTime.Utc
}

/** The generation of a sealed log: no acquisition has it. */
export const noWriter = 0

/** The call with an open log; `undefined` when its conversation cannot be held: it is not with a carrier, its line has ended, or its log is sealed. */
export const opened = <C extends CallState>(call: C): C | undefined => {
  const { claim, conversation, lineEnd, status } = call
  if (!Call.usesLine(status) || claim?.submittedAt === undefined) return undefined
  if (lineEnd !== undefined || conversation === "sealed") return undefined
  return conversation === "open" ? call : { ...call, conversation: "open" }
}

/** The next tenure; `undefined` while another process has the lease and its line has not moved. */
export const acquired = (
  tenure: Tenure | undefined,
  { now, takesOver }: { readonly now: DateTime.Utc; readonly takesOver: boolean }
): Tenure | undefined =>
  tenure !== undefined && !takesOver && DateTime.isGreaterThan(tenure.leaseUntil, now)
    ? undefined
    : { generation: (tenure?.generation ?? 0) + 1, leaseUntil: lease(now) }

/**
 * Who has the conversation of a call: `held` by a process; `left` by its process, or not begun although the call was answered; `over`; or there
 * is `none` yet.
 */
export type Holding = "held" | "left" | "over" | "none"

export const holdingOf = (
  { conversation, lineEnd, status }: Pick<CallState, "conversation" | "lineEnd" | "status">,
  tenure: Pick<Tenure, "leaseUntil"> | undefined,
  now: DateTime.Utc
): Holding => {
  if (conversation === "sealed" || lineEnd !== undefined || Call.isFinal(status)) return "over"
  if (tenure !== undefined && DateTime.isGreaterThan(tenure.leaseUntil, now)) return "held"
  return status === "in_progress" ? "left" : "none"
}

/** When a lease that is renewed now runs out. */
export const lease = (now: DateTime.Utc): DateTime.Utc => DateTime.addDuration(now, Limits.conversationLease)

/** Whether the contact spoke in these entries. */
export const hasContactWords = (entries: ReadonlyArray<Entry>): boolean =>
  Outcome.hasContactWords(entries.filter(isTurn))

/** Whether a voicemail box answered. */
export const isVoicemail = (entries: ReadonlyArray<Entry>): boolean =>
  entries.some((entry) => entry._tag === "Machine" && entry.kind === "voicemail")

/** The last note about a transfer. */
export const lastTransfer = (
  entries: ReadonlyArray<Entry>
): Extract<Note, { readonly _tag: "Transfer" }> | undefined =>
  entries.flatMap((entry) => entry._tag === "Noted" && entry.note._tag === "Transfer" ? [entry.note] : []).at(-1)

/** Whether the call's transcript is final: its log is sealed, or it has ended without a log. */
export const isFinal = ({ conversation, status }: Pick<CallState, "conversation" | "status">): boolean =>
  conversation === "sealed" || (conversation === undefined && Call.isFinal(status))

/** What a call keeps of its log. */
export const folded = (
  { transcript }: Pick<CallState, "transcript">,
  entries: ReadonlyArray<Entry>
): Pick<CallState, "notes" | "transcript" | "usage"> => {
  const said = transcriptOf(turnsOf(entries), transcript)
  const usage = summed(entries.filter((entry) => entry._tag === "ModelUsed"))
  const notes = notesOf(entries)
  return {
    ...(said !== undefined && { transcript: said }),
    ...(notes.length > 0 && { notes }),
    ...(usage.length > 0 && { usage })
  }
}

const notesOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<LoggedNote> => {
  let turns = 0
  let sequence: number | undefined
  return entries.flatMap((entry): ReadonlyArray<LoggedNote> => {
    if (isTurn(entry)) {
      turns += 1
      if (hasContactWords([entry])) sequence = turns
    }
    if (entry._tag !== "Noted") return []
    return [entry.note._tag === "Answer" && sequence !== undefined ? { ...entry.note, sequence } : entry.note]
  })
}

type Transcript = CallState["transcript"]

/** The transcript of the log, or the carrier's if only that has words of the contact. */
export const transcriptOf = (logged: Transcript, reported: Transcript): Transcript => {
  if (logged === undefined || reported === undefined) return logged ?? reported
  return Outcome.hasContactWords(logged) || !Outcome.hasContactWords(reported) ? logged : reported
}

const turnsOf = (entries: ReadonlyArray<Entry>): Transcript => {
  const turns = entries.filter(isTurn).map(({ at, endedAt, interrupted, speaker, text }): Outcome.TranscriptTurn => ({
    speaker,
    text,
    startMs: at,
    endMs: endedAt,
    ...(interrupted !== undefined && { interrupted })
  }))
  return turns.length === 0 ? undefined : turns
}

const isTurn = (entry: Entry): entry is Extract<Entry, { readonly _tag: "Turn" }> => entry._tag === "Turn"
