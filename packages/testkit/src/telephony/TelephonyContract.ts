/**
 * The contract of `Telephony`. One call runs the whole suite against a provider and the carrier behind it, which the suite
 * commands through `Carrier`; its own doubles accept reports and recordings. Each test dials its own call.
 */
import { it } from "@effect/vitest"
import type { LineReports, Recordings, Telephony } from "@outdial/core"
import { Effect, Exit, Layer, Option } from "effect"
import { describe } from "vitest"
import type { Carrier } from "./Carrier.ts"
import * as Dialing from "./DialCases.ts"
import * as HangingUp from "./HangUpCases.ts"
import * as LookingUp from "./LookUpCases.ts"
import * as Reporting from "./ReportCases.ts"
import type { Cases } from "./Fixture.ts"
import * as Witness from "./Witness.ts"

export { type Behaviour, Carrier, type Condition, type HostCarrier } from "./Carrier.ts"

const chapters: Readonly<Record<string, Cases>> = {
  dialing: Dialing.cases,
  "looking up": LookingUp.cases,
  reporting: Reporting.cases,
  "hanging up": HangingUp.cases
}

/** Timeout of a case; cases that wait for the carrier take a second. */
const caseTimeout = "5 seconds"

/** The first case that the provider fails, for tests of the suite itself. */
export const firstBroken = <E>(
  layer: Layer.Layer<Telephony.Telephony | Carrier, E, LineReports.LineReports | Recordings.Recordings>
): Effect.Effect<Option.Option<string>, E> =>
  Effect.gen(function*() {
    for (const [promise, test] of Object.values(chapters).flatMap((cases) => Object.entries(cases))) {
      const exit = yield* Effect.exit(Effect.timeout(test, caseTimeout))
      if (Exit.isFailure(exit)) return Option.some(promise)
    }
    return Option.none<string>()
  }).pipe(Effect.provide(layer.pipe(Layer.provideMerge(Witness.layer))))

/** Runs the contract against the layer, which is built once. */
export const contract = <E>(
  name: string,
  layer: Layer.Layer<Telephony.Telephony | Carrier, E, LineReports.LineReports | Recordings.Recordings>
): void => {
  describe(`Telephony contract: ${name}`, () => {
    // Carriers need real time, which a test clock would stop; the layer may have its own clock.
    it.layer(layer.pipe(Layer.provideMerge(Witness.layer)), { excludeTestServices: true, timeout: "180 seconds" })(
      (it) => {
        for (const [chapter, cases] of Object.entries(chapters)) {
          describe(chapter, () => {
            for (const [promise, test] of Object.entries(cases)) it.effect(promise, () => test)
          })
        }
      }
    )
  })
}
