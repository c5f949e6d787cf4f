/** Sends spans to a collector by OTLP over HTTP, if one is configured. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { type Config as EffectConfig, Layer, Option, Redacted, References } from "effect"
import { OtlpSerialization, OtlpTracer } from "effect/observability"
import type * as Config from "../config/Config.ts"

const headersOf = (list: string): Record<string, string> =>
  Object.fromEntries(
    list.split(",").map((pair) => {
      const [name = "", ...value] = pair.split("=")
      return [name.trim(), decoded(value.join("=").trim())]
    })
  )

/** Values are percent-encoded. An invalid encoding is used as text. */
const decoded = (value: string): string => {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** Pending spans are sent when the layer closes. */
export const layer = (
  { endpoint, headers, serviceName }: EffectConfig.Success<typeof Config.traces>,
  { version }: { readonly version: string }
) =>
  Option.match(endpoint, {
    // Without a collector no spans are made.
    onNone: () => Layer.succeed(References.TracerEnabled, false),
    onSome: (url) =>
      OtlpTracer.layer({
        url: `${url.replace(/\/+$/, "")}/v1/traces`,
        resource: { serviceName, serviceVersion: version },
        headers: Option.match(headers, { onNone: () => ({}), onSome: (list) => headersOf(Redacted.value(list)) })
      }).pipe(Layer.provide([OtlpSerialization.layerJson, NodeHttpClient.layerUndici]))
  })
