/**
 * A file that a command was given; `-` is standard input. It must be UTF-8, with or without a byte-order mark. Errors name the
 * file.
 */
import { Effect, FileSystem, Stdio, Stream } from "effect"
import { UsageError } from "../config/UsageError.ts"

/** The name of the file in messages. */
export const nameOf = (file: string): string => file === "-" ? "standard input" : file

/** Its text, without a byte-order mark. */
export const text = Effect.fnUntraced(function*(file: string) {
  const bytes = yield* Effect.mapError(
    read(file),
    ({ message, reason }) =>
      new UsageError({
        message: reason._tag === "NotFound" ? `There is no file ${file}` : `${nameOf(file)} cannot be read: ${message}`
      })
  )
  return yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => new UsageError({ message: `${nameOf(file)} is not text in UTF-8; save it as UTF-8` })
  })
})

/** The JSON in it. */
export const json = Effect.fnUntraced(function*(file: string) {
  const content = yield* text(file)
  return yield* Effect.try({
    try: (): unknown => JSON.parse(content),
    catch: (cause) =>
      new UsageError({
        message: `${nameOf(file)} is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  })
})

const read = Effect.fnUntraced(function*(file: string) {
  const { stdin } = yield* Stdio.Stdio
  const files = yield* FileSystem.FileSystem
  return file === "-" ? Buffer.concat(yield* Stream.runCollect(stdin)) : yield* files.readFile(file)
})

/** Text from a file for a message: quoted, with control characters escaped. */
export const quoted = (content: string): string => escaped(JSON.stringify(content))

/** One line that a terminal prints as it is: with control characters escaped. */
export const escaped = (content: string): string =>
  content.replace(
    /[\p{Cc}\p{Cf}]/gu,
    (mark) => `\\u${(mark.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`
  )
