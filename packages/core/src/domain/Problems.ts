/**
 * Turns schema issues into messages: each problem with its path, and a message that follows the field's name. The
 * library, the command line and HTTP use the same messages. The decoder's own messages never show.
 */
import { SchemaAST, SchemaIssue } from "effect"
import type { Problem } from "./Errors.ts"
import { unknownName } from "./NearestName.ts"

/** Overrides the message of an issue; `undefined` keeps the usual one. */
export type LeafMessage = (issue: SchemaIssue.Leaf) => string | undefined

export interface Options {
  readonly leafMessage?: LeafMessage
  /** What the message calls an unknown key. */
  readonly noun?: string
  /** Whether the unknown key at this path, beside these known names, is no problem. */
  readonly ignoresKey?: (path: Path, known: ReadonlyArray<string>) => boolean
}

/** The problems of a schema issue, in order of discovery. */
export const problems = (
  issue: SchemaIssue.Issue,
  options: Options = {}
): readonly [Problem, ...Array<Problem>] => {
  const [first, ...others] = problemsOf(issue, options)
  return [first ?? { path: [], message: "is not valid" }, ...others]
}

/** The same; none if every problem is an unknown key that is ignored. */
export const problemsOf = (issue: SchemaIssue.Issue, options: Options): ReadonlyArray<Problem> =>
  found(issue, [], options)

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
    case "Literal":
      return `must be ${String(encoded.literal)}`
    case "Union":
      return kindOfUnion(encoded)
    default:
      return "is not valid"
  }
}

const kindOfUnion = ({ types }: SchemaAST.Union): string => {
  const literals = types.flatMap((type) => type._tag === "Literal" ? [String(type.literal)] : [])
  return literals.length === types.length ? `must be one of ${literals.join(", ")}` : "is not valid"
}

type Path = Problem["path"]

/** `override` is the message of a check around the issue. */
const found = (issue: SchemaIssue.Issue, path: Path, options: Options, override?: string): ReadonlyArray<Problem> => {
  switch (issue._tag) {
    case "Filter":
      return found(issue.issue, path, options, override ?? messageOfCheck(issue))
    case "Encoding":
      return found(issue.issue, path, options, override)
    case "Pointer":
      return found(issue.issue, [...path, ...issue.path.map(keyOf)], options, override)
    case "Composite":
      return issue.issues.flatMap((one) => found(one, path, options, override))
    case "AnyOf":
      return issue.issues.length > 0
        ? issue.issues.flatMap((one) => found(one, path, options, override))
        : [{ path, message: override ?? ownMessage(issue.ast.annotations) ?? kindOf(issue.ast) }]
    case "UnexpectedKey":
      if (options.ignoresKey?.(path, namesOf(issue.ast)) === true) return []
      return [{ path, message: override ?? options.leafMessage?.(issue) ?? messageOf(issue, path, options) }]
    default:
      return [{ path, message: override ?? options.leafMessage?.(issue) ?? messageOf(issue, path, options) }]
  }
}

const keyOf = (part: PropertyKey): string | number => typeof part === "symbol" ? String(part) : part

const messageOf = (issue: SchemaIssue.Leaf, path: Path, { noun = "field" }: Options): string => {
  switch (issue._tag) {
    case "InvalidType":
      return ownMessage(issue.ast.annotations) ?? kindOf(issue.ast)
    case "MissingKey":
      return "is required"
    case "UnexpectedKey":
      return unknownName(String(path.at(-1)), namesOf(issue.ast), noun)
    default:
      return messageIn(SchemaIssue.defaultLeafHook(issue))
  }
}

// Without a message of its own, the issue says what the decoder expected.
const messageIn = (text: string): string => /^(Expected|Invalid|Forbidden)/.test(text) ? "is not valid" : text

const messageOfCheck = (issue: SchemaIssue.Filter): string | undefined =>
  SchemaIssue.defaultCheckHook(issue) ??
    // The only check of values without words of its own is that of whole numbers.
    (issue.issue._tag === "InvalidValue" ? "must be a whole number" : undefined)

const ownMessage = (annotations: { readonly [key: string]: unknown } | undefined): string | undefined => {
  const message = annotations?.["message"]
  return typeof message === "string" ? message : undefined
}

const namesOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
