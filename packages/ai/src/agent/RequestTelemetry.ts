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

/** How a request went. Times are in milliseconds; `undefined` is not known. */
export interface Course {
  /** What was asked for. */
  readonly purpose: "reply" | "outcome"
  readonly promptVersion: string
  readonly result: "answered" | "failed" | "interrupted"
  readonly first: number | undefined
  readonly whole: number
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
}

/** Puts it on record. The latencies are those of a conversation: an outcome has none. */
export const record = (
  { agentId, callId, model }: Request,
  { first, inputTokens, outputTokens, promptVersion, purpose, result, whole }: Course
) =>
  Effect.andThen(
    Metrics.modelAsked(
      { agent: agentId, model, result },
      { first, whole: purpose === "reply" ? whole : undefined, inputTokens, outputTokens }
    ),
    CallTrace.mark(callId, `LanguageModel.${purpose}`, {
      "model.name": model,
      "model.result": result,
      "prompt.version": promptVersion,
      [`${purpose}.ms`]: String(whole),
      ...first !== undefined && { "first_part.ms": String(first) },
      ...inputTokens !== undefined && { "input.tokens": String(inputTokens) },
      ...outputTokens !== undefined && { "output.tokens": String(outputTokens) }
    })
  )

/** How a request that has ended in this way counts. */
export const resultOf = (exit: Exit.Exit<unknown, unknown>): Course["result"] =>
  Exit.isSuccess(exit) ? "answered" : Cause.hasInterruptsOnly(exit.cause) ? "interrupted" : "failed"

/** The reply as it is, measured. */
export const measured = (request: Request) => <E, R>(reply: Stream.Stream<Part, E, R>): Stream.Stream<Part, E, R> =>
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
      Stream.onExit((exit) =>
        record(request, {
          purpose: "reply",
          promptVersion: AgentPrompt.version,
          result: resultOf(exit),
          first: firstAt === undefined ? undefined : firstAt - startedAt,
          whole: clock.currentTimeMillisUnsafe() - startedAt,
          inputTokens,
          outputTokens
        })
      )
    )
  }))
