import { SimulatedTelephony } from "@outdial/core"
import { TelephonyContract } from "@outdial/testkit/contracts"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const numbers = {
  talks: "+14155550100",
  busy: "+14155550105",
  never_answers: "+14155550106",
  refused: "+14155550109",
  unavailable: "+14155550119",
  unknown_rings: "+14155550129",
  unknown_lost: "+14155550139",
  last_report_lost: "+14155550169"
} satisfies Record<TelephonyContract.Behaviour, string>

/** The simulator on a clock of its own; it answers within 12 seconds, and talks for less than two minutes. */
const simulated = Layer.unwrap(Effect.sync(() => {
  let isReachable = true
  return Layer.effect(
    TelephonyContract.Carrier,
    Effect.map(SimulatedTelephony.DialLog, ({ rings }) => ({
      numbers,
      rings: Effect.map(rings, (all) => all.map(({ callId }) => callId)),
      answer: () => TestClock.adjust("12 seconds"),
      end: () => TestClock.adjust("2 minutes"),
      setReachable: (value: boolean) => Effect.sync(() => void (isReachable = value))
    }))
  ).pipe(
    Layer.provideMerge(SimulatedTelephony.layer({ isReachable: () => isReachable })),
    Layer.provideMerge(TestClock.layer())
  )
}))

TelephonyContract.contract("simulated", simulated)
