/**
 * The SQL templates in the source of `@outdial/sql`, each with the indexes that the comment above it names. A statement that
 * was run is led back to the templates it was made of by its text.
 */
import { Equal } from "effect"
import { globSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

export interface Template {
  readonly file: string
  readonly line: number
  /** The files whose templates may be within this one. */
  readonly imports: ReadonlySet<string>
  /** The text between the values and fragments. */
  readonly parts: ReadonlyArray<string>
  /** What the comment above names: indexes, and `primary key` for that of any table. */
  readonly indexes: ReadonlySet<string>
  /** The comment says that every account is looked at. */
  readonly isOfEveryAccount: boolean
}

export const primaryKey = "primary key"

const folder = resolve(import.meta.dirname, "../../../packages/sql/src")

/** The templates of all files but the migrations, which run on empty tables. */
export const read = (): ReadonlyArray<Template> =>
  globSync("**/*.ts", { cwd: folder, exclude: ["database/migrations/**"] }).sort().flatMap((file) =>
    templatesOf(file, readFileSync(resolve(folder, file), "utf8"))
  )

const templatesOf = (file: string, text: string): ReadonlyArray<Template> => {
  const imports = new Set(
    [...text.matchAll(/from "(\.\.?\/[^"]+\.ts)"/gu)].map(([, path = ""]) => join(dirname(file), path)).concat(file)
  )
  const templates: Array<Template> = []
  // A comment belongs to the next template.
  let before = 0
  for (const match of text.matchAll(/\bsql(?:<[^`]*?>)?`/gu)) {
    const start = match.index + match[0].length
    const { parts } = readTemplate(text, start)
    const comment = indexComment(text.slice(before, match.index))
    templates.push({
      file,
      line: text.slice(0, start).split("\n").length,
      imports,
      parts: parts.map(withoutLayout),
      indexes: indexesIn(comment),
      isOfEveryAccount: /every account/iu.test(comment)
    })
    before = match.index
  }
  return templates
}

/** Reads a template from behind its first backtick. */
const readTemplate = (text: string, start: number): { readonly parts: ReadonlyArray<string>; readonly end: number } => {
  const parts: Array<string> = []
  let from = start
  for (let at = start; at < text.length;) {
    if (text[at] === "`") return { parts: [...parts, text.slice(from, at)], end: at + 1 }
    if (text.startsWith("${", at)) {
      parts.push(text.slice(from, at))
      at = from = endOfExpression(text, at + 2)
    } else at += 1
  }
  throw new Error("A template does not end")
}

/** Behind the brace that closes an expression in a template. */
const endOfExpression = (text: string, start: number): number => {
  let depth = 1
  for (let at = start; at < text.length; at += 1) {
    const char = text[at]
    if (char === "`") at = readTemplate(text, at + 1).end - 1
    else if (char === "\"") at = text.indexOf("\"", at + 1)
    else if (char === "{") depth += 1
    else if (char === "}" && --depth === 0) return at + 1
  }
  throw new Error("An expression does not end")
}

/** The last comment that says what serves the statement below it. */
const indexComment = (text: string): string =>
  [...text.matchAll(/(?:^[ \t]*\/\/.*\n)+|\/\*\*[\s\S]*?\*\//gmu)]
    .map(([comment]) => comment.replaceAll(/^[ \t]*(?:\/\/|\/?\*+)/gmu, " "))
    .findLast((comment) => /\bindex(?:es)?\b|\bprimary keys?\b|\bevery account\b/iu.test(comment)) ?? ""

const indexesIn = (comment: string): ReadonlySet<string> =>
  new Set([
    ...[...comment.matchAll(/\boutdial_\w+/gu)].map(([name]) => name),
    ...(/\bprimary keys?\b/iu.test(comment) ? [primaryKey] : [])
  ])

const withoutLayout = (text: string): string => text.replaceAll(/\s+/gu, " ").trim()

/** How a template begins that is a statement; one of several selects has fragments around what joins them. */
const statementStart = /^(?:(?:select|with|insert|update|delete)\b|(?:\( \) )?union all)/u

/** The template that the whole statement was made from: the most particular one, and those that are the same. */
export const wholesOf = (templates: ReadonlyArray<Template>, statement: string): ReadonlyArray<Template> => {
  const text = withoutLayout(statement)
  const [whole, ...others] = templates
    .filter(({ parts: [first = "", ...rest] }) =>
      statementStart.test([first, ...rest].join(" ").trim()) && text.startsWith(first) &&
      follows(text.slice(first.length), rest) && text.endsWith(rest.at(-1) ?? first) &&
      (rest.length > 0 || text === first)
    )
    // One that begins with a fragment may be the middle of any statement.
    .toSorted((a, b) =>
      Number(a.parts[0] === "") - Number(b.parts[0] === "") || b.parts.join("").length - a.parts.join("").length
    )
  return whole === undefined ? [] : [whole, ...others.filter(({ parts }) => Equal.equals(parts, whole.parts))]
}

/** The templates that may be fragments of a statement which was made from `whole`: of its file and of those it imports, and theirs. */
export const partsOf = (
  templates: ReadonlyArray<Template>,
  whole: Template,
  statement: string
): ReadonlyArray<Template> => {
  const text = withoutLayout(statement)
  const fragments = templates.filter((part) => part !== whole && part.indexes.size > 0 && follows(text, part.parts))
  const parts = new Set<Template>()
  const files = new Set(whole.imports)
  // A set also visits what is added meanwhile.
  for (const file of files) {
    for (const part of fragments.filter((fragment) => fragment.file === file)) {
      parts.add(part)
      part.imports.forEach((path) => files.add(path))
    }
  }
  return [...parts]
}

/** Whether the text has the parts in their order. */
const follows = (text: string, parts: ReadonlyArray<string>): boolean => {
  let from = 0
  return parts.every((part) => {
    const at = text.indexOf(part, from)
    from = at + part.length
    return at >= 0
  })
}
