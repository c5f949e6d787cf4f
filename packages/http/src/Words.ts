/** What is wrong with a request, in words that follow on from the name of the field; the decoder's own never show. */
import { Decoding, Errors } from "@outdial/core"
import { Result, Schema, SchemaAST, SchemaIssue } from "effect"

/** What a value of this type must be. */
export const kindOf = (ast: SchemaAST.AST): string => {
  const encoded = SchemaAST.toEncoded(ast)
  switch (encoded._tag) {
    case "String":
      return "must be text"
    case "Number":
      return "must be a number"
    case "Boolean":
      return "must be true or false"
    case "Arrays":
      return "must be a list"
    case "Objects":
      return "must be an object"
    default:
      return "is not valid"
  }
}

const leafHook: SchemaIssue.LeafHook = (issue) => {
  if (issue._tag !== "InvalidType") return SchemaIssue.defaultLeafHook(issue)
  const own = issue.ast.annotations?.["message"]
  return typeof own === "string" ? own : kindOf(issue.ast)
}

/** A parameter that came twice is a list where one text belongs. */
const queryHook: SchemaIssue.LeafHook = (issue) =>
  issue._tag === "InvalidType" && issue.ast._tag === "String" ? "must be given once" : leafHook(issue)

const bodyFormat = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook })
const queryFormat = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: queryHook })

/** The problems of a request, each with its path. */
export const problems = (issue: SchemaIssue.Issue, location: string): ReturnType<typeof Decoding.problems> => {
  const { issues } = location === "query" ? queryFormat(issue) : bodyFormat(issue)
  const [first, ...others] = Decoding.problems(issue)
  const worded = (problem: Errors.Problem, index: number) => ({
    ...problem,
    message: issues[index]?.message ?? problem.message
  })
  return [worded(first, 0), ...others.map((problem, index) => worded(problem, index + 1))]
}

/** A decoder that reports every problem at once. It looks for more than the first only where there is one, which is slower. */
export const reading = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownResult(schema)
  const explain = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (input: unknown): Result.Result<S["Type"], Errors.InvalidRequest> =>
    Result.orElse(decode(input), () =>
      Result.mapError(
        explain(input),
        ({ issue }) => new Errors.InvalidRequest({ problems: problems(issue, "body") })
      ))
}
