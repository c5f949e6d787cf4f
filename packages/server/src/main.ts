#!/usr/bin/env node
/** The command line `outdial`. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Logger } from "effect"
import { CliError, Command } from "effect/cli"
import { accounts } from "./cli/accounts.ts"
import { agents } from "./cli/agents.ts"
import { dev } from "./cli/dev.ts"
import { keys } from "./cli/keys.ts"
import { migrate } from "./cli/migrate.ts"
import { secrets } from "./cli/secrets.ts"
import { serve } from "./cli/serve.ts"

export const outdial = Command.make("outdial").pipe(
  Command.withDescription("Outdial, an engine for outbound AI phone calls"),
  Command.withSubcommands([dev, serve, migrate, accounts, agents, keys, secrets])
)

/** An error that was expected says what to do in its message; only a bug shows where it comes from. */
const report = (cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  if (Cause.hasInterruptsOnly(cause) || CliError.isCliError(error)) return Effect.void
  return Console.error(
    `outdial: ${!Cause.hasDies(cause) && error instanceof Error ? error.message : Cause.pretty(cause)}`
  )
}

if (import.meta.main) {
  // Started by a script that is gone: nobody would end this process, so it ends itself, as on SIGTERM.
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
  process.channel?.unref()
  outdial.pipe(
    Command.run({ version: "0.1.0" }),
    Effect.tapCause(report),
    Effect.provide([NodeServices.layer, Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])]),
    (program) => NodeRuntime.runMain(program, { disableErrorReporting: true })
  )
}
