/**
 * Loads the module that `--config` or `OUTDIAL_CONFIG` names and checks its default export before anything is opened. Errors name
 * the file and what to change. Loading runs the module, so only commands that use a part of it load it.
 */
import { NearestName, OutdialError } from "@outdial/core"
import { Effect, FileSystem, Layer, Option, Path } from "effect"
import { Flag } from "effect/cli"
import { pathToFileURL } from "node:url"
import * as Admin from "./Admin.ts"
import { UsageError } from "../config/UsageError.ts"
import * as Config from "../config/Config.ts"
import type { ServerConfig } from "../config/ServerConfig.ts"

export const flag = Flag.String("config").pipe(
  Flag.withDescription("TypeScript or JavaScript module with your carrier and other parts; default: OUTDIAL_CONFIG"),
  Flag.optional
)

/** The file that the flag names, else the one that the environment names. */
export const file = (flagged: Option.Option<string>) =>
  Option.isSome(flagged) ? Effect.succeed(flagged) : Admin.readable(Config.configModule)

/** The configuration of that file; empty when neither flag nor environment names one. */
export const load = Effect.fnUntraced(function*(flagged: Option.Option<string>) {
  const named = yield* file(flagged)
  return Option.isNone(named) ? {} : yield* loadFile(named.value)
})

/** A layer of the file. Its failure names the part. */
export const part = <A, E, R>(name: keyof ServerConfig, layer: Layer.Layer<A, E, R>): Layer.Layer<A, UsageError, R> =>
  Layer.catch(
    layer,
    (error) =>
      Layer.effectContext(
        Effect.fail(
          new UsageError({ message: `${name} of the configuration module failed: ${textOf(causeOf(error))}` })
        )
      )
  )

/** Reports what the adapter rejects, such as an invalid origin, as an error of the file. */
export const accessExplained = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | UsageError, R> =>
  Effect.catchDefect(self, (defect) =>
    defect instanceof OutdialError
      ? Effect.fail(new UsageError({ message: `The configuration module is wrong: ${defect.message}` }))
      : Effect.die(defect))

const loadFile = Effect.fnUntraced(function*(name: string) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const path = paths.resolve(name)
  const wrong = (problem: string) => new UsageError({ message: `${name} ${problem}` })
  if (!(yield* Effect.orElseSucceed(files.exists(path), () => false))) {
    return yield* new UsageError({ message: `There is no file ${name}; --config and OUTDIAL_CONFIG name a module` })
  }
  const loaded = yield* Effect.tryPromise({
    // A computed string, so that bundlers leave the import alone.
    try: (): Promise<Readonly<Record<string, unknown>>> => import(pathToFileURL(path).href),
    catch: (cause) => wrong(`cannot be loaded: ${textOf(cause)}`)
  })
  const config = loaded["default"]
  if (!isPlainObject(config)) {
    return yield* wrong("has no configuration as its default export: write export default defineServer({ … })")
  }
  const problem = problemOf(config)
  if (problem !== undefined) return yield* wrong(problem)
  // Only the shape of each value was checked; a layer is built when it is used.
  return config as ServerConfig
})

/** The expected kind of a value, as text that follows "must be". */
interface Kind {
  readonly is: (value: unknown) => boolean
  readonly text: string
}

const layerBy = (make: string): Kind => ({ is: Layer.isLayer, text: `a layer, such as ${make} makes` })

const kinds: Readonly<Record<keyof ServerConfig, Kind>> = {
  telephony: layerBy("Telephony.layerOf"),
  routing: {
    is: (value) => typeof value === "object" && value !== null && "carriers" in value && isListOfTexts(value.carriers),
    text: "an object with the names of the carriers, such as { carriers: [\"clinic\", \"hotel\"], routes }"
  },
  outcomes: layerBy("OutcomeSource.layerOf"),
  textAgent: layerBy("TextAgent.layerOf"),
  voiceAgent: layerBy("SpokenAgent.layer"),
  tools: { is: Array.isArray, text: "a list of tools, such as Tool.make makes" },
  recordings: layerBy("Recordings.layerOf"),
  authenticate: { is: (value) => typeof value === "function", text: "a function of the request" },
  allowedOrigins: {
    is: (value) => isListOfTexts(value),
    text: "a list of origins such as https://app.example.com"
  },
  requestsPerMinute: { is: (value) => typeof value === "number", text: "a number" }
}

const keys = Object.keys(kinds)

const problemOf = (config: Readonly<Record<string, unknown>>): string | undefined => {
  const given = Object.entries(config).filter(([, value]) => value !== undefined)
  for (const [key, value] of given) {
    // Own keys only: `constructor` is not a part.
    const kind = Object.hasOwn(kinds, key) ? kinds[key as keyof ServerConfig] : undefined
    if (kind === undefined) {
      const near = NearestName.nearestName(key, keys)
      return `has the unknown key ${key}${near === undefined ? ";" : `, did you mean ${near}?`} Keys are ${
        keys.join(", ")
      }`
    }
    if (!kind.is(value)) return `is wrong: ${key} must be ${kind.text}`
  }
  const [lonely] = given.filter(([key]) => key === "allowedOrigins" || key === "requestsPerMinute")
  if (lonely !== undefined && config["authenticate"] === undefined) return `is wrong: ${lonely[0]} needs authenticate`
  return undefined
}

const isListOfTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === "string")

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !Layer.isLayer(value)

/** The reason with which a promise of the module rejected. */
const causeOf = (error: unknown): unknown =>
  error instanceof Error && "_tag" in error && error["_tag"] === "UnknownError" && error.cause !== undefined
    ? error.cause
    : error

/** The message, and where in the module it was thrown; frames of the runtime's loader say nothing. */
const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const stack = (error.stack ?? "").split("\n").filter((line) => !line.includes("node:internal/")).join("\n").trim()
  return stack.includes(error.message) ? stack : error.message
}
