import { TwilioTelephony } from "@outdial/carriers/twilio"
import { CarrierRouter } from "@outdial/core"
import { defineServer } from "@outdial/server/config"
import { Redacted } from "effect"

/** A sub-account at Twilio, whose variables begin with `prefix`. */
const subAccount = (name: string, prefix: string) =>
  TwilioTelephony.layer({
    name,
    accountSid: process.env[`${prefix}_ACCOUNT_SID`] ?? "",
    authToken: Redacted.make(process.env[`${prefix}_AUTH_TOKEN`] ?? ""),
    apiUrl: process.env[`${prefix}_API_URL`],
    publicUrl: process.env["OUTDIAL_PUBLIC_URL"] ?? ""
  })

const routes = [{ carrier: "twilio-hotel", accounts: ["acct_hotel"] }]

export default defineServer({
  telephony: CarrierRouter.layer({
    carriers: [subAccount("twilio-clinic", "CLINIC_TWILIO"), subAccount("twilio-hotel", "HOTEL_TWILIO")],
    routes
  }),
  // For processes with OUTDIAL_ROLE=api.
  routing: { carriers: ["twilio-clinic", "twilio-hotel"], routes }
})
