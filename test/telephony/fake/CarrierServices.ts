/** What a carrier needs of an engine, for tests of dials and look-ups alone: no call is reported, connected or recorded. */
import { CarrierTokens, Conversations, LineReports, Recordings, SecretBox, Telephony, WebCrypto } from "@outdial/core"
import { Context, Effect, Layer, Redacted } from "effect"

/** `holding`: who has the conversation of every call; reports are taken then. */
const layerOf = (holding?: "held" | "left" | "none" | "over") =>
  Layer.mergeAll(
    CarrierTokens.CarrierTokens.layer({ signingKey: Redacted.make("key") }).pipe(
      Layer.provide([SecretBox.SecretBox.layerMemory, WebCrypto.layerWebCrypto])
    ),
    Layer.mock(LineReports.LineReports, holding === undefined ? {} : { report: () => Effect.succeed("continue") }),
    Layer.mock(Conversations.Conversations, holding === undefined ? {} : { holding: () => Effect.succeed(holding) }),
    Recordings.Recordings.layerMemory
  )

/** The carrier on these services. */
export const build = (
  carrier: Layer.Layer<Telephony.Telephony, unknown, Telephony.CarrierServices>,
  holding?: Parameters<typeof layerOf>[0]
) =>
  Effect.map(Layer.build(Layer.provide(carrier, layerOf(holding))), (built) => Context.get(built, Telephony.Telephony))
