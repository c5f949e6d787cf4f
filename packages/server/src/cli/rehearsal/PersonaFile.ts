/** Personas as commands read them: a list in JSON, with names in snake_case. */
import { FieldPath, Persona } from "@outdial/core"
import { Effect } from "effect"
import { UsageError } from "../../config/UsageError.ts"
import * as InputFile from "../InputFile.ts"

/** Most problems that an error names: a generated file may have the same one in every persona. */
const mostProblems = 20

/** The personas in a file. The error names the first problems with their paths. */
export const read = Effect.fnUntraced(function*(file: string) {
  const value = yield* InputFile.json(file)
  return yield* Effect.mapError(Persona.decodingJson(value), ({ problems }) =>
    new UsageError({
      message: [
        `${InputFile.nameOf(file)} is no list of personas:`,
        ...problems.slice(0, mostProblems).map(({ message, path }) =>
          `  ${[FieldPath.toPointer(FieldPath.wireNames(path)), message].filter(Boolean).join(" ")}`
        ),
        ...problems.length > mostProblems ? [`  … and ${problems.length - mostProblems} more problems`] : []
      ].join("\n")
    }))
})
