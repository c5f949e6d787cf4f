/** A carrier that takes every call, and says nothing of it: the tests report, and are its lines. */
import { Ids, Telephony } from "@outdial/core"
import { Duration, Effect, Layer } from "effect"

export const layer = Layer.succeed(Telephony.Telephony, {
  name: Ids.CarrierName.make("test"),
  dial: ({ callId }) => Effect.succeed(Ids.CarrierCallId.make(callId)),
  lookUp: () => Effect.succeed({ _tag: "Live" }),
  hangUp: () => Effect.void,
  notFoundLag: Duration.seconds(5)
})
