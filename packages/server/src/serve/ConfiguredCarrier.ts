/**
 * The carrier that `OUTDIAL_CARRIER` names. Phones are simulated only on request, because the simulator would complete the waiting calls
 * of a server whose configuration is missing.
 */
import { TwilioTelephony } from "@outdial/carriers/twilio"
import { SimulatedTelephony, Telephony } from "@outdial/core"
import { type Config as EffectConfig, Effect, Option } from "effect"
import * as ConfigModule from "../cli/ConfigModule.ts"
import type * as Config from "../config/Config.ts"
import type { ServerConfig } from "../config/ServerConfig.ts"
import { UsageError } from "../config/UsageError.ts"

type ServeConfig = EffectConfig.Success<typeof Config.serve>

/** The carrier. A process that serves only `/v1` does not open one; another process receives its callbacks. */
export const telephonyOf = Effect.fnUntraced(function*({ telephony }: ServerConfig, config: ServeConfig) {
  const { carrier, role } = config
  if (telephony !== undefined && Option.isSome(carrier)) {
    return yield* new UsageError({
      message:
        `OUTDIAL_CARRIER=${carrier.value} and telephony in the configuration module exclude each other. Give only one`
    })
  }
  if (role === "api") return Telephony.Telephony.layerNone
  if (telephony !== undefined) return ConfigModule.part("telephony", telephony)
  if (Option.isNone(carrier)) {
    return yield* new UsageError({
      message:
        "There is no carrier. Name a module with telephony by --config or OUTDIAL_CONFIG; set OUTDIAL_CARRIER=twilio, or " +
        "OUTDIAL_CARRIER=simulated to simulate phones; or set OUTDIAL_ROLE=api to serve requests alone"
    })
  }
  return carrier.value === "simulated"
    ? SimulatedTelephony.layer()
    : TwilioTelephony.layer(yield* twilioOptions(config))
})

/** The settings of Twilio. Fails, and says what to set, when they are not complete. */
export const twilioOptions = Effect.fnUntraced(function*(
  { publicUrl, twilio }: Pick<ServeConfig, "publicUrl" | "twilio">
): Effect.fn.Return<TwilioTelephony.TwilioOptions, UsageError> {
  const { accountSid, apiKeySecret, apiKeySid, apiUrl, authToken, callerId, callsPerSecond } = twilio
  const needed = <A>(setting: Option.Option<A>, name: string, why: string) =>
    Option.match(setting, {
      onNone: () => Effect.fail(new UsageError({ message: `OUTDIAL_CARRIER=twilio needs ${name}: ${why}` })),
      onSome: Effect.succeed
    })
  const url = yield* needed(
    publicUrl,
    "OUTDIAL_PUBLIC_URL",
    "the address under which Twilio reaches this server, such as https://calls.example.com"
  )
  if (!url.startsWith("https:") && Option.isNone(apiUrl)) {
    return yield* new UsageError({
      message: `OUTDIAL_PUBLIC_URL is ${url}; Twilio connects conversations only over https`
    })
  }
  if (Option.isSome(apiKeySid) !== Option.isSome(apiKeySecret)) {
    return yield* new UsageError({
      message: "TWILIO_API_KEY_SID and TWILIO_API_KEY_SECRET belong together. Give both or none"
    })
  }
  return {
    accountSid: yield* needed(accountSid, "TWILIO_ACCOUNT_SID", "it is on the first page of Twilio's console"),
    authToken: yield* needed(authToken, "TWILIO_AUTH_TOKEN", "it verifies the signatures of Twilio's callbacks"),
    apiKey: Option.getOrUndefined(Option.zipWith(apiKeySid, apiKeySecret, (sid, secret) => ({ sid, secret }))),
    callerId: Option.getOrUndefined(callerId),
    publicUrl: url.replace(/\/+$/, ""),
    callsPerSecond,
    apiUrl: Option.getOrUndefined(Option.map(apiUrl, (one) => one.replace(/\/+$/, "")))
  }
})
