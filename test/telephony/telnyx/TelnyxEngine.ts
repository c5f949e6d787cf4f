/** Engines that call over a fake Telnyx, whose voice speaks fast. */
import { TelnyxTelephony } from "@outdial/carriers/telnyx"
import { FakeTelnyx } from "@outdial/testkit/fake-telnyx"
import { Effect, Redacted } from "effect"
import * as CarrierEngine from "../fake/CarrierEngine.ts"

export const openWith = Effect.fnUntraced(function*(
  { recording = "off", ...options }: CarrierEngine.Options & { readonly recording?: "off" | "copy" }
) {
  const { apiKey, connectionId, publicKey, url } = yield* FakeTelnyx.FakeTelnyx
  return yield* CarrierEngine.open((publicUrl) =>
    TelnyxTelephony.layer({
      apiKey: Redacted.make(apiKey),
      connectionId,
      publicKey,
      apiUrl: url,
      publicUrl,
      callerId: CarrierEngine.callerId,
      callsPerSecond: 1000,
      charactersPerSecond: 1000,
      recording
    }), options)
})

export const open = openWith({})
