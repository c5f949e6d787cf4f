/** The routes of calls over several carriers, in the JSON file that `OUTDIAL_ROUTES` names. It is read once, at the start. */
import { CallRoute, Decoding, Wire } from "@outdial/core"
import { Effect, FileSystem, Option, Schema } from "effect"
import { UsageError } from "./UsageError.ts"

const example = "[{\"carrier\": \"telnyx\", \"countries\": [\"DE\"]}]"

const decode = Decoding.decoding(Schema.Array(Wire.snakeKeys(CallRoute.CallRoute)), { at: "routes" })

const unusable = (file: string, problem: string) =>
  new UsageError({ message: `OUTDIAL_ROUTES names ${file}, which cannot be used. ${problem}` })

/** The routes of the file; none without one. Whether they name carriers of this server is for the router to say. */
export const read = Effect.fnUntraced(function*(given: Option.Option<string>) {
  if (Option.isNone(given)) return []
  const file = given.value
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(
    files.readFileString(file),
    ({ message }) => unusable(file, `It cannot be read: ${message}`)
  )
  const json = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => unusable(file, `It must be JSON, such as ${example}`)
  })
  return yield* Effect.mapError(decode(json), ({ message }) => unusable(file, message))
})
