/** The chapter on calls that are ended by hand. */
import { assert } from "@effect/vitest"
import { EventBodies, type Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Setting from "../../storage/Fixture.ts"

const request = ({ accountId, storage }: Setting.Setting, id: Parameters<typeof Setting.get>[1], seconds: number) =>
  storage.calls.requestHangUp({ accountId, id, now: Factories.at(seconds) })

const back = (
  { accountId, storage }: Setting.Setting,
  call: { readonly callId: Parameters<typeof Setting.get>[1]; readonly token: Storage.SubmitOptions["token"] },
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
  "answers every sign of life of a call that is to end with hang_up, and takes its end as ever": Effect.gen(
    function*() {
      const setting = yield* Setting.make()
      const { callId } = yield* Setting.submitted(setting)
      const requested = yield* request(setting, callId, 1)
      const call = yield* Setting.get(setting, callId)
      const agent = Option.getOrThrow(yield* setting.storage.agents.get(setting.accountId, setting.agentId))
      assert.deepStrictEqual(requested, { _tag: "Requested", call, agent })
      assert.deepStrictEqual(call.claim?.hangUpAt, Factories.at(1))
      assert.deepStrictEqual(yield* Setting.report(setting, callId, 2, { _tag: "Alive" }), ["hang_up"])
      assert.deepStrictEqual(yield* Setting.report(setting, callId, 5, Setting.answered(5)), ["hang_up"])
      assert.strictEqual((yield* Setting.get(setting, callId)).status, "in_progress")
      assert.deepStrictEqual(yield* Setting.report(setting, callId, 6, { _tag: "Alive" }), ["hang_up"])
      yield* Setting.report(setting, callId, 9, Setting.talked(5, 9))
      assert.strictEqual((yield* Setting.get(setting, callId)).status, "completed")
    }
  ),

  "keeps the first request when it is repeated, and tells it with a call that is stale": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { callId, token } = yield* Setting.submitted(setting)
    yield* request(setting, callId, 1)
    yield* request(setting, callId, 7)
    const { accountId, storage } = setting
    const { phoneNumber } = yield* Setting.get(setting, callId)
    assert.deepStrictEqual(
      yield* storage.dispatch.claimStaleCalls({
        carriers: [Factories.carrier],
        accountId,
        now: Factories.at(70),
        limit: 9
      }),
      [
        { callId, token, phoneNumber, submittedAt: Factories.start, hangUpAt: Factories.at(1) }
      ]
    )
  }),

  "does not submit a call that is to end, and cancels it when it comes back": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const { id: callId } = yield* Setting.start(setting)
    const token = Factories.token()
    yield* Setting.claim(setting, { token })
    yield* request(setting, callId, 1)
    const { accountId, storage } = setting
    const submitted = yield* storage.dispatch.submit({ accountId, callIds: [callId], token, now: Factories.at(1) })
    assert.strictEqual(submitted.size, 0)
    yield* back(setting, { callId, token }, 2, "not_submitted")
    const call = yield* Setting.get(setting, callId)
    assert.deepStrictEqual(
      [call.status, call.statusCode, call.dialedAt, call.endedAt],
      ["canceled", "canceled_by_client", undefined, Factories.at(2)]
    )
    assert.isTrue(Option.isSome(yield* Setting.terminalEvent(setting, callId)))
  }),

  "cancels a call that is to end when its carrier could not be reached": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const call = yield* Setting.submitted(setting)
    yield* request(setting, call.callId, 1)
    yield* back(setting, call, 2, "carrier_unavailable")
    assert.strictEqual((yield* Setting.get(setting, call.callId)).status, "canceled")
  }),

  "says of a call that waits or has ended that it is not live, and knows no other": Effect.gen(function*() {
    const setting = yield* Setting.make()
    const waiting = yield* Setting.start(setting, { dueAt: DateTime.add(Factories.start, { days: 1 }) })
    const ended = yield* Setting.complete(setting)
    for (const id of [waiting.id, ended]) {
      assert.deepStrictEqual(yield* request(setting, id, 30), {
        _tag: "NotLive",
        call: yield* Setting.get(setting, id)
      })
    }
    const other = yield* Setting.make()
    assert.deepStrictEqual(yield* request(other, ended, 30), { _tag: "NotFound" })
  })
}
