/** Measures how long the contact waits for an answer: from the final words to the first part of it, and to the first words sent. */
import { Clock, Effect } from "effect"
import type { AgentInput } from "../domain/Conversation.ts"
import type { AgentId, CallId } from "../domain/Ids.ts"
import * as CallTrace from "../observe/CallTrace.ts"
import * as Metrics from "../observe/Metrics.ts"

export interface TurnLatency {
  /** The agent was asked, at that time in epoch milliseconds. */
  readonly asked: (input: AgentInput, at: number) => void
  /** The first words after the contact's are recorded. */
  readonly spoke: Effect.Effect<void>
}

export const make = (agentId: AgentId, callId: CallId): TurnLatency => {
  let askedAt: number | undefined
  return {
    asked: (input, at) => {
      askedAt = input._tag === "Words" ? at : undefined
    },
    spoke: Effect.suspend(() => {
      if (askedAt === undefined) return Effect.void
      const since = askedAt
      askedAt = undefined
      return Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.andThen(
          Metrics.answered(agentId, now - since),
          CallTrace.mark(callId, "Conversation.answered", { "latency.ms": String(now - since) })
        ))
    })
  }
}
