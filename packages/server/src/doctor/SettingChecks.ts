/** Checks of the environment and the runtime. Pure. */
import { type Config as EffectConfig, Option } from "effect"
import type * as Config from "../config/Config.ts"
import type { ServerConfig } from "../config/ServerConfig.ts"
import { failed, type Finding, ok, warning } from "./Finding.ts"

type ServeConfig = EffectConfig.Success<typeof Config.serve>

const publicUrl = ({ publicUrl }: ServeConfig): Finding => {
  if (Option.isNone(publicUrl)) {
    return warning("public URL", "OUTDIAL_PUBLIC_URL is not set: links to recordings lead to localhost")
  }
  return publicUrl.value.startsWith("https:")
    ? ok("public URL", publicUrl.value)
    : warning(
      "public URL",
      `${publicUrl.value} is not encrypted: keys and recordings can be read on the way. Use https`
    )
}

const webhookAllow = ({ webhookAllow }: ServeConfig): Finding =>
  webhookAllow.length === 0
    ? ok("webhooks", "Events go to public addresses only")
    : warning(
      "webhooks",
      `Events may also go to ${webhookAllow.join(", ")}; remove from OUTDIAL_WEBHOOK_ALLOW what is not needed`
    )

const metrics = ({ metrics }: ServeConfig): Finding =>
  Option.isNone(metrics.port) && Option.isNone(metrics.token)
    ? warning(
      "metrics",
      "Metrics are not served: set OUTDIAL_METRICS_TOKEN or OUTDIAL_METRICS_PORT, or alerts cannot work"
    )
    : ok(
      "metrics",
      Option.isSome(metrics.port) ? `Served on port ${metrics.port.value}` : "Served to requests with the token"
    )

export const timeZones = (
  { tzdata, version }: { readonly tzdata?: string | undefined; readonly version: string }
): Finding =>
  tzdata === undefined
    ? failed("time zones", "This Node has no time zone data; use an official build, or calling hours would be wrong")
    : ok(
      "time zones",
      `tzdata ${tzdata}, calls are scheduled with ${version}; compare with https://www.iana.org/time-zones`
    )

/** Whether the server has a carrier. */
export const provider = ({ telephony }: ServerConfig, { carriers, role }: ServeConfig): Finding =>
  telephony !== undefined
    ? ok("provider", "The configuration module gives a carrier; this check does not connect to it")
    : carriers.length > 0
    ? carriers.includes("simulated")
      ? warning("provider", "OUTDIAL_CARRIER=simulated: phones are simulated and no phone rings")
      : ok("provider", `OUTDIAL_CARRIER=${carriers.join(",")}`)
    : role === "api"
    ? ok("provider", "OUTDIAL_ROLE=api: other processes dial")
    : failed(
      "provider",
      "These settings have no carrier, so outdial serve does not start with them: give --config or OUTDIAL_CARRIER"
    )

export const judge = (config: ServeConfig): ReadonlyArray<Finding> => [
  publicUrl(config),
  webhookAllow(config),
  metrics(config)
]
