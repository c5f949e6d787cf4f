/** Reads what a host hands in, by schema, and says of everything that is wrong where it is and what to do. */
import { Effect, Schema, type SchemaAST, SchemaIssue } from "effect"
import { InvalidRequest, type Problem } from "../domain/Errors.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The problems of a schema issue, each with its path. */
export const problems = (issue: SchemaIssue.Issue): readonly [Problem, ...Array<Problem>] => {
  const [first, ...others] = format(issue).issues.map(({ message, path = [] }) => ({
    message,
    path: path.map((part) => {
      const key = typeof part === "object" ? part.key : part
      return typeof key === "symbol" ? String(key) : key
    })
  }))
  return [first ?? { path: [], message: "is not valid" }, ...others]
}

/** A decoder that reports every problem at once, as `InvalidRequest`. */
export const decoding = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  options: Pick<SchemaAST.ParseOptions, "onExcessProperty"> = {}
) => {
  const decode = Schema.decodeUnknownEffect(schema, { ...options, errors: "all" })
  return (input: unknown) =>
    Effect.mapError(decode(input), (error) => new InvalidRequest({ problems: problems(error.issue) }))
}
