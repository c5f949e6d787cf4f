/** The server's logs on standard error: as JSON or as text, with phone numbers masked. */
import { Masking } from "@outdial/core"
import { type Config as EffectConfig, Layer, Logger, type LogLevel, Option, References } from "effect"
import type * as Config from "../config/Config.ts"

const json = Logger.map(Logger.formatJson, (line) => JSON.stringify(Masking.maskedValue(JSON.parse(line))))

const pretty = Logger.map(Logger.formatStructured, ({ annotations, cause, level, message, timestamp }) => {
  const parts = [message].flat().map((part) => typeof part === "string" ? part : JSON.stringify(part))
  const notes = Object.entries(annotations).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
  const line = [timestamp.slice(11, 19), level.padEnd(5), ...parts, ...notes].join(" ")
  return Masking.masked(cause === undefined ? line : `${line}\n${cause}`)
})

const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const satisfies Record<
  string,
  LogLevel.LogLevel
>

/** For a server: as configured; by default pretty on a terminal. */
export const layer = (
  { format, level }: EffectConfig.Success<typeof Config.logs>,
  { isTerminal }: { readonly isTerminal: boolean }
) => {
  const chosen = Option.getOrElse(format, () => isTerminal ? "pretty" : "json")
  return Layer.merge(
    Logger.layer([Logger.withConsoleError(chosen === "json" ? json : pretty)]),
    Layer.succeed(References.MinimumLogLevel, levels[level])
  )
}

/** For commands. */
export const layerCommand = Logger.layer([Logger.withConsoleError(Logger.map(Logger.formatLogFmt, Masking.masked))])
