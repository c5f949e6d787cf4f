/** Carrier reports in any order, and calls whose node has stopped. */
import { assert } from "@effect/vitest"
import { type CarrierEvent, EventBodies, Ids, Limits, type Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"

export const cases: Cases = {
  "writes an answer and an end that arrive together, in order": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* Fixture.submitted(fixture)
    const answers = yield* Fixture.report(fixture, callId, 20, Fixture.answered(5), Fixture.talked(5, 20))
    assert.deepStrictEqual(answers, ["changed", "changed"])
    const call = yield* Fixture.get(fixture, callId)
    assert.strictEqual(call.status, "completed")
    assert.deepStrictEqual(call.answeredAt, Factories.at(5))
    assert.deepStrictEqual(call.transcript, Factories.outcome.transcript)
    assert.isUndefined(call.claim)
  }),

  "keeps the carrier's id of the call, and renews its lease with every report of a live call": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* Fixture.submitted(fixture)
    const carrierCallId = Ids.CarrierCallId.make("CA1")
    yield* Fixture.report(fixture, callId, 1, { _tag: "Accepted", carrierCallId })
    yield* Fixture.report(fixture, callId, 30, { _tag: "Alive" })
    const { claim } = yield* Fixture.get(fixture, callId)
    assert.strictEqual(claim?.carrierCallId, carrierCallId)
    assert.deepStrictEqual(claim?.leaseUntil, DateTime.addDuration(Factories.at(30), Limits.lineLease))
  }),

  "keeps the carrier's first id of the call, whichever report brings it, and answers other ids with twin": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { callId } = yield* Fixture.submitted(fixture)
      const [first, second] = [Ids.CarrierCallId.make("CA1"), Ids.CarrierCallId.make("CA2")]
      const { accountId, storage } = fixture
      const report = (seconds: number, ...reports: ReadonlyArray<Omit<Storage.LineReport, "callId">>) =>
        storage.dispatch.report({
          accountId,
          now: Factories.at(seconds),
          reports: reports.map((one) => ({ callId, ...one })),
          events: EventBodies.eventWriter(Factories.at(seconds))
        })
      const answered = { carrierCallId: first, event: Fixture.answered(5) }
      assert.deepStrictEqual(yield* report(5, answered), ["changed"])
      const before = yield* Fixture.get(fixture, callId)
      assert.strictEqual(before.claim?.carrierCallId, first)
      const answers = yield* report(
        20,
        { event: { _tag: "Accepted", carrierCallId: second } },
        { carrierCallId: second, event: { _tag: "Alive" } },
        { carrierCallId: second, event: Fixture.talked(5, 20) }
      )
      assert.deepStrictEqual(answers, ["twin", "twin", "twin"])
      assert.deepStrictEqual(yield* Fixture.get(fixture, callId), before)
      assert.deepStrictEqual(
        yield* report(21, { event: { _tag: "Accepted", carrierCallId: first } }, { event: Fixture.talked(5, 21) }),
        ["changed", "changed"]
      )
    }
  ),

  "changes nothing for late, repeated or unordered reports, and asks to hang up calls that have ended": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { callId } = yield* Fixture.submitted(fixture)
      yield* Fixture.report(fixture, callId, 20, Fixture.talked(5, 20))
      const before = yield* Fixture.get(fixture, callId)
      const answers = yield* Fixture.report(
        fixture,
        callId,
        25,
        Fixture.answered(5),
        Fixture.talked(6, 25),
        { _tag: "Alive" },
        { _tag: "Ringing" },
        { _tag: "Verdict", by: "human" }
      )
      assert.deepStrictEqual(answers, ["hang_up", "ignored", "hang_up", "hang_up", "hang_up"])
      assert.deepStrictEqual(yield* Fixture.get(fixture, callId), before)
    }
  ),

  "keeps who has answered, and shows the machine to the conversations of all nodes": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const [person, machine, menu] = [
      yield* Fixture.submitted(fixture),
      yield* Fixture.submitted(fixture),
      yield* Fixture.submitted(fixture)
    ]
    const answered = { _tag: "Answered", at: Factories.at(5), by: "unknown" } as const
    for (const [{ callId }, by] of [[person, "human"], [machine, "voicemail"], [menu, "ivr"]] as const) {
      yield* Fixture.report(fixture, callId, 5, { _tag: "Ringing" }, answered)
      assert.strictEqual((yield* Fixture.get(fixture, callId)).answeredBy, "unknown")
      assert.deepStrictEqual(yield* Fixture.report(fixture, callId, 9, { _tag: "Verdict", by }), ["changed"])
    }
    const [one, two, three] = yield* Effect.forEach(
      [person, machine, menu],
      ({ callId }) => Fixture.get(fixture, callId)
    )
    assert.deepStrictEqual(
      [one, two, three].map((call) => [call?.answeredBy, call?.machine]),
      [["human", undefined], ["voicemail", "voicemail"], ["unknown", "ivr"]]
    )
    const other = yield* Fixture.make()
    const asked = [menu, person, machine].map(({ callId }) => ({ accountId, callId }))
    assert.deepStrictEqual(
      yield* storage.conversations.machines([...asked, { ...machine, accountId: other.accountId }]),
      ["ivr", undefined, "voicemail", undefined]
    )
    assert.deepStrictEqual(yield* storage.conversations.machines([]), [])
  }),

  "reports an unknown call, also if it is another account's": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const other = yield* Fixture.make()
    const { callId } = yield* Fixture.submitted(other)
    assert.deepStrictEqual(yield* Fixture.report(fixture, callId, 1, Fixture.answered(1)), ["unknown"])
    assert.deepStrictEqual(yield* Fixture.report(fixture, Factories.callId(), 1, Fixture.answered(1)), ["unknown"])
  }),

  "ends a call once when twenty ends are reported at once": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* Fixture.submitted(fixture)
    const busy = { _tag: "Ended", at: Factories.at(9), result: "busy", transcript: [], recorded: false } as const
    const answers = yield* Effect.all(
      Array.from({ length: 20 }, () => Fixture.report(fixture, callId, 9, busy)),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(answers.flat().filter((answer) => answer === "changed").length, 1)
    assert.strictEqual((yield* Fixture.get(fixture, callId)).status, "busy")
  }),

  "writes the terminal event of a call that did not connect together with its end": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId } = yield* Fixture.submitted(fixture)
    yield* Fixture.report(fixture, callId, 9, {
      _tag: "Ended",
      at: Factories.at(9),
      result: "busy",
      transcript: [],
      recorded: false
    })
    const event = Option.getOrThrow(yield* Fixture.terminalEvent(fixture, callId))
    assert.strictEqual(event.type, "call.not_connected")
    assert.strictEqual(JSON.parse(event.body).data.status, "busy")
  }),

  "keeps the carrier's own reason of a call that did not connect, cleaned, and shows it in its event": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const given = { code: "21216", message: "Calls to +14155550100 are blocked" }
      const carrierReason = { code: "21216", message: "Calls to … are blocked" }
      const at = Factories.at(9)
      const refused = { _tag: "Ended", at, result: "failed", code: "carrier_refused", recorded: false } as const
      const { callId } = yield* Fixture.submitted(fixture)
      yield* Fixture.report(fixture, callId, 9, { ...refused, carrierReason: given })
      assert.deepStrictEqual((yield* Fixture.get(fixture, callId)).carrierReason, carrierReason)
      const { data } = JSON.parse(Option.getOrThrow(yield* Fixture.terminalEvent(fixture, callId)).body)
      assert.deepStrictEqual(
        [data.status_reason, data.status_code, data.carrier_reason],
        ["The carrier refused the call: Calls to … are blocked (21216).", "carrier_refused", carrierReason]
      )

      const busy = yield* Fixture.submitted(fixture)
      yield* Fixture.report(fixture, busy.callId, 9, { ...refused, result: "busy", carrierReason: { code: "486" } })
      assert.deepStrictEqual((yield* Fixture.get(fixture, busy.callId)).carrierReason, { code: "486" })

      const talked = yield* Fixture.submitted(fixture)
      yield* Fixture.report(fixture, talked.callId, 20, {
        ...Fixture.talked(5, 20),
        result: "failed",
        carrierReason: given
      })
      const completed = yield* Fixture.get(fixture, talked.callId)
      assert.deepStrictEqual([completed.status, completed.carrierReason], ["completed", undefined])
    }
  ),

  "shows the recording of a completed call, whenever it comes, and has every other one discarded": Effect.gen(
    function*() {
      const fixture = yield* Fixture.make()
      const { accountId, storage } = fixture
      const report = (callId: Ids.CallId, seconds: number, ...events: Parameters<typeof Fixture.report>[3][]) =>
        Fixture.report(fixture, callId, seconds, ...events)
      const recorded = { _tag: "Recorded" } as const
      const end = { ...Fixture.talked(5, 20), recorded: false }
      const showsRecording = (callId: Ids.CallId) =>
        Effect.map(Fixture.get(fixture, callId), ({ hasRecording }) => hasRecording)

      for (
        const [events, expected] of [
          [[end, recorded, recorded], ["changed", "changed", "ignored"]],
          [[Fixture.answered(5), recorded, end], ["changed", "changed", "changed"]]
        ] as const
      ) {
        const { callId } = yield* Fixture.submitted(fixture)
        assert.deepStrictEqual(yield* report(callId, 20, ...events), expected)
        assert.isTrue(yield* showsRecording(callId))
        assert.isTrue(Option.isNone(yield* Fixture.terminalEvent(fixture, callId)), "the outcome comes as without it")
      }

      const busy = yield* Fixture.submitted(fixture)
      yield* report(busy.callId, 9, { _tag: "Ended", at: Factories.at(9), result: "busy", recorded: false })
      const queued = yield* Fixture.start(fixture, { dueAt: Factories.at(1000) })
      for (const callId of [busy.callId, queued.id, Factories.callId()]) {
        assert.deepStrictEqual(yield* report(callId, 30, recorded), ["discard"])
      }

      // A callback that is repeated after retention.
      const callId = yield* Fixture.complete(fixture)
      assert.deepStrictEqual(yield* report(callId, 70, recorded), ["ignored"])
      yield* storage.privacy.deleteTranscripts({ accountId, callIds: [callId] })
      assert.deepStrictEqual(yield* report(callId, 80, recorded), ["discard"])
      assert.isFalse(yield* showsRecording(callId))
    }
  ),

  "takes what the carrier charges at any time, keeps the last, and changes nothing else": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const charged = (amount: string) => ({ _tag: "Charged" as const, cost: { amount, currency: "USD" } })
    const { callId, token } = yield* Fixture.submitted(fixture)
    const live = yield* Fixture.get(fixture, callId)
    assert.deepStrictEqual(yield* Fixture.report(fixture, callId, 5, charged("0.0075"), charged("0.0075")), [
      "changed",
      "ignored"
    ])
    assert.deepStrictEqual(yield* Fixture.get(fixture, callId), { ...live, cost: charged("0.0075").cost })
    yield* Fixture.report(fixture, callId, 20, Fixture.answered(5), Fixture.talked(5, 20))
    const ended = yield* Fixture.get(fixture, callId)
    assert.strictEqual(ended.cost?.amount, "0.0075")
    assert.deepStrictEqual(yield* Fixture.report(fixture, callId, 90_000, charged("0.02")), ["changed"])
    assert.deepStrictEqual(yield* Fixture.report(fixture, callId, 90_001, charged("0.02")), ["ignored"])
    assert.deepStrictEqual(yield* Fixture.get(fixture, callId), { ...ended, cost: charged("0.02").cost })
    assert.isTrue(Option.isNone(yield* Fixture.terminalEvent(fixture, callId)))
    assert.isDefined(token)

    const queued = yield* Fixture.start(fixture, { dueAt: Factories.at(1000) })
    for (const id of [queued.id, Factories.callId()]) {
      assert.deepStrictEqual(yield* Fixture.report(fixture, id, 30, charged("0.01")), ["ignored"])
    }
    const busy = yield* Fixture.submitted(fixture)
    yield* Fixture.report(fixture, busy.callId, 9, {
      _tag: "Ended",
      at: Factories.at(9),
      result: "busy",
      recorded: false
    })
    yield* Fixture.report(fixture, busy.callId, 4000, charged("0"))
    assert.deepStrictEqual((yield* Fixture.get(fixture, busy.callId)).cost, charged("0").cost)
  }),

  "takes no cost and no recording of another call at the carrier, before the end and after it": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { accountId, storage } = fixture
    const { callId } = yield* Fixture.submitted(fixture)
    const [first, second] = [Ids.CarrierCallId.make("CA1"), Ids.CarrierCallId.make("CA2")]
    const report = (
      seconds: number,
      carrierCallId: Ids.CarrierCallId,
      ...events: ReadonlyArray<CarrierEvent.CarrierEvent>
    ) =>
      storage.dispatch.report({
        accountId,
        now: Factories.at(seconds),
        reports: events.map((event) => ({ callId, carrierCallId, event })),
        events: EventBodies.eventWriter(Factories.at(seconds))
      })
    const recorded = { _tag: "Recorded" } as const
    const charged = (amount: string) => ({ _tag: "Charged", cost: { amount, currency: "USD" } }) as const
    yield* report(5, first, Fixture.answered(5), charged("0.01"))
    const live = yield* Fixture.get(fixture, callId)
    assert.deepStrictEqual(yield* report(6, second, charged("0"), recorded), ["ignored", "discard"])
    assert.deepStrictEqual(yield* Fixture.get(fixture, callId), live)
    yield* report(20, first, { ...Fixture.talked(5, 20), recorded: false }, charged("0.03"))
    const ended = yield* Fixture.get(fixture, callId)
    assert.deepStrictEqual([ended.endedCarrierCallId, ended.cost?.amount], [first, "0.03"])
    assert.deepStrictEqual(yield* report(30, second, charged("0"), recorded), ["ignored", "discard"])
    assert.deepStrictEqual(yield* Fixture.get(fixture, callId), ended)
    assert.deepStrictEqual(yield* report(40, first, charged("0.04"), recorded), ["changed", "changed"])
  }),

  "finds a call whose lease expired, once per lease, with the data of its dial": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const { callId, token } = yield* Fixture.submitted(fixture)
    const { accountId, storage } = fixture
    const take = (seconds: number) =>
      storage.dispatch.claimStaleCalls({
        carriers: [Factories.carrier],
        accountId,
        now: Factories.at(seconds),
        limit: 10
      })
    assert.isFalse(yield* Fixture.isDue(fixture, "lease", 59.999))
    assert.deepStrictEqual(yield* take(59.999), [])
    assert.isTrue(yield* Fixture.isDue(fixture, "lease", 60))
    const { phoneNumber } = yield* Fixture.get(fixture, callId)
    assert.deepStrictEqual(yield* take(60), [{
      callId,
      token,
      carrier: Factories.carrier,
      phoneNumber,
      submittedAt: Factories.start
    }])
    assert.deepStrictEqual(yield* take(60), [])
  }),

  "finds a call that was claimed and never submitted": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const call = yield* Fixture.start(fixture)
    const token = Factories.token()
    yield* Fixture.claim(fixture, { token })
    const { accountId, storage } = fixture
    const stale = yield* storage.dispatch.claimStaleCalls({
      carriers: [Factories.carrier],
      accountId,
      now: Factories.at(15),
      limit: 10
    })
    assert.deepStrictEqual(stale, [{
      callId: call.id,
      token,
      carrier: Factories.carrier,
      phoneNumber: call.phoneNumber
    }])
  })
}
