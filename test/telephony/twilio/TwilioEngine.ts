/** Engines that call over a fake Twilio. */
import { TwilioTelephony } from "@outdial/carriers/twilio"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect, Redacted } from "effect"
import * as CarrierEngine from "../fake/CarrierEngine.ts"

export const openWith = Effect.fnUntraced(function*(
  { apiKey, media = "relay", recording = "off", ...options }: CarrierEngine.Options & {
    readonly apiKey?: { readonly sid: string; readonly secret: string }
    readonly media?: "relay" | "stream"
    readonly recording?: "off" | "copy" | "own"
  }
) {
  const twilio = yield* FakeTwilio.FakeTwilio
  return yield* CarrierEngine.open((publicUrl) =>
    TwilioTelephony.layer({
      accountSid: twilio.accountSid,
      authToken: Redacted.make(twilio.authToken),
      ...(apiKey !== undefined && { apiKey: { ...apiKey, secret: Redacted.make(apiKey.secret) } }),
      apiUrl: twilio.url,
      publicUrl,
      callerId: CarrierEngine.callerId,
      callsPerSecond: 1000,
      media,
      recording
    }), options)
})

export const open = openWith({})
