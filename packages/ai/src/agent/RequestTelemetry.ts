/** Metrics and the trace of the requests to language models. Nothing that was said is in either. */
import { CallTrace, type Ids, Metrics } from "@outdial/core"
import { Cause, Clock, Effect, Exit, Stream } from "effect"
import * as AgentPrompt from "./AgentPrompt.ts"
import type { Part } from "./ModelReply.ts"

export interface Request {
  readonly agentId: Ids.AgentId
  readonly callId: Ids.CallId
  /** By the name that the deployment gives it. */
  readonly model: string
}

/** The reply as it is, measured. */
export const measured =
  ({ agentId, callId, model }: Request) => <E, R>(reply: Stream.Stream<Part, E, R>): Stream.Stream<Part, E, R> =>
    Stream.unwrap(Effect.map(Clock.Clock, (clock) => {
      const startedAt = clock.currentTimeMillisUnsafe()
      let firstAt: number | undefined
      let inputTokens: number | undefined
      let outputTokens: number | undefined
      return reply.pipe(
        Stream.map((part) => {
          if (part.type === "finish") {
            inputTokens = part.usage.inputTokens.total
            outputTokens = part.usage.outputTokens.total
          } else if (part.type !== "response-metadata") firstAt ??= clock.currentTimeMillisUnsafe()
          return part
        }),
        Stream.onExit((exit) => {
          const result = Exit.isSuccess(exit)
            ? "answered"
            : Cause.hasInterruptsOnly(exit.cause)
            ? "interrupted"
            : "failed"
          const first = firstAt === undefined ? undefined : firstAt - startedAt
          const whole = clock.currentTimeMillisUnsafe() - startedAt
          return Effect.andThen(
            Metrics.modelAsked({ agent: agentId, model, result }, { first, whole, inputTokens, outputTokens }),
            CallTrace.mark(callId, "LanguageModel.reply", {
              "model.name": model,
              "model.result": result,
              "prompt.version": AgentPrompt.version,
              "reply.ms": String(whole),
              ...first !== undefined && { "first_part.ms": String(first) },
              ...inputTokens !== undefined && { "input.tokens": String(inputTokens) },
              ...outputTokens !== undefined && { "output.tokens": String(outputTokens) }
            })
          )
        })
      )
    }))
