/** Asks the configured carrier about its account. Places no call. */
import { TelnyxTelephony } from "@outdial/carriers/telnyx"
import { TwilioTelephony } from "@outdial/carriers/twilio"
import type { PhoneNumber } from "@outdial/core"
import { type Config as EffectConfig, Effect, Option } from "effect"
import type * as Config from "../config/Config.ts"
import * as ConfiguredCarrier from "../serve/ConfiguredCarrier.ts"
import { failed, type Finding, ok, warning } from "./Finding.ts"

type ServeConfig = EffectConfig.Success<typeof Config.serve>

/** None if there is no account at a carrier. */
export const findings = Effect.fnUntraced(function*(config: ServeConfig) {
  const carrier = Option.getOrUndefined(config.carrier)
  switch (carrier) {
    case "telnyx":
      return [yield* telnyx(config), callerIdIn("TELNYX_CALLER_ID", config.telnyx.callerId)]
    case "twilio":
      return [yield* twilio(config), callerIdIn("TWILIO_CALLER_ID", config.twilio.callerId)]
    case "simulated":
    case undefined:
      return []
    default:
      return carrier satisfies never
  }
})

const twilio = Effect.fnUntraced(function*(config: ServeConfig) {
  const account = TwilioTelephony.account(yield* ConfiguredCarrier.twilioOptions(config))
  return yield* answered(
    "Twilio",
    Effect.map(account, ({ status, type }) => {
      if (status !== "active") return failed("Twilio", `The account is ${status}, and places no calls`)
      return type === "Trial"
        ? warning("Twilio", "The account is a trial: it calls only numbers that it has verified, and says so first")
        : ok("Twilio", "The account is active")
    })
  )
})

const telnyx = Effect.fnUntraced(function*(config: ServeConfig) {
  const application = TelnyxTelephony.application(yield* ConfiguredCarrier.telnyxOptions(config))
  return yield* answered(
    "Telnyx",
    Effect.map(
      application,
      Option.match({
        onNone: () => failed("Telnyx", "There is no Voice API application with the id in TELNYX_CONNECTION_ID"),
        onSome: ({ active, application_name: name = "without a name", outbound }) => {
          if (active === false) return failed("Telnyx", `The application ${name} is not active, and places no calls`)
          return typeof outbound?.outbound_voice_profile_id === "string"
            ? ok("Telnyx", `The application ${name} is active`)
            : failed(
              "Telnyx",
              `The application ${name} has no outbound voice profile, and places no calls. Give it one`
            )
        }
      })
    )
  )
})

/** The finding, or what went wrong at the carrier. */
const answered = (carrier: string, finding: Effect.Effect<Finding, { readonly cause: unknown }>) =>
  Effect.catch(finding, ({ cause }) =>
    Effect.succeed(
      failed(carrier, `It does not answer as it should: ${cause instanceof Error ? cause.message : "no answer"}`)
    ))

const callerIdIn = (variable: string, callerId: Option.Option<PhoneNumber.PhoneNumber>): Finding =>
  Option.match(callerId, {
    onNone: () => warning("caller id", `${variable} is not set: agents without a caller_id place no calls`),
    onSome: (number) => ok("caller id", `Agents without a caller_id call from ${number}`)
  })
