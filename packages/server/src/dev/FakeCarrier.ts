/**
 * A fake Twilio or Telnyx in the process of `outdial dev`: calls go over HTTP and WebSockets, as they would with the carrier. The fakes are
 * in `@outdial/testkit`, which a server in production does not need: it is loaded when it is asked for.
 */
import { TelnyxTelephony } from "@outdial/carriers/telnyx"
import { TwilioTelephony } from "@outdial/carriers/twilio"
import type { Telephony } from "@outdial/core"
import {
  type Cause,
  type Config as EffectConfig,
  ConfigProvider,
  Effect,
  type Layer,
  Option,
  type Path,
  Schema,
  type Scope
} from "effect"
import * as Config from "../config/Config.ts"
import * as OptionalPackage from "../config/OptionalPackage.ts"
import type { UsageError } from "../config/UsageError.ts"
import * as ConfiguredCarrier from "../serve/ConfiguredCarrier.ts"

export const names = ["fake-telnyx", "fake-twilio"] as const
export type Name = (typeof names)[number]

const modules: Readonly<Record<Name, string>> = { "fake-telnyx": "FakeTelnyx", "fake-twilio": "FakeTwilio" }

type CarrierLayer = Layer.Layer<Telephony.Telephony, Cause.UnknownError, Telephony.CarrierServices>

/** How fast people talk, in characters: the pace of the fake's contacts. */
const charactersPerSecond = 15

const isVariables = Schema.is(Schema.Record(Schema.String, Schema.String))

/** Starts the fake, whose contacts talk `speed` times faster than people, until the scope closes. Returns the carrier over it. */
export const telephony = Effect.fnUntraced(function*(
  name: Name,
  { publicUrl, speed }: { readonly publicUrl: string; readonly speed: number }
): Effect.fn.Return<CarrierLayer, EffectConfig.ConfigError | UsageError, Path.Path | Scope.Scope> {
  const variables = ConfigProvider.fromUnknown(yield* started(name, speed))
  const at = { publicUrl: Option.some(publicUrl) }
  if (name === "fake-twilio") {
    const twilio = yield* Config.twilio.parse(variables)
    return TwilioTelephony.layer({ ...yield* ConfiguredCarrier.twilioOptions({ ...at, twilio }), callsPerSecond: 20 })
  }
  const telnyx = yield* Config.telnyx.parse(variables)
  return TelnyxTelephony.layer({
    ...yield* ConfiguredCarrier.telnyxOptions({ ...at, telnyx }),
    callsPerSecond: 20,
    charactersPerSecond: charactersPerSecond * speed
  })
})

/** The variables with which a server calls over the fake. */
const started = Effect.fnUntraced(function*(name: Name, speed: number) {
  const loaded = yield* OptionalPackage.load(`@outdial/testkit/${name}`, { neededBy: `--carrier ${name}` })
  const fake = loaded[modules[name]]
  const start = typeof fake === "object" && fake !== null && "start" in fake ? fake.start : undefined
  const starting: unknown = typeof start === "function" ? start({ speed }) : undefined
  // The fakes need nothing but a scope, and do not fail.
  const variables = Effect.isEffect(starting)
    ? yield* starting as Effect.Effect<unknown, never, Scope.Scope>
    : undefined
  return isVariables(variables)
    ? variables
    : yield* OptionalPackage.unusable("@outdial/testkit", "it is of another version")
})
