/** Asks the configured carrier about its account. Places no call. */
import { TwilioTelephony } from "@outdial/carriers/twilio"
import { type Config as EffectConfig, Effect, Option } from "effect"
import type * as Config from "../config/Config.ts"
import * as ConfiguredCarrier from "../serve/ConfiguredCarrier.ts"
import { failed, type Finding, ok, warning } from "./Finding.ts"

type ServeConfig = EffectConfig.Success<typeof Config.serve>

/** None if there is no account at a carrier. */
export const findings = Effect.fnUntraced(function*(config: ServeConfig) {
  if (Option.getOrUndefined(config.carrier) !== "twilio") return []
  const options = yield* ConfiguredCarrier.twilioOptions(config)
  const account = yield* TwilioTelephony.account(options).pipe(
    Effect.map(({ status, type }): Finding => {
      if (status !== "active") return failed("Twilio", `The account is ${status}, and places no calls`)
      return type === "Trial"
        ? warning("Twilio", "The account is a trial: it calls only numbers that it has verified, and says so first")
        : ok("Twilio", "The account is active")
    }),
    Effect.catch((error) =>
      Effect.succeed(
        failed(
          "Twilio",
          `It does not answer as it should: ${error.cause instanceof Error ? error.cause.message : "no answer"}`
        )
      )
    )
  )
  const callerId = Option.match(config.twilio.callerId, {
    onNone: () => warning("caller id", "TWILIO_CALLER_ID is not set: agents without a caller_id place no calls"),
    onSome: (number) => ok("caller id", `Agents without a caller_id call from ${number}`)
  })
  return [account, callerId]
})
