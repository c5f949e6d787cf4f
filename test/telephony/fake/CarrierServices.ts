/** What a carrier needs of an engine, for tests of dials and look-ups alone: no call is reported, connected or recorded. */
import { CarrierTokens, Conversations, LineReports, Recordings, SecretBox, Telephony, WebCrypto } from "@outdial/core"
import { Context, Effect, Layer, Redacted } from "effect"

const layer = Layer.mergeAll(
  CarrierTokens.CarrierTokens.layer({ signingKey: Redacted.make("key") }).pipe(
    Layer.provide([SecretBox.SecretBox.layerMemory, WebCrypto.layerWebCrypto])
  ),
  Layer.mock(LineReports.LineReports, {}),
  Layer.mock(Conversations.Conversations, {}),
  Recordings.Recordings.layerMemory
)

/** The carrier on these services. */
export const build = (carrier: Layer.Layer<Telephony.Telephony, unknown, Telephony.CarrierServices>) =>
  Effect.map(Layer.build(Layer.provide(carrier, layer)), (built) => Context.get(built, Telephony.Telephony))
