/** The server's engine on a Postgres, with a carrier and a receiver that take no time: what is measured is the engine. */
// As the server does.
import "effect/schema/SchemaJITCompiler/enable"
import { Recordings, type Telephony, type TextAgent, WebhookTransport } from "@outdial/core"
import { EngineLayer } from "@outdial/server"
import { Effect, Layer, Option, Redacted } from "effect"
import * as ImmediateTelephony from "./ImmediateTelephony.ts"

export interface Options {
  readonly url: string
  /** Called for every dial. */
  readonly onDial?: (request: Telephony.DialRequest) => void
  /** Called for every delivery. */
  readonly onArrival?: () => void
  /** In place of the carrier without lines. */
  readonly telephony?: Layer.Layer<Telephony.Telephony, never, Telephony.CarrierServices>
  /** In place of the scripted agent. */
  readonly textAgent?: Layer.Layer<TextAgent.TextAgent>
  readonly transport?: Layer.Layer<WebhookTransport.WebhookTransport, unknown>
}

/** Every delivery arrives at once. */
const immediateTransport = (onArrival: () => void) =>
  Layer.succeed(WebhookTransport.WebhookTransport, {
    send: () =>
      Effect.sync(() => {
        onArrival()
        return { statusCode: 204, retryAfter: Option.none() }
      }),
    refuses: () => Option.none()
  })

export const layer = (
  {
    onArrival = () => {},
    onDial,
    telephony = ImmediateTelephony.layer(onDial),
    textAgent,
    transport = immediateTransport(onArrival),
    url
  }: Options
) =>
  EngineLayer.layer({
    location: { _tag: "Postgres", url: Redacted.make(url) },
    publicUrl: "https://bench.test",
    secretKeys: { key: Redacted.make(Buffer.alloc(32, 1).toString("base64")) },
    telephony,
    textAgent,
    recordings: Recordings.Recordings.layerMemory,
    transport
  })
