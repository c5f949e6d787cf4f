import { SimulatedTelephony } from "@outdial/core"
import { TelephonyContract } from "@outdial/testkit/contracts"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const numbers = {
  talks: "+14155550100",
  voicemail: "+14155550107",
  busy: "+14155550105",
  never_answers: "+14155550106",
  refused: "+14155550109",
  unavailable: "+14155550119",
  unknown_rings: "+14155550129",
  error_rings: "+14155550129",
  unknown_lost: "+14155550139",
  last_report_lost: "+14155550169"
} satisfies Record<TelephonyContract.Behaviour, string>

/** The simulator on a clock of its own; it answers within 12 seconds, and talks for less than two minutes. */
const simulated = Layer.unwrap(Effect.sync(() => {
  let condition: TelephonyContract.Condition = "well"
  const callerIds = new Map<string, string | undefined>()
  return Layer.effect(
    TelephonyContract.Carrier,
    Effect.map(SimulatedTelephony.DialLog, ({ rings }) => ({
      numbers,
      words: { agent: "this is Ada", contact: "this is a good time" },
      authorizes: true,
      records: true,
      refusal: { code: "603", message: "Declined" },
      callerIdOf: (callId: string) => Effect.sync(() => callerIds.get(callId)),
      rings: Effect.map(rings, (all) => all.map(({ callId }) => callId)),
      answer: () => TestClock.adjust("12 seconds"),
      end: () => TestClock.adjust("2 minutes"),
      // It makes no requests, so that none can wait for an answer or be answered with an error.
      setCondition: (next: TelephonyContract.Condition) => Effect.sync(() => void (condition = next)),
      untilWaiting: () => Effect.void
    }))
  ).pipe(
    Layer.provideMerge(SimulatedTelephony.layer({
      isReachable: () => condition === "well" || condition === "unauthorized",
      isAuthorized: () => condition !== "unauthorized",
      callee: ({ callId, callerId }) => {
        callerIds.set(callId, callerId)
        return undefined
      }
    })),
    Layer.provideMerge(TestClock.layer())
  )
}))

TelephonyContract.contract("simulated", simulated)
