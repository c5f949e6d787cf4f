/** How long an account keeps its calls and transcripts, and what remains of a call without its transcript. */
import { DateTime } from "effect"
import type { Account } from "../../domain/Account.ts"
import type { CallState } from "../../domain/Call.ts"
import type { Outcome } from "../../domain/Outcome.ts"
import { without } from "../call/CallLife.ts"
import { isErasable } from "./Erasure.ts"
import * as DialFacts from "../policy/DialFacts.ts"

export interface Cutoffs {
  /** Calls accepted before then are deleted; absent when they are kept. */
  readonly calls?: DateTime.Utc
  /** Transcripts and recordings of calls accepted before then are deleted; absent when they are kept. */
  readonly transcripts?: DateTime.Utc
}

/** The cut-off instants at `now`. A call that the rules can still need is kept, whatever the policy says. */
export const cutoffs = (account: Account, now: DateTime.Utc): Cutoffs => {
  // Without a readable policy nothing is deleted, because a deletion is final.
  const { callDays, transcriptDays } = account.policy?.retention ?? {}
  const ago = (days: number) => DateTime.subtract(now, { hours: 24 * days })
  return {
    ...(callDays !== undefined && { calls: DateTime.min(ago(callDays), DialFacts.history(account, now).since) }),
    ...(transcriptDays !== undefined && { transcripts: ago(transcriptDays) })
  }
}

/** The call without transcript, recording and evidence, which quotes the transcript; `undefined` while its outcome is pending. */
export const withoutTranscript = <C extends CallState>(call: C): C | undefined => {
  if (!isErasable(call)) return undefined
  return {
    ...without(call, ["notes", "transcript"]),
    hasRecording: false,
    outcome: call.outcome === null ? null : unquoted(call.outcome)
  }
}

const unquoted = ({ evidence: _, ...outcome }: Outcome): Outcome => ({ ...outcome, transcript: [] })
