/** How long an account keeps its calls and their words, and what is left of a call when its words go. */
import { DateTime } from "effect"
import type { Account } from "../../domain/Account.ts"
import type { CallState } from "../../domain/Call.ts"
import { without } from "../call/CallLife.ts"
import { isErasable } from "./Erasure.ts"
import * as DialFacts from "../policy/DialFacts.ts"

export interface Cutoffs {
  /** Calls accepted by then go; absent when they are kept. */
  readonly calls?: DateTime.Utc
  /** Transcripts and recordings of calls accepted by then go; absent when they are kept. */
  readonly transcripts?: DateTime.Utc
}

/** What is too old at `now`. A call that the rules can still ask about is not, whatever the owner says. */
export const cutoffs = (account: Account, now: DateTime.Utc): Cutoffs => {
  // A policy that cannot be read says nothing, and what is gone does not come back.
  const { callDays, transcriptDays } = account.policy?.retention ?? {}
  const ago = (days: number) => DateTime.subtract(now, { hours: 24 * days })
  return {
    ...(callDays !== undefined && { calls: DateTime.min(ago(callDays), DialFacts.history(account, now).since) }),
    ...(transcriptDays !== undefined && { transcripts: ago(transcriptDays) })
  }
}

/** The call without transcript and recording; `undefined` while something is still to be made of them. */
export const withoutTranscript = <C extends CallState>(call: C): C | undefined => {
  if (!isErasable(call)) return undefined
  return {
    ...without(call, ["transcript"]),
    hasRecording: false,
    outcome: call.outcome === null ? null : { ...call.outcome, transcript: [] }
  }
}
