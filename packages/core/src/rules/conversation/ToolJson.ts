/**
 * What tools are given and what they return, as JSON that is small and flat enough for the log of a conversation and for a language model.
 */
import { Result, type Schema } from "effect"
import type { ToolAnswer } from "../../domain/Conversation.ts"
import * as Limits from "../../domain/Limits.ts"
import { problem } from "./ToolCalls.ts"

/** Deeper JSON is no data of people, and parsers that are recursive fail on it. */
const mostDepth = 30

/** The arguments as JSON, or what is wrong with them. */
export const argumentsOf = (args: unknown): Result.Result<Schema.Json, string> => {
  const json = written(args)
  if (json === undefined) return Result.fail("must be JSON")
  if (json.length > Limits.toolTextLength) return Result.fail(`must have at most ${Limits.toolTextLength} characters`)
  return isDeep(json) ? Result.fail(`must have at most ${mostDepth} levels`) : Result.succeed(JSON.parse(json))
}

/** What a tool has returned, for the agent. A long result is cut, and a deep one is text. */
export const answerOf = (returned: unknown): ToolAnswer => {
  const json = written(returned)
  if (json === undefined) return problem("failed")
  if (json.length <= Limits.toolTextLength) return { result: isDeep(json) ? json : JSON.parse(json) }
  const beginning = json.slice(0, Limits.toolTextLength).replace(/[\uD800-\uDBFF]$/u, "")
  return { result: `${beginning} … (cut: the result has ${json.length} characters)` }
}

/** `null` for nothing. None if the value cannot be written: it has a circle, or a number that is too large. */
const written = (value: unknown): string | undefined =>
  Result.getOrUndefined(Result.try((): string => JSON.stringify(value) ?? "null"))

const isDeep = (json: string): boolean => {
  let depth = 0
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gu)) {
    if (token === "[" || token === "{") depth += 1
    if (token === "]" || token === "}") depth -= 1
    if (depth > mostDepth) return true
  }
  return false
}
