/** Messages for invalid requests, as text that follows the field's name. The decoder's own messages never appear. */
import { Errors, Problems } from "@outdial/core"
import { Result, Schema } from "effect"

const queryMessages: Problems.Options = {
  noun: "query parameter of this path",
  // A repeated parameter is a list instead of a text.
  leafMessage: (issue) => issue._tag === "InvalidType" && issue.ast._tag === "String" ? "must be given once" : undefined
}

/** The problems of a request, each with its path. */
export const problems = (issue: Parameters<typeof Problems.problems>[0], location: string) =>
  Problems.problems(issue, location === "query" ? queryMessages : {})

/** A decoder of one row of a body, which reports the first problem. */
export const reading = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
  return (input: unknown): Result.Result<S["Type"], Errors.InvalidRequest> =>
    Result.mapError(decode(input), ({ issue }) => new Errors.InvalidRequest({ problems: problems(issue, "body") }))
}
