/** The lines of the product, each with a contact who says nothing. */
import { TextLineContract } from "@outdial/testkit/contracts"
import { type Cause, Effect, Queue, Stream } from "effect"
import { telnyx, twilio } from "../../packages/carriers/src/relay/RelayFrames.ts"
import * as RelayLine from "../../packages/carriers/src/relay/RelayLine.ts"
import * as SimulatedLine from "../../packages/core/src/simulator/SimulatedLine.ts"
import * as Activity from "../../packages/core/src/talk/Activity.ts"
import * as TypedLine from "../../packages/core/src/talk/TypedLine.ts"

TextLineContract.contract(
  "of a simulated contact",
  Effect.map(
    SimulatedLine.make({ contact: () => Effect.succeed({ _tag: "IsSilent" }), speed: 1 }),
    ({ close, line }) => ({ line, hangsUp: close })
  )
)

const nothing = () => Effect.void

TextLineContract.contract(
  "at the keyboard",
  Effect.map(
    TypedLine.make({
      activity: Activity.make(),
      pace: 66,
      speaker: { begins: Effect.void, says: nothing, ends: nothing }
    }),
    ({ hungUp, line }) => ({ line, hangsUp: hungUp })
  )
)

for (const [name, dialect] of Object.entries({ twilio, telnyx })) {
  TextLineContract.contract(
    `over a relay of ${name} that reports nothing`,
    Effect.gen(function*() {
      const frames = yield* Queue.unbounded<string, Cause.Done>()
      const ends = Effect.asVoid(Queue.end(frames))
      const line = yield* RelayLine.make({
        dialect,
        frames: Stream.fromQueue(frames),
        send: nothing,
        close: ends,
        hangUp: ends,
        transfers: dialect.handsOff
          ? { handoffData: (number) => `transfer ${number}` }
          : { command: () => Effect.succeed(true) }
      })
      return { line, hangsUp: ends }
    })
  )
}
