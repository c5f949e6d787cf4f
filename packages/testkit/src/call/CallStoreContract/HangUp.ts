/** Calls that are hung up on request. */
import { assert } from "@effect/vitest"
import { EventBodies, type Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"

const request = ({ accountId, storage }: Fixture.Fixture, id: Parameters<typeof Fixture.get>[1], seconds: number) =>
  storage.calls.requestHangUp({ accountId, id, now: Factories.at(seconds) })

const back = (
  { accountId, storage }: Fixture.Fixture,
  call: { readonly callId: Parameters<typeof Fixture.get>[1]; readonly token: Storage.SubmitOptions["token"] },
  seconds: number,
  reason: Storage.ReturnOptions["reason"]
) =>
  storage.dispatch.returnToQueue({
    accountId,
    callIds: [call.callId],
    token: call.token,
    now: Factories.at(seconds),
    reason,
    events: EventBodies.eventWriter(Factories.at(seconds))
  })

export const cases: Cases = {
  "answers reports of a call to hang up with hang_up, and accepts its end": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { callId } = yield* Fixture.submitted(fixture)
      const requested = yield* request(fixture, callId, 1)
      const call = yield* Fixture.get(fixture, callId)
      const agent = Option.getOrThrow(yield* fixture.storage.agents.get(fixture.accountId, fixture.agentId))
      assert.deepStrictEqual(requested, { _tag: "Requested", call, agent })
      assert.deepStrictEqual(call.claim?.hangUpAt, Factories.at(1))
      assert.deepStrictEqual(yield* Fixture.report(fixture, callId, 2, { _tag: "Alive" }), ["hang_up"])
      assert.deepStrictEqual(yield* Fixture.report(fixture, callId, 5, Fixture.answered(5)), ["hang_up"])
      assert.strictEqual((yield* Fixture.get(fixture, callId)).status, "in_progress")
      assert.deepStrictEqual(yield* Fixture.report(fixture, callId, 6, { _tag: "Alive" }), ["hang_up"])
      yield* Fixture.report(fixture, callId, 9, Fixture.talked(5, 9))
      assert.strictEqual((yield* Fixture.get(fixture, callId)).status, "completed")
    }
  ),

  "keeps the first request when it is repeated, and returns it with the stale call": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId, token } = yield* Fixture.submitted(fixture)
    yield* request(fixture, callId, 1)
    yield* request(fixture, callId, 7)
    const { accountId, storage } = fixture
    const { phoneNumber } = yield* Fixture.get(fixture, callId)
    assert.deepStrictEqual(
      yield* storage.dispatch.claimStaleCalls({
        carriers: [Factories.carrier],
        accountId,
        now: Factories.at(70),
        limit: 9
      }),
      [
        {
          callId,
          token,
          carrier: Factories.carrier,
          phoneNumber,
          submittedAt: Factories.start,
          hangUpAt: Factories.at(1)
        }
      ]
    )
  }),

  "does not submit a call to hang up, and cancels it when it returns to the queue": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { id: callId } = yield* Fixture.start(fixture)
    const token = Factories.token()
    yield* Fixture.claim(fixture, { token })
    yield* request(fixture, callId, 1)
    const { accountId, storage } = fixture
    const submitted = yield* storage.dispatch.submit({ accountId, callIds: [callId], token, now: Factories.at(1) })
    assert.strictEqual(submitted.size, 0)
    yield* back(fixture, { callId, token }, 2, "not_submitted")
    const call = yield* Fixture.get(fixture, callId)
    assert.deepStrictEqual(
      [call.status, call.statusCode, call.dialedAt, call.endedAt],
      ["canceled", "canceled_by_client", undefined, Factories.at(2)]
    )
    assert.isTrue(Option.isSome(yield* Fixture.terminalEvent(fixture, callId)))
  }),

  "cancels a call to hang up if its carrier could not be reached": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const call = yield* Fixture.submitted(fixture)
    yield* request(fixture, call.callId, 1)
    yield* back(fixture, call, 2, "carrier_unavailable")
    assert.strictEqual((yield* Fixture.get(fixture, call.callId)).status, "canceled")
  }),

  "reports that a queued or ended call is not live, and finds no other account's call": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const waiting = yield* Fixture.start(fixture, { dueAt: DateTime.add(Factories.start, { days: 1 }) })
    const ended = yield* Fixture.complete(fixture)
    for (const id of [waiting.id, ended]) {
      assert.deepStrictEqual(yield* request(fixture, id, 30), {
        _tag: "NotLive",
        call: yield* Fixture.get(fixture, id)
      })
    }
    const other = yield* Fixture.make()
    assert.deepStrictEqual(yield* request(other, ended, 30), { _tag: "NotFound" })
  })
}
