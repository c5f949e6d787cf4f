/** Agents as commands read them: JSON with the field names of the HTTP interface. */
import { Agent, Decoding, FieldPath, Wire } from "@outdial/core"
import { Effect } from "effect"
import * as InputFile from "../InputFile.ts"
import { UsageError } from "../../config/UsageError.ts"

const decode = Decoding.decoding(Wire.snakeKeys(Agent.AgentDefinition))

/** The agent in a file. The error names every problem with its path. */
export const read = Effect.fnUntraced(function*(file: string) {
  const value = yield* InputFile.json(file)
  return yield* Effect.mapError(decode(value), ({ problems }) =>
    new UsageError({
      message: [
        `${InputFile.nameOf(file)} is not an agent:`,
        ...problems.map(({ message, path }) =>
          `  ${[FieldPath.toPointer(FieldPath.wireNames(path)), message].filter(Boolean).join(" ")}`
        )
      ].join("\n")
    }))
})
