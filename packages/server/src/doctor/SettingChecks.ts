/** What the environment says, and what this runtime knows. Pure. */
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
      `Events may also go to ${webhookAllow.join(", ")}; take off OUTDIAL_WEBHOOK_ALLOW what is not needed`
    )

const metrics = ({ metrics }: ServeConfig): Finding =>
  Option.isNone(metrics.port) && Option.isNone(metrics.token)
    ? warning(
      "metrics",
      "Metrics are not served: set OUTDIAL_METRICS_TOKEN or OUTDIAL_METRICS_PORT, or nobody is alarmed"
    )
    : ok(
      "metrics",
      Option.isSome(metrics.port) ? `Served on port ${metrics.port.value}` : "Served for who shows the token"
    )

export const timeZones = (
  { tzdata, version }: { readonly tzdata?: string | undefined; readonly version: string }
): Finding =>
  tzdata === undefined
    ? failed("time zones", "This Node has no time zone data; use an official build, or calling hours would be wrong")
    : ok(
      "time zones",
      `tzdata ${tzdata}, calls are planned by ${version}; compare with https://www.iana.org/time-zones`
    )

/** Nobody should find out by waiting for a phone to ring. */
export const provider = ({ telephony }: ServerConfig): Finding =>
  telephony === undefined
    ? warning("provider", "No carrier is connected: phones are simulated, and none rings")
    : ok("provider", "The configuration module gives a carrier; this check does not connect to it")

export const judge = (config: ServeConfig): ReadonlyArray<Finding> => [
  publicUrl(config),
  webhookAllow(config),
  metrics(config)
]
