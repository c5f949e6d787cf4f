import { assert, it } from "@effect/vitest"
import {
  Call,
  Calls,
  type CarrierEvent,
  Engine,
  Ids,
  LineReports,
  MemoryStorage,
  SimulatedTelephony,
  Storage,
  Telephony,
  Webhooks,
  WebhookTransport
} from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { DateTime, Duration, Effect, Layer, Logger, Option, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"

const start = Effect.gen(function*() {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  const request = yield* Schema.decodeUnknownEffect(Call.StartCall)({
    agentId,
    phoneNumber: "+14155550100",
    variables: { topic: "x" }
  })
  return (yield* calls.start(accountId, request)).id
})

const statusOf = Effect.fnUntraced(function*(id: Ids.CallId) {
  const { accountId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  return (yield* calls.get(accountId, id)).status
})

/** Runs the engine's loops while the clock moves on, a second at a time. */
const running = (seconds: number) =>
  Effect.gen(function*() {
    const engine = yield* Engine.Engine
    yield* Effect.forkScoped(engine.run)
    for (let n = 0; n < seconds; n++) yield* TestClock.adjust("1 second")
  })

/** A carrier that answers a dial after a while, and records the requests to hang up. */
const slowCarrier = (hungUp: Ref.Ref<ReadonlyArray<Ids.CallId>>, seconds: number) =>
  Layer.succeed(Telephony.Telephony, {
    name: SimulatedTelephony.carrier,
    dial: ({ callId }) => Effect.delay(Effect.succeed(Ids.CarrierCallId.make(callId)), Duration.seconds(seconds)),
    lookUp: () => Effect.succeed({ _tag: "NotFound" }),
    hangUp: ({ callId }) => Ref.update(hungUp, (all) => [...all, callId]),
    notFoundLag: Duration.seconds(5)
  })

describe("faults", () => {
  it.effect("hangs up a call that the carrier accepts only after it has ended here", () =>
    Effect.gen(function*() {
      const hungUp = yield* Ref.make<ReadonlyArray<Ids.CallId>>([])
      yield* Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const reports = yield* LineReports.LineReports
        const callId = yield* start
        yield* running(2)
        yield* reports.report({
          accountId,
          callId,
          event: { _tag: "Ended", at: yield* DateTime.now, result: "busy", transcript: [], recorded: false }
        })
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(yield* Ref.get(hungUp), [callId])
        assert.strictEqual(yield* statusOf(callId), "busy")
      }).pipe(Effect.provide(TestEngine.layer({ telephony: slowCarrier(hungUp, 5) })))
    }))

  it.effect("ends the second carrier call of a call, whether a report or the dial's answer names it", () => {
    const hungUp: Array<string | undefined> = []
    const logged: Array<string> = []
    const carrier = Layer.succeed(Telephony.Telephony, {
      name: SimulatedTelephony.carrier,
      // A proxy sent the request again when the first answer was late.
      dial: () => Effect.delay(Effect.succeed(Ids.CarrierCallId.make("CA2")), "5 seconds"),
      lookUp: () => Effect.succeed({ _tag: "Live" }),
      hangUp: ({ carrierCallId }) => Effect.sync(() => void hungUp.push(carrierCallId)),
      notFoundLag: Duration.seconds(5)
    })
    return Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const reports = yield* LineReports.LineReports
      const callId = yield* start
      yield* running(2)
      const [first, third] = [Ids.CarrierCallId.make("CA1"), Ids.CarrierCallId.make("CA3")]
      const at = yield* DateTime.now
      const report = (event: CarrierEvent.CarrierEvent, carrierCallId?: Ids.CarrierCallId) =>
        reports.report({ accountId, callId, event, ...(carrierCallId !== undefined && { carrierCallId }) })
      assert.strictEqual(yield* report({ _tag: "Answered", at, by: "human" }, first), "continue")
      yield* running(5)
      assert.deepStrictEqual(hungUp, ["CA2"])
      const end = { _tag: "Ended", at, result: "busy", transcript: [], recorded: false } as const
      assert.strictEqual(yield* report(end, third), "hang_up")
      assert.strictEqual(yield* statusOf(callId), "in_progress")
      assert.lengthOf(logged.filter((line) => line.includes("level=ERROR") && line.includes(callId)), 2)
      assert.strictEqual(yield* report(end, first), "continue")
      assert.strictEqual(yield* statusOf(callId), "no_answer")
    }).pipe(
      Effect.provide(
        TestEngine.layer({ telephony: carrier }).pipe(
          Layer.provideMerge(Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void logged.push(line))]))
        )
      )
    )
  })

  it.effect("treats a carrier that never answers a dial like one whose answer was lost: the call is looked up, and ends", () =>
    Effect.gen(function*() {
      const hungUp = yield* Ref.make<ReadonlyArray<Ids.CallId>>([])
      yield* Effect.gen(function*() {
        const callId = yield* start
        yield* running(90)
        assert.strictEqual(yield* statusOf(callId), "failed")
      }).pipe(Effect.provide(TestEngine.layer({ telephony: slowCarrier(hungUp, 100_000) })))
    }))

  it.effect("looks after the other calls while the carrier leaves one look-up and one hang-up unanswered", () => {
    let lookUps = 0
    const carrier = Layer.succeed(Telephony.Telephony, {
      name: SimulatedTelephony.carrier,
      dial: () => Effect.fail(new Telephony.DialFailed({ reason: "unknown", cause: "lost" })),
      lookUp: () => ++lookUps === 1 ? Effect.never : Effect.succeed({ _tag: "NotFound" }),
      hangUp: () => Effect.never,
      notFoundLag: Duration.seconds(5)
    })
    return Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const calls = yield* Calls.Calls
      const callId = yield* start
      yield* running(2)
      yield* Effect.forkScoped(calls.hangUp(accountId, callId))
      yield* running(300)
      assert.strictEqual(yield* statusOf(callId), "failed")
      assert.strictEqual(lookUps, 2)
    }).pipe(Effect.provide(TestEngine.layer({ telephony: carrier })))
  })

  it.effect("names the call in the log whose carrier has not answered", () => {
    const logged: Array<string> = []
    const carrier = Layer.succeed(Telephony.Telephony, {
      name: SimulatedTelephony.carrier,
      dial: () => Effect.fail(new Telephony.DialFailed({ reason: "unknown", cause: "lost" })),
      lookUp: () => Effect.succeed({ _tag: "NotFound" }),
      hangUp: () => Effect.void,
      notFoundLag: Duration.seconds(5)
    })
    return Effect.gen(function*() {
      const callId = yield* start
      yield* running(2)
      assert.isTrue(logged.some((line) => line.includes(callId) && line.includes("is unknown")), logged.join("\n"))
    }).pipe(
      Effect.provide(
        TestEngine.layer({ telephony: carrier }).pipe(
          Layer.provideMerge(Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void logged.push(line))]))
        )
      )
    )
  })

  it.effect("rings no phone when it resumes after the fence and the dial deadline, and dials again", () =>
    Effect.gen(function*() {
      const callId = yield* start
      yield* TestEngine.drain
      const { rings } = yield* SimulatedTelephony.DialLog
      const { accountId } = yield* TestEngine.Tenant
      const storage = yield* Storage.Storage
      const call = Option.getOrThrow(yield* storage.calls.get(accountId, callId))
      const at = DateTime.makeUnsafe(70_000)
      assert.deepStrictEqual(yield* rings, [{ at, callId, phoneNumber: call.phoneNumber }])
      assert.deepStrictEqual(call.dialedAt, at)
    }).pipe(Effect.provide(TestEngine.layer({ storage: freezingOnce("70 seconds") }))))

  it.effect("dials for one account while the storage fails another", () =>
    Effect.gen(function*() {
      const storage = yield* Storage.Storage
      const broken = Factories.accountId()
      yield* storage.accounts.put({
        id: broken,
        name: "Broken",
        lines: 5,
        paused: false,
        policy: Factories.openPolicy,
        createdAt: Factories.start
      })
      const agent = yield* storage.agents.put({
        accountId: broken,
        agent: Factories.agentDefinition(),
        now: Factories.start
      })
      yield* storage.calls.start({
        accountId: broken,
        agentId: agent.id,
        phoneNumber: Factories.phoneNumber(),
        now: DateTime.makeUnsafe(0),
        rules: Factories.rules,
        idempotency: Option.none(),
        plan: Factories.accepting({ createdAt: DateTime.makeUnsafe(0) }),
        events: () => assert.fail("no event is due")
      })
      const callId = yield* start
      yield* TestEngine.advance("1 second")
      assert.strictEqual(yield* statusOf(callId), "dialing")
    }).pipe(Effect.provide(TestEngine.layer({ storage: failingClaims }))))

  it.effect("counts a transport that throws as an attempt that failed, by the schedule", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const webhooks = yield* Webhooks.Webhooks
      const storage = yield* Storage.Storage
      yield* webhooks.set(accountId, { url: "https://example.com/hook" })
      const { callId } = yield* testCall
      yield* TestEngine.advance("20 minutes")
      const event = yield* storage.events.get(accountId, Ids.terminalEventId(callId))
      assert.deepStrictEqual(
        Option.flatMap(event, ({ delivery }) => delivery),
        Option.some({ state: "pending" as const, attempts: 3 })
      )
    }).pipe(Effect.provide(TestEngine.layer({ transport: throwing }))))
})

/** Memory whose claims fail for the account that is called "Broken". */
const failingClaims = Layer.effect(
  Storage.Storage,
  Effect.map(Storage.Storage, (storage) =>
    Storage.Storage.of({
      ...storage,
      dispatch: {
        ...storage.dispatch,
        claimDue: (options) =>
          Effect.flatMap(storage.accounts.get(options.accountId), (account) =>
            Option.getOrThrow(account).name === "Broken"
              ? Effect.fail(new Storage.StorageError({ reason: "unavailable", cause: "broken" }))
              : storage.dispatch.claimDue(options))
      }
    }))
).pipe(Layer.provide(MemoryStorage.layer))

/** Memory whose node freezes for this long when it first has passed the fence. */
const freezingOnce = (duration: Duration.Input) =>
  Layer.effect(
    Storage.Storage,
    Effect.gen(function*() {
      const storage = yield* Storage.Storage
      const submissions = yield* Ref.make(0)
      return Storage.Storage.of({
        ...storage,
        dispatch: {
          ...storage.dispatch,
          submit: Effect.fnUntraced(function*(options) {
            const submitted = yield* storage.dispatch.submit(options)
            if ((yield* Ref.getAndUpdate(submissions, (n) => n + 1)) === 0) yield* TestClock.adjust(duration)
            return submitted
          })
        }
      })
    })
  ).pipe(Layer.provide(MemoryStorage.layer))

const testCall = Effect.gen(function*() {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  const request = yield* Schema.decodeUnknownEffect(Call.StartCall)({
    agentId,
    phoneNumber: "+14155550100",
    variables: { topic: "x" },
    test: true
  })
  return { callId: (yield* calls.start(accountId, request)).id }
})

const throwing = Layer.succeed(WebhookTransport.WebhookTransport, {
  send: () => Effect.die(new Error("a bug in the host")),
  refuses: () => Option.none()
})
