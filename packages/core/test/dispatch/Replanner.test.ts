import { assert, it } from "@effect/vitest"
import {
  CallingRules,
  Calls,
  Engine as Engines,
  EventBodies,
  type Ids,
  Lane,
  MemoryStorage,
  PhoneNumbers,
  Storage,
  Telephony,
  TimeZones,
  Wakeups
} from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { Context, DateTime, Duration, Effect, Layer, Option, type Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Replanner from "../../src/dispatch/Replanner.ts"

/** What plans in an engine whose runtime has this release of the time zone data. */
const engine = (tzdata: string, rules: typeof CallingRules.CallingRules.layer = CallingRules.CallingRules.layer) =>
  Effect.map(
    Layer.build(
      Replanner.Replanner.layer.pipe(
        Layer.provideMerge(CallingRules.layerFailingClosed.pipe(Layer.provide(rules))),
        Layer.provideMerge([TimeZones.TimeZones.layerWith({ tzdata }), PhoneNumbers.PhoneNumbers.layer]),
        Layer.provide([Telephony.Telephony.layerNone, Wakeups.Wakeups.layerMemory, Storage.layerStores])
      )
    ),
    (context) => ({
      plan: Context.get(context, Replanner.Replanner).runOnce,
      rules: Context.get(context, CallingRules.CallingRules),
      planData: Context.get(context, TimeZones.TimeZones).version
    })
  )

type Engine = Effect.Success<ReturnType<typeof engine>>

const setting = Effect.gen(function*() {
  yield* TestClock.setTime(DateTime.toEpochMillis(Factories.start))
  const storage = yield* Storage.Storage
  const id = Factories.accountId()
  const account = yield* storage.accounts.put({
    id,
    name: "Test",
    lines: 5,
    paused: false,
    policy: Factories.openPolicy,
    createdAt: Factories.start
  })
  const agent = yield* storage.agents.put({ accountId: id, agent: Factories.agentDefinition(), now: Factories.start })
  /** Accepts a call as the engine plans it. */
  const accept = Effect.fnUntraced(function*({ rules }: Engine) {
    const phoneNumber = Factories.phoneNumber()
    const lane = rules.laneOf(account, { agentId: agent.id, contact: {}, phoneNumber })
    const plan = Factories.accepting({ phoneNumber, lane })
    const started = yield* storage.calls.start({
      accountId: id,
      agentId: agent.id,
      phoneNumber,
      now: Factories.start,
      rules,
      idempotency: Option.none(),
      plan,
      events: EventBodies.eventWriter(Factories.start)
    })
    return started._tag === "Started" ? started.call.id : yield* Effect.die(new Error(started._tag))
  })
  const planOf = (call: Ids.CallId) =>
    Effect.map(storage.calls.get(id, call), (found) => Lane.parts(Option.getOrThrow(found).lane).planData)
  return { accept, planOf }
})

const test = <E>(name: string, effect: Effect.Effect<void, E, Storage.Storage | Scope.Scope>) =>
  it.effect(name, () => Effect.provide(effect, MemoryStorage.layer))

test(
  "replans calls by newer time zone data, also those that an older engine accepts meanwhile, and never back",
  Effect.gen(function*() {
    const { accept, planOf } = yield* setting
    const older = yield* engine("2026a")
    assert.strictEqual(yield* older.plan, 0)
    const waiting = yield* accept(older)
    assert.strictEqual(yield* older.plan, 0)
    const newer = yield* engine("2026b")
    assert.strictEqual(yield* newer.plan, 1)
    const late = yield* accept(older)
    assert.strictEqual(yield* older.plan, 0)
    assert.strictEqual(yield* newer.plan, 1)
    assert.strictEqual(yield* older.plan, 0)
    assert.deepStrictEqual([yield* planOf(waiting), yield* planOf(late)], [newer.planData, newer.planData])
  })
)

test(
  "continues with its own data when the engines with other data are gone",
  Effect.gen(function*() {
    const { accept, planOf } = yield* setting
    const staying = yield* engine("2026a")
    yield* staying.plan
    const passing = yield* engine("2026b")
    yield* passing.plan
    const call = yield* accept(passing)
    yield* TestClock.adjust(Duration.seconds(59))
    assert.strictEqual(yield* staying.plan, 0)
    yield* TestClock.adjust(Duration.seconds(1))
    assert.strictEqual(yield* staying.plan, 1)
    assert.strictEqual(yield* planOf(call), staying.planData)
  })
)

test(
  "adds its versions to the lanes of a host's own rules",
  Effect.gen(function*() {
    const { accept, planOf } = yield* setting
    const own = Layer.succeed(CallingRules.CallingRules, { ...Factories.rules, laneOf: () => Lane.Lane.make("mine") })
    const host = yield* engine("2026a", own)
    const call = yield* accept(host)
    assert.strictEqual(yield* host.plan, 0)
    assert.strictEqual(yield* planOf(call), host.planData)
  })
)

/** Memory in which the adoption of time zone data waits for a locked row. */
const waitingToAdopt = Layer.effect(
  Storage.Storage,
  Effect.map(
    Storage.Storage,
    (storage) =>
      Storage.Storage.of({ ...storage, dispatch: { ...storage.dispatch, adoptPlanData: () => Effect.never } })
  )
).pipe(Layer.provide(MemoryStorage.layer))

it.effect("never keeps an engine that starts from dialing", () =>
  Effect.gen(function*() {
    const { accountId, agentId } = yield* TestEngine.Tenant
    const calls = yield* Calls.Calls
    const engine = yield* Engines.Engine
    const { id } = yield* calls.start(accountId, {
      agentId,
      phoneNumber: Factories.phoneNumber(),
      contact: {},
      variables: { topic: "x" },
      metadata: {},
      test: false
    })
    yield* Effect.forkScoped(engine.run)
    yield* TestClock.adjust(Duration.minutes(10))
    assert.notStrictEqual((yield* calls.get(accountId, id)).status, "queued")
  }).pipe(Effect.provide(TestEngine.layer({ storage: waitingToAdopt }))))
