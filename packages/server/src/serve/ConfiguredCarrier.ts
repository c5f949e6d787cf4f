/**
 * The carriers that `OUTDIAL_CARRIER` names. Phones are simulated only on request, because the simulator would complete the waiting calls
 * of a server whose configuration is missing.
 */
import { AsteriskTelephony } from "@outdial/carriers/asterisk"
import { TelnyxTelephony } from "@outdial/carriers/telnyx"
import { TwilioTelephony } from "@outdial/carriers/twilio"
import { type CallRoute, CarrierRouter, Errors, SimulatedTelephony, Telephony } from "@outdial/core"
import { type Config as EffectConfig, Effect, type FileSystem, Layer, Option } from "effect"
import * as ConfigModule from "../cli/ConfigModule.ts"
import type * as Config from "../config/Config.ts"
import * as RoutesFile from "../config/RoutesFile.ts"
import type { ServerConfig } from "../config/ServerConfig.ts"
import { UsageError } from "../config/UsageError.ts"

type ServeConfig = EffectConfig.Success<typeof Config.serve>

/**
 * The carrier, or a router over several. A process that serves only `/v1` does not open one; another process receives its callbacks.
 */
export const telephonyOf = Effect.fnUntraced(function*({ routing, telephony }: ServerConfig, config: ServeConfig) {
  const { carriers, role } = config
  const given = telephony !== undefined ? "telephony" : routing !== undefined ? "routing" : undefined
  if (given !== undefined && carriers.length > 0) {
    return yield* new UsageError({
      message: `OUTDIAL_CARRIER=${
        carriers.join(",")
      } and ${given} in the configuration module exclude each other. Give only one`
    })
  }
  const routes = yield* routesOf(config)
  if (role === "api" && routing !== undefined) {
    return ConfigModule.part("routing", CarrierRouter.layerPlanning(routing))
  }
  if (role === "api") {
    return isRouted(config)
      ? explained(CarrierRouter.layerPlanning({ carriers, routes }))
      : Telephony.Telephony.layerNone
  }
  if (telephony !== undefined) return ConfigModule.part("telephony", telephony)
  const layers = yield* Effect.forEach(carriers, (carrier) => layerOf(carrier, config))
  const [only] = layers
  if (only === undefined) {
    return yield* new UsageError({
      message:
        "There is no carrier. Name a module with telephony by --config or OUTDIAL_CONFIG; set OUTDIAL_CARRIER to twilio, telnyx or asterisk, or to " +
        "simulated to simulate phones; or set OUTDIAL_ROLE=api to serve requests alone"
    })
  }
  return isRouted(config) ? explained(CarrierRouter.layer({ carriers: layers, routes })) : only
})

/** Whether calls are planned by routes: over several carriers, or over one to which a file of routes brings the calls of others. */
export const isRouted = ({ carriers, routes }: Pick<ServeConfig, "carriers" | "routes">): boolean =>
  carriers.length > 1 || Option.isSome(routes)

/** The routes over the carriers of `OUTDIAL_CARRIER`. */
const routesOf = Effect.fnUntraced(function*({ carriers, routes }: ServeConfig) {
  if (Option.isSome(routes) && carriers.length === 0) {
    return yield* new UsageError({
      message:
        "OUTDIAL_ROUTES needs carriers in OUTDIAL_CARRIER, such as twilio,telnyx. A configuration module gives its routes to CarrierRouter"
    })
  }
  return yield* RoutesFile.read(routes)
})

/** The routes over the carriers of `OUTDIAL_CARRIER`, of which there is one at least. Fails when they cannot be used. */
export const routingOf = Effect.fnUntraced(function*(
  config: ServeConfig
): Effect.fn.Return<CallRoute.CallRouting, UsageError, FileSystem.FileSystem> {
  const routes = yield* routesOf(config)
  return yield* Effect.mapError(CarrierRouter.routingOf({ carriers: config.carriers, routes }), unusable)
})

const layerOf = Effect.fnUntraced(
  function*(
    carrier: Config.CarrierChoice,
    config: ServeConfig
  ): Effect.fn.Return<Layer.Layer<Telephony.Telephony, unknown, Telephony.CarrierServices>, UsageError> {
    switch (carrier) {
      case "asterisk":
        return AsteriskTelephony.layer(yield* asteriskOptions(config))
      case "simulated":
        return SimulatedTelephony.layer()
      case "telnyx":
        return TelnyxTelephony.layer(yield* telnyxOptions(config))
      case "twilio":
        return TwilioTelephony.layer(yield* twilioOptions(config))
      default:
        return carrier satisfies never
    }
  }
)

/** The router. What is wrong with it is in the file of its routes, because the names of the carriers are ours. */
const explained = <R>(router: Layer.Layer<Telephony.Telephony, unknown, R>) =>
  Layer.catch(
    router,
    (error) => Layer.effectContext(Effect.fail(error instanceof Errors.InvalidRequest ? unusable(error) : error))
  )

const unusable = ({ message }: Errors.InvalidRequest) =>
  new UsageError({ message: `OUTDIAL_ROUTES cannot be used: ${message}` })

/** A setting that the carrier cannot do without. */
const needed = <A>(
  setting: Option.Option<A>,
  { carrier, name, why }: {
    readonly carrier: "asterisk" | "telnyx" | "twilio"
    readonly name: string
    readonly why: string
  }
) =>
  Option.match(setting, {
    onNone: () => Effect.fail(new UsageError({ message: `OUTDIAL_CARRIER=${carrier} needs ${name}: ${why}` })),
    onSome: Effect.succeed
  })

const withoutSlash = (url: string) => url.replace(/\/+$/, "")

/** Where the carrier reaches the server: over https, unless it is a fake one. */
const publicUrlFor = Effect.fnUntraced(function*(
  carrier: "telnyx" | "twilio",
  { apiUrl, publicUrl }: Pick<ServeConfig, "publicUrl"> & { readonly apiUrl: Option.Option<string> }
) {
  const name = carrier === "telnyx" ? "Telnyx" : "Twilio"
  const url = yield* needed(publicUrl, {
    carrier,
    name: "OUTDIAL_PUBLIC_URL",
    why: `the address under which ${name} reaches this server, such as https://calls.example.com`
  })
  if (url.startsWith("https:") || Option.isSome(apiUrl)) return withoutSlash(url)
  return yield* new UsageError({
    message: `OUTDIAL_PUBLIC_URL is ${url}; ${name} connects conversations only over https`
  })
})

/** The settings of Twilio. Fails, and says what to set, when they are not complete. */
export const twilioOptions = Effect.fnUntraced(function*(
  { publicUrl, twilio }: Pick<ServeConfig, "publicUrl" | "twilio">
): Effect.fn.Return<TwilioTelephony.TwilioOptions, UsageError> {
  const { accountSid, apiKeySecret, apiKeySid, apiUrl, authToken, callerId, callsPerSecond, media, recording } = twilio
  const url = yield* publicUrlFor("twilio", { apiUrl, publicUrl })
  if (Option.isSome(apiKeySid) !== Option.isSome(apiKeySecret)) {
    return yield* new UsageError({
      message: "TWILIO_API_KEY_SID and TWILIO_API_KEY_SECRET belong together. Give both or none"
    })
  }
  if (recording === "own" && media === "relay") {
    return yield* new UsageError({ message: "TWILIO_RECORDING=own needs TWILIO_MEDIA=stream" })
  }
  return {
    accountSid: yield* needed(accountSid, {
      carrier: "twilio",
      name: "TWILIO_ACCOUNT_SID",
      why: "it is on the first page of Twilio's console"
    }),
    authToken: yield* needed(authToken, {
      carrier: "twilio",
      name: "TWILIO_AUTH_TOKEN",
      why: "it verifies the signatures of Twilio's callbacks"
    }),
    apiKey: Option.getOrUndefined(Option.zipWith(apiKeySid, apiKeySecret, (sid, secret) => ({ sid, secret }))),
    callerId: Option.getOrUndefined(callerId),
    publicUrl: url,
    callsPerSecond,
    media,
    recording,
    apiUrl: Option.getOrUndefined(Option.map(apiUrl, withoutSlash))
  }
})

/** The settings of Telnyx. Fails, and says what to set, when they are not complete. */
export const telnyxOptions = Effect.fnUntraced(function*(
  { publicUrl, telnyx }: Pick<ServeConfig, "publicUrl" | "telnyx">
): Effect.fn.Return<TelnyxTelephony.TelnyxOptions, UsageError> {
  const { apiKey, apiUrl, callerId, callsPerSecond, connectionId, publicKey, recording } = telnyx
  const url = yield* publicUrlFor("telnyx", { apiUrl, publicUrl })
  return {
    apiKey: yield* needed(apiKey, {
      carrier: "telnyx",
      name: "TELNYX_API_KEY",
      why: "create one in Telnyx's portal, under API keys"
    }),
    connectionId: yield* needed(connectionId, {
      carrier: "telnyx",
      name: "TELNYX_CONNECTION_ID",
      why: "it is the id of your Voice API application in Telnyx's portal"
    }),
    publicKey: yield* needed(publicKey, {
      carrier: "telnyx",
      name: "TELNYX_PUBLIC_KEY",
      why: "it verifies the signatures of Telnyx's webhooks, and stands in Telnyx's portal, under API keys"
    }),
    callerId: Option.getOrUndefined(callerId),
    publicUrl: url,
    callsPerSecond,
    recording,
    apiUrl: Option.getOrUndefined(Option.map(apiUrl, withoutSlash))
  }
})

/** The settings of Asterisk. Fails, and says what to set, when they are not complete. */
export const asteriskOptions = Effect.fnUntraced(function*(
  { asterisk }: Pick<ServeConfig, "asterisk">
): Effect.fn.Return<AsteriskTelephony.AsteriskOptions, UsageError> {
  const { amd, ariUrl, callsPerSecond, channels, endpoint, format, mediaUrl, password, recording, user } = asterisk
  return {
    ariUrl: withoutSlash(
      yield* needed(ariUrl, {
        carrier: "asterisk",
        name: "ASTERISK_ARI_URL",
        why: "the address of Asterisk's REST interface, such as http://127.0.0.1:8088/ari"
      })
    ),
    user,
    password: yield* needed(password, {
      carrier: "asterisk",
      name: "ASTERISK_ARI_PASSWORD",
      why: "choose one, and give it to outdial asterisk config, too"
    }),
    endpoint,
    format,
    mediaUrl: Option.getOrUndefined(Option.map(mediaUrl, withoutSlash)),
    callsPerSecond,
    channels: Option.getOrUndefined(channels),
    detectsMachines: amd === "on",
    recording
  }
})
