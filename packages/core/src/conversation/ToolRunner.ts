/**
 * Runs the tools of one conversation. The step function decides which calls run; here they run once their intents are committed, unless
 * that takes longer than they may take. A tool that has begun goes on until its time is over, also when the contact interrupts or hangs up.
 */
import { Cause, Deferred, Duration, Effect, Result, type Schema } from "effect"
import type { ToolAnswer } from "../domain/Conversation.ts"
import type { Problem } from "../domain/Errors.ts"
import * as FieldPath from "../domain/FieldPath.ts"
import * as CallTrace from "../observe/CallTrace.ts"
import * as Metrics from "../observe/Metrics.ts"
import type { Action, Input } from "../rules/conversation/Conversation.ts"
import { problem } from "../rules/conversation/ToolCalls.ts"
import { answerOf, argumentsOf } from "../rules/conversation/ToolJson.ts"
import { type AgentTools, type ConversationBrief, unknownTool } from "./TextAgent.ts"
import type { RegisteredTool, RegisteredTools } from "./Tool.ts"

export interface ToolRunner {
  /** What the contact hears while tools of the agent run. */
  readonly fillers: ReadonlyArray<string>
  /** The tools for the answer to this request. */
  readonly of: (request: number) => AgentTools
  /** Runs a tool to its end. */
  readonly run: (call: Extract<Action, { readonly _tag: "RunTool" }>) => Effect.Effect<void>
  readonly answer: (answered: Extract<Action, { readonly _tag: "AnswerTool" }>) => Effect.Effect<void>
}

export interface Options {
  readonly brief: ConversationBrief
  /** The tools of the deployment. */
  readonly registered: RegisteredTools
  readonly offer: (input: Input) => Effect.Effect<unknown>
  /** Commits what was logged. Returns whether this process still has the log. */
  readonly commit: Effect.Effect<boolean>
}

export const make = Effect.fnUntraced(function*(
  { brief, commit, offer, registered }: Options
): Effect.fn.Return<ToolRunner> {
  const { agent, callId } = brief
  const known = registered._tag === "Some" ? registered.value : new Map<string, RegisteredTool>()
  const tools = agent.tools.flatMap((name) => known.get(name) ?? [])
  const missing = agent.tools.filter((name) => !known.has(name))
  if (missing.length > 0) {
    yield* Effect.logWarning(
      `The agent of ${callId} names tools that this process does not have: ${missing.join(", ")}`
    )
  }
  const waiting = new Map<number, Deferred.Deferred<ToolAnswer>>()
  let lastAsk = 0

  const ask = Effect.fnUntraced(function*(request: number, name: string, given: unknown) {
    const tool = tools.find((tool) => tool.name === name)
    if (tool === undefined) return unknownTool(name)
    const args = argumentsOf(given)
    if (Result.isFailure(args)) return invalid([{ path: [], message: args.failure }])
    const prepared = tool.prepare(args.success)
    if (Result.isFailure(prepared)) return invalid(prepared.failure)
    const ask = ++lastAsk
    const answer = yield* Deferred.make<ToolAnswer>()
    waiting.set(ask, answer)
    yield* offer({
      _tag: "ToolAsked",
      request,
      ask,
      name,
      arguments: args.success,
      timeout: Duration.toMillis(tool.timeout),
      filler: tool.filler,
      isReadOnly: tool.isReadOnly
    })
    return yield* Effect.ensuring(Deferred.await(answer), Effect.sync(() => waiting.delete(ask)))
  })

  const run = Effect.fnUntraced(function*(id: string, tool: RegisteredTool, args: Schema.Json) {
    // Another process may continue the conversation, and must know of this run.
    const [waited, isHeld] = yield* Effect.timed(commit)
    if (!isHeld) return
    const left = Duration.toMillis(tool.timeout) - Duration.toMillis(waited)
    // The agent was told that it is given up, or the call is over.
    if (left <= 0) return yield* offer({ _tag: "ToolAnswered", id, answer: problem("unknown") })
    const controller = new AbortController()
    const prepared = Result.getOrThrow(tool.prepare(args))
    const [took, answer] = yield* prepared({ ...brief, key: `${callId}/${id}`, signal: controller.signal }).pipe(
      Effect.onInterrupt(() => Effect.sync(() => controller.abort())),
      Effect.map(answerOf),
      Effect.timeoutOrElse({ duration: left, orElse: () => Effect.succeed(problem("timed_out")) }),
      Effect.catchCause((cause) =>
        Effect.as(
          Effect.logWarning(failureOf(tool, callId, cause)),
          // A tool may have a shorter limit of its own.
          problem(Cause.isTimeoutError(Cause.squash(cause)) ? "timed_out" : "failed")
        )
      ),
      Effect.timed
    )
    const result = answer.problem ?? "returned"
    yield* Metrics.toolRan({ tool: tool.name, result }, took)
    yield* CallTrace.mark(callId, "Conversation.tool", { "tool.name": tool.name, "tool.result": result })
    yield* offer({ _tag: "ToolAnswered", id, answer })
  })

  return {
    fillers: tools.flatMap(({ filler }) => filler ?? []),
    of: (request) => ({ available: tools, run: (name, args) => ask(request, name, args) }),
    run: ({ arguments: args, id, name }) => {
      const tool = known.get(name)
      // Only known tools are asked for.
      return tool === undefined ? Effect.void : run(id, tool, args)
    },
    answer: ({ answer, ask }) => {
      const asker = waiting.get(ask)
      return asker === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(asker, answer))
    }
  }
})

const invalid = (problems: ReadonlyArray<Problem>): ToolAnswer => ({
  result: `The arguments are not valid: ${
    problems.slice(0, 10).map(({ message, path }) => `${FieldPath.pathText(path)} ${message}`.trim()).join("; ")
  }`,
  problem: "invalid_arguments"
})

/** Where the tool failed. The messages of errors are left out: they may repeat what the tool was given. */
const failureOf = ({ name }: RegisteredTool, callId: string, cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const kind = error instanceof Error ? error.name : typeof error
  const frames = error instanceof Error
    ? error.stack?.split("\n").filter((line) => /^\s+at /u.test(line)).slice(0, 5)
    : []
  return [`The tool ${name} failed in ${callId}: ${kind}`, ...frames ?? []].join("\n")
}
