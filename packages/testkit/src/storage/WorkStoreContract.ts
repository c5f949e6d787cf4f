/** Which work is announced to which node. */
import { assert } from "@effect/vitest"
import { Ids } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "./Cases.ts"
import * as Fixture from "./Fixture.ts"

const ours = Ids.CarrierName.make("ours")

const theirs = Ids.CarrierName.make("theirs")

export const cases: Cases = {
  "announces a lease only to a node that has the carrier": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    // Before the data of other accounts.
    const long = -10_000_000
    yield* Fixture.start(fixture, { createdAt: Factories.at(long) })
    yield* Fixture.claim(fixture, { at: long, carrier: theirs })
    const isBefore = (carriers: ReadonlyArray<Ids.CarrierName>) =>
      Effect.map(
        fixture.storage.work.nextDueAt({ carriers }),
        (at) => Option.isSome(at) && DateTime.isLessThanOrEqualTo(at.value, Factories.at(long + 60))
      )
    assert.deepStrictEqual(yield* Effect.all([isBefore([ours]), isBefore([ours, theirs])]), [false, true])
  })
}
