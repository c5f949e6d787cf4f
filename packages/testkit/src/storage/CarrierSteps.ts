/** Steps on calls of several carriers. */
import type { Ids, Storage } from "@outdial/core"
import { Effect } from "effect"
import * as Factories from "../Factories.ts"
import * as Fixture from "./Fixture.ts"

/** A call that was claimed for the carrier and submitted at the start. */
export const submittedFor = Effect.fnUntraced(function*(
  fixture: Fixture.Fixture,
  carrier: Ids.CarrierName
): Effect.fn.Return<{ readonly callId: Ids.CallId; readonly token: Ids.ClaimToken }, Storage.StorageError> {
  const { id: callId } = yield* Fixture.start(fixture)
  const token = Factories.token()
  yield* Fixture.claim(fixture, { token, carrier })
  const { accountId, storage } = fixture
  yield* storage.dispatch.submit({ accountId, callIds: [callId], token, now: Factories.start })
  return { callId, token }
})

export const stale = (
  { accountId, storage }: Fixture.Fixture,
  carriers: ReadonlyArray<Ids.CarrierName>,
  seconds: number
): Effect.Effect<ReadonlyArray<Ids.CallId>, Storage.StorageError> =>
  Effect.map(
    storage.dispatch.claimStaleCalls({ accountId, carriers, now: Factories.at(seconds), limit: 10 }),
    (calls) => calls.map(({ callId }) => callId)
  )
