/** Whether the running processes plan waiting calls by the routes of this configuration. */
import { CarrierRouter, type Errors, PlanData, Storage } from "@outdial/core"
import { type Config as EffectConfig, DateTime, Effect, type FileSystem, Option } from "effect"
import type * as Config from "../config/Config.ts"
import type { ServerConfig } from "../config/ServerConfig.ts"
import type { UsageError } from "../config/UsageError.ts"
import * as ConfiguredCarrier from "../serve/ConfiguredCarrier.ts"
import { type Finding, warning } from "./Finding.ts"

/** The plan data of the running processes; none when none runs. */
export const read = Effect.flatMap(
  Effect.all([Storage.DispatchStore, DateTime.now]),
  ([{ adoptedPlanData }, now]) => adoptedPlanData(now)
)

export const findings = Effect.fnUntraced(function*(
  { routing, telephony }: ServerConfig,
  config: EffectConfig.Success<typeof Config.serve>,
  adopted: Option.Option<string>
): Effect.fn.Return<ReadonlyArray<Finding>, Errors.InvalidRequest | UsageError, FileSystem.FileSystem> {
  if (Option.isNone(adopted)) return []
  const theirs = PlanData.routesOf(adopted.value)
  if (routing !== undefined) return judge(CarrierRouter.versionOf(yield* CarrierRouter.routingOf(routing)), theirs)
  // Only the module knows its routes, and without a carrier this is no configuration of a server.
  if (telephony !== undefined || config.carriers.length === 0) return []
  const isRouted = ConfiguredCarrier.isRouted(config)
  return judge(isRouted ? CarrierRouter.versionOf(yield* ConfiguredCarrier.routingOf(config)) : undefined, theirs)
})

/** Compares the versions of the routes of this configuration and of the running processes. */
export const judge = (ours: string | undefined, theirs: string | undefined): ReadonlyArray<Finding> =>
  ours === theirs ? [] : [
    warning(
      "routes",
      `${
        theirs === undefined
          ? "The running servers have no routes, and this configuration has some"
          : ours === undefined
          ? "The running servers have routes, and this configuration has none: with it, a server dials only calls whose routes lead over its carrier"
          : "The running servers plan calls by other routes than those of this configuration"
      }. Give every server the same carriers and routes`
    )
  ]
