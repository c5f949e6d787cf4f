import { AsteriskTelephony } from "@outdial/carriers/asterisk"
import { CarrierRouter } from "@outdial/core"
import { defineServer } from "@outdial/server/config"
import { Redacted } from "effect"

/** An Asterisk, whose variables begin with `prefix`. */
const asterisk = (name: string, prefix: string) =>
  AsteriskTelephony.layer({
    name,
    ariUrl: process.env[`${prefix}_ARI_URL`] ?? "",
    user: "outdial",
    password: Redacted.make(process.env[`${prefix}_ARI_PASSWORD`] ?? ""),
    endpoint: "PJSIP/{number}@trunk",
    callsPerSecond: 2
  })

const routes = [
  { carrier: "berlin", countries: ["DE", "AT"], failover: ["boston"] },
  { carrier: "boston", failover: ["berlin"] }
]

export default defineServer({
  telephony: CarrierRouter.layer({ carriers: [asterisk("berlin", "BERLIN"), asterisk("boston", "BOSTON")], routes }),
  // For processes with OUTDIAL_ROLE=api.
  routing: { carriers: ["berlin", "boston"], routes }
})
