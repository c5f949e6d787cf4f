/** Measures how long the contact waits for an answer: from the final words to the first part of it, and to the first words sent. */
import { Clock, Effect } from "effect"
import type { AgentId, CallId } from "../domain/Ids.ts"
import * as CallTrace from "../observe/CallTrace.ts"
import * as Metrics from "../observe/Metrics.ts"

export interface TurnLatency {
  /** The contact's final words were heard, at that time in epoch milliseconds. */
  readonly heard: (at: number) => void
  /** The agent has produced a part of its answer. */
  readonly produced: (at: number) => void
  /** The first words after the contact's are recorded. */
  readonly spoke: Effect.Effect<void>
}

export const make = (agentId: AgentId, callId: CallId): TurnLatency => {
  let heardAt: number | undefined
  let producedAt: number | undefined
  return {
    heard: (at) => {
      heardAt = at
      producedAt = undefined
    },
    produced: (at) => {
      producedAt ??= at
    },
    spoke: Effect.suspend(() => {
      if (heardAt === undefined) return Effect.void
      const since = heardAt
      // Absent when the contact hears a filler first.
      const part = producedAt === undefined ? undefined : producedAt - since
      heardAt = undefined
      return Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.andThen(
          Metrics.answered(agentId, { part, words: now - since }),
          CallTrace.mark(callId, "Conversation.answered", {
            "latency.ms": String(now - since),
            ...(part !== undefined && { "first_part.ms": String(part) })
          })
        ))
    })
  }
}
