import { assert, describe, it } from "@effect/vitest"
import {
  CallingRules,
  Calls,
  CarrierRouter,
  Carriers,
  Engine,
  Explanations,
  Ids,
  Lane,
  MemoryStorage,
  Outdial,
  Storage,
  Telephony
} from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { Deferred, Duration, Effect, Fiber, Layer, Logger, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Steps from "../support/CallSteps.ts"
import * as Instant from "../support/Instant.ts"
import * as RecordingCarrier from "../support/RecordingCarrier.ts"
import { type Carrier, engine, type Routes } from "../support/RoutedEngine.ts"

const drain = Effect.flatMap(Engine.Engine, (engine) => engine.drain)

/** Starts a call and does what is due. */
const startNow = (number: string, more?: object) => Effect.tap(Steps.start(number, more), drain)

const german = (count: number) => Array.from({ length: count }, (_, index) => `+4930${1_000_000 + index}`)
const american = (count: number) => Array.from({ length: count }, (_, index) => `+1415555${1000 + index}`)

const startMany = (numbers: ReadonlyArray<string>) => Effect.forEach(numbers, (number) => Steps.start(number))

/** Starts calls of another account of the storage, which this makes. */
const startFor = Effect.fnUntraced(function*(accountId: Ids.AccountId, numbers: ReadonlyArray<string>) {
  const { accounts, agents } = yield* Storage.Storage
  const now = Factories.start
  const policy = Factories.openPolicy
  yield* accounts.put({ id: accountId, name: "Other", lines: 5, paused: false, policy, createdAt: now })
  const { id: agentId } = yield* agents.put({ accountId, agent: Factories.agentDefinition(), now })
  yield* Effect.forEach(numbers, (number) => Steps.startFor({ accountId, agentId }, number))
})

const germanOver = (carrier: string, more: object = {}) => [{ carrier, countries: ["DE"], ...more }]

describe("A router", () => {
  const callerId = "+14155550199"
  const [agentId, accountId] = [Factories.agentId(), Factories.accountId()]

  it.effect("dials each call over the carrier of its route: by country, agent, account and caller id", () => {
    const [first, other] = [RecordingCarrier.make("first"), RecordingCarrier.make("other")]
    const dialed = (route: object) =>
      Effect.gen(function*() {
        const [before, beforeOther] = [first.dials.length, other.dials.length]
        yield* Effect.gen(function*() {
          yield* startNow("+4930123456")
          yield* startNow("+14155550100")
          yield* startFor(accountId, ["+14155550101"])
          yield* drain
        }).pipe(
          Effect.provide(engine([first, other], [{ carrier: "other", ...route }], {
            agent: { id: agentId, callerId: callerId as never }
          }))
        )
        return [first.numbers().slice(before), other.numbers().slice(beforeOther)]
      })
    const [berlin, here, elsewhere] = ["+4930123456", "+14155550100", "+14155550101"]
    return Effect.gen(function*() {
      assert.deepStrictEqual(yield* dialed({ countries: ["DE", "FR"] }), [[here, elsewhere], [berlin]])
      assert.deepStrictEqual(yield* dialed({ agents: [agentId] }), [[elsewhere], [berlin, here]])
      assert.deepStrictEqual(yield* dialed({ accounts: [accountId] }), [[berlin, here], [elsewhere]])
      assert.deepStrictEqual(yield* dialed({ callerIds: [callerId] }), [[elsewhere], [berlin, here]])
      assert.deepStrictEqual(yield* dialed({ countries: ["US"], agents: [agentId] }), [[berlin, elsewhere], [here]])
      assert.deepStrictEqual(yield* dialed({}), [[], [berlin, here, elsewhere]])
    })
  })

  it.effect("holds no call up behind thousands of due calls of a carrier that is paused or has no slots", () => {
    const [slow, free] = [RecordingCarrier.make("slow", { callsPerSecond: 0.001 }), RecordingCarrier.make("free")]
    return Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      yield* startMany(american(2000))
      yield* startNow("+4930123456")
      assert.deepStrictEqual([slow.numbers(), free.numbers()], [["+14155551000"], ["+4930123456"]])
      const carriers = yield* Carriers.Carriers
      yield* carriers.pause(Ids.CarrierName.make("slow"))
      yield* TestClock.adjust("1 hour")
      const { id } = yield* startNow("+4930123457")
      assert.deepStrictEqual([slow.dials.length, free.numbers()], [1, ["+4930123456", "+4930123457"]])
      // Only the calls of that carrier wait for it.
      const explanations = yield* Explanations.Explanations
      const explained = yield* explanations.preview(accountId, { phoneNumber: "+14155559999" })
      const other = yield* explanations.preview(accountId, { phoneNumber: "+4930123458" })
      assert.deepStrictEqual([explained.code, other.decision], ["carrier_paused", "dial"])
      const ruleOf = ({ rules }: typeof explained) => rules.find(({ rule }) => rule === "carrier_paused")?.allows
      assert.deepStrictEqual([ruleOf(explained), ruleOf(other)], [false, true])
      const calls = yield* Calls.Calls
      assert.strictEqual((yield* calls.get(accountId, id)).status, "dialing")
      const { items } = yield* calls.list(accountId, { statuses: ["queued"] }, { limit: 3, after: Option.none() })
      assert.deepStrictEqual(
        items.map(({ statusCode }) => statusCode),
        Array.from({ length: 3 }, () => "carrier_paused" as const)
      )
      yield* carriers.resume(Ids.CarrierName.make("slow"))
      yield* drain
      assert.strictEqual(slow.dials.length, 2)
    }).pipe(Effect.provide(engine([slow, free], germanOver("free"))))
  }, 120_000)

  it.effect("dials over each carrier at its own pace", () => {
    const slow = RecordingCarrier.make("slow", { callsPerSecond: 0.25 })
    const quick = RecordingCarrier.make("quick", { callsPerSecond: 5 })
    const unlimited = RecordingCarrier.make("unlimited")
    const routes = [...germanOver("quick"), { carrier: "unlimited", countries: ["FR"] }]
    return Effect.gen(function*() {
      const loops = yield* Effect.flatMap(Engine.Engine, ({ run }) => Effect.forkChild(run))
      yield* startMany([...american(3), ...german(8)])
      yield* TestClock.adjust("300 millis")
      yield* startMany(["+33142345678", "+33142345679"])
      yield* TestClock.adjust("12 seconds")
      assert.deepStrictEqual(slow.times(), [0, 4000, 8000])
      assert.deepStrictEqual(quick.times(), Array.from({ length: 8 }, (_, index) => index * 200))
      assert.deepStrictEqual(unlimited.times(), [300, 300])
      yield* Fiber.interrupt(loops)
    }).pipe(Effect.provide(engine([slow, quick, unlimited], routes)))
  })

  it.effect("serves an account that waits for one carrier, while another waits longer for another one", () => {
    const slow = RecordingCarrier.make("slow", { callsPerSecond: 0.05 })
    const quick = RecordingCarrier.make("quick", { callsPerSecond: 5 })
    return Effect.gen(function*() {
      const loops = yield* Effect.flatMap(Engine.Engine, ({ run }) => Effect.forkChild(run))
      yield* startMany(american(3))
      yield* TestClock.adjust("1500 millis")
      yield* startFor(accountId, german(5))
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(quick.times(), [1500, 1700, 1900, 2100, 2300])
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(slow.times(), [0, 20_000])
      yield* Fiber.interrupt(loops)
    }).pipe(Effect.provide(engine([slow, quick], germanOver("quick"))))
  })

  it.effect("says when the next call can be dialed, for hosts with a clock of their own", () => {
    const [slow, quick] = [
      RecordingCarrier.make("slow", { callsPerSecond: 0.1 }),
      RecordingCarrier.make("quick", { callsPerSecond: 1 })
    ]
    return Effect.gen(function*() {
      yield* startMany([...american(3), ...german(4)])
      yield* TestEngine.advance("21 seconds")
      assert.deepStrictEqual([slow.times(), quick.times()], [[0, 10_000, 20_000], [0, 1000, 2000, 3000]])
    }).pipe(Effect.provide(engine([slow, quick], germanOver("quick"))))
  })

  it.effect("claims single calls before others and the oldest first, over all carriers", () => {
    const [first, other] = [RecordingCarrier.make("first"), RecordingCarrier.make("other")]
    return Effect.gen(function*() {
      yield* startMany(["+14155550100", "+4930123456", "+14155550101", "+4930123457"])
      yield* drain
      // Two lines.
      assert.deepStrictEqual([first.numbers(), other.numbers()], [["+14155550100"], ["+4930123456"]])
    }).pipe(Effect.provide(engine([first, other], germanOver("other"), { lines: 2 })))
  })

  it.effect("looks live calls up and ends them at their carrier after the routes have changed, and plans the waiting ones again", () =>
    Effect.gen(function*() {
      const storage = Layer.succeed(Storage.Storage, yield* Effect.provide(Storage.Storage, MemoryStorage.layer))
      const [one, two] = [RecordingCarrier.make("one"), RecordingCarrier.make("two")]
      yield* Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const live = yield* startNow("+4930123456")
        const waiting = yield* Steps.start("+4930123457")
        const stored = yield* Storage.Storage
        const laneOf = (id: Ids.CallId) =>
          Effect.map(stored.calls.get(accountId, id), (found) => Lane.carriersOf(Option.getOrThrow(found).lane))
        assert.deepStrictEqual([one.dials.length, yield* laneOf(waiting.id)], [1, ["one"]])
        yield* Effect.gen(function*() {
          yield* TestClock.adjust("2 minutes")
          yield* stored.accounts.update(accountId, { lines: 2 })
          yield* drain
          assert.deepStrictEqual([one.lookUps, two.lookUps], [[live.id], []])
          assert.deepStrictEqual([yield* laneOf(waiting.id), two.numbers()], [["two", "one"], ["+4930123457"]])
          const calls = yield* Calls.Calls
          yield* calls.hangUp(accountId, live.id)
          yield* calls.hangUp(accountId, waiting.id)
          assert.deepStrictEqual([one.hangUps, two.hangUps], [[live.id], [waiting.id]])
        }).pipe(
          Effect.provide(engine([two, one], germanOver("two", { failover: ["one"] }), { storage }), { local: true })
        )
      }).pipe(Effect.provide(engine([one, two], [], { storage, lines: 1 })))
    }))

  it.effect("leaves the live calls of a carrier that it does not have to others", () =>
    Effect.gen(function*() {
      const storage = Layer.succeed(Storage.Storage, yield* Effect.provide(Storage.Storage, MemoryStorage.layer))
      const [one, two, three] = ["one", "two", "three"].map((name) => RecordingCarrier.make(name)) as [
        Carrier,
        Carrier,
        Carrier
      ]
      yield* Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const { id } = yield* startNow("+4930123456")
        yield* TestClock.adjust("2 minutes")
        yield* Effect.gen(function*() {
          yield* drain
          yield* Effect.flatMap(Calls.Calls, (calls) => calls.hangUp(accountId, id))
          assert.isEmpty([...one.lookUps, ...one.hangUps, ...three.lookUps, ...three.hangUps])
        }).pipe(Effect.provide(engine([one, three], [], { storage }), { local: true }))
        yield* drain
        assert.deepStrictEqual([two.lookUps, two.hangUps], [[id], [id]])
      }).pipe(Effect.provide(engine([one, two], germanOver("two"), { storage })))
    }))

  it.effect("finds the calls of a process that only accepts them in the lanes of its routes", () =>
    Effect.gen(function*() {
      const storage = Layer.succeed(Storage.Storage, yield* Effect.provide(Storage.Storage, MemoryStorage.layer))
      const [one, two] = [RecordingCarrier.make("one"), RecordingCarrier.make("two")]
      const planning = CarrierRouter.layerPlanning({ carriers: ["one", "two"], routes: germanOver("two") })
      const telephony = Layer.orDie(planning)
      yield* Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const { id } = yield* Steps.start("+4930123456")
        yield* drain
        assert.strictEqual((yield* Steps.get(id)).status, "queued")
        const stored = yield* Storage.Storage
        const lane = Effect.map(stored.calls.get(accountId, id), (found) => Option.getOrThrow(found).lane)
        const before = yield* lane
        assert.deepStrictEqual(Lane.carriersOf(before), [Ids.CarrierName.make("two")])
        yield* Effect.provide(drain, engine([one, two], germanOver("two"), { storage }), { local: true })
        assert.deepStrictEqual([one.numbers(), two.numbers(), yield* lane], [[], ["+4930123456"], before])
      }).pipe(Effect.provide(TestEngine.layer({ ...Instant.options, storage, telephony })))
    }))

  it.effect("keeps its routes when a process without routes starts last, and dials the calls that this has accepted by them", () =>
    Effect.gen(function*() {
      const storage = Layer.succeed(Storage.Storage, yield* Effect.provide(Storage.Storage, MemoryStorage.layer))
      const [one, two, single] = [
        RecordingCarrier.make("one"),
        RecordingCarrier.make("two"),
        RecordingCarrier.make("one")
      ]
      const without = TestEngine.layer({ ...Instant.options, lines: 100, telephony: single.layer, storage })
      yield* Effect.gen(function*() {
        yield* drain
        const tenant = yield* TestEngine.Tenant
        const { accounts } = yield* Storage.Storage
        yield* accounts.update(tenant.accountId, { paused: true })
        yield* Steps.start("+4930123456")
        yield* Effect.gen(function*() {
          yield* Steps.startFor(tenant, "+4930123457")
          yield* drain
        }).pipe(Effect.provide(without, { local: true }))
        yield* accounts.update(tenant.accountId, { paused: false })
        yield* drain
        assert.deepStrictEqual(
          [single.numbers(), one.numbers(), two.numbers().sort()],
          [[], [], ["+4930123456", "+4930123457"]]
        )
      }).pipe(Effect.provide(engine([one, two], germanOver("two"), { storage })))
    }))

  it.effect("shows no carriers to a host's own rules, and holds the calls of one that is paused", () => {
    const [one, two] = [RecordingCarrier.make("one"), RecordingCarrier.make("two")]
    const seen = new Map<string, Set<string>>()
    const see = (rule: string, lane: string) => void seen.set(rule, (seen.get(rule) ?? new Set()).add(lane))
    const rules = Layer.effect(
      CallingRules.CallingRules,
      Effect.map(CallingRules.CallingRules, (rules) => ({
        ...rules,
        decide: (...given: Parameters<typeof rules.decide>) => {
          see("decide", given[0].lane)
          return rules.decide(...given)
        },
        holdOf: (...given: Parameters<typeof rules.holdOf>) => {
          see("holdOf", given[0].lane)
          return rules.holdOf(...given)
        },
        timeRules: (...given: Parameters<typeof rules.timeRules>) => {
          see("timeRules", given[0].lane)
          return rules.timeRules(...given)
        },
        laneHold: (...given: Parameters<typeof rules.laneHold>) => {
          see("laneHold", given[0])
          return rules.laneHold(...given)
        }
      }))
    ).pipe(Layer.provide(CallingRules.CallingRules.layer))
    return Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      yield* startNow("+4930123456")
      const { carriers } = yield* Storage.Storage
      yield* carriers.pause({ carrier: Ids.CarrierName.make("two"), now: Factories.start, by: "operator" })
      const { id } = yield* startNow("+4930123457")
      yield* startNow("+14155550100")
      assert.deepStrictEqual([one.numbers(), two.numbers()], [["+14155550100"], ["+4930123456"]])
      const explained = yield* Effect.flatMap(Explanations.Explanations, ({ explain }) => explain(accountId, id))
      assert.strictEqual(explained.code, "carrier_paused")
      assert.deepStrictEqual([...seen.keys()].sort(), ["decide", "holdOf", "laneHold", "timeRules"])
      for (const lanes of seen.values()) for (const lane of lanes) assert.notInclude(lane, "|>")
    }).pipe(Effect.provide(engine([one, two], germanOver("two"), { rules })))
  })

  it.effect("does each carrier's own work at its pace, while that of another one hangs or fails", () =>
    Effect.gen(function*() {
      const hung = yield* Deferred.make<number>()
      const polled = { hanging: 0, failing: 0, quick: 0 }
      const polling = (name: keyof typeof polled, every: Duration.Input, work: Effect.Effect<number>) =>
        Layer.effect(
          Telephony.Telephony,
          Effect.map(Telephony.Telephony, (carrier) => ({
            ...carrier,
            polling: {
              every: Duration.fromInputUnsafe(every),
              runOnce: Effect.suspend(() => {
                polled[name]++
                return work
              }),
              nextDueAt: Effect.succeed(Option.none())
            }
          }))
        ).pipe(Layer.provide(RecordingCarrier.make(name).layer))
      const carriers = [
        polling("hanging", "1 second", Deferred.await(hung)),
        polling("failing", "2 seconds", Effect.die("a bug of the carrier")),
        polling("quick", "500 millis", Effect.succeed(0))
      ]
      yield* Effect.gen(function*() {
        const running = yield* Effect.flatMap(Engine.Engine, ({ run }) => Effect.forkChild(run))
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(polled, { hanging: 1, failing: 3, quick: 11 })
        yield* Deferred.succeed(hung, 0)
        yield* Fiber.interrupt(running)
      }).pipe(
        Effect.provide([
          TestEngine.layer({ telephony: Layer.orDie(CarrierRouter.layer({ carriers })) }),
          Logger.layer([])
        ])
      )
    }))

  it.effect("takes carriers made of promises, in an engine that is", () =>
    Effect.gen(function*() {
      const dialed: Array<string> = []
      const carrier = (name: string) =>
        Telephony.Telephony.layerOf(() => ({
          name,
          notFoundLagSeconds: 60,
          dial: async ({ callId, phoneNumber }) => {
            dialed.push(`${name} ${phoneNumber}`)
            return { carrierCallId: `${name} ${callId}` }
          },
          lookUp: async () => ({ status: "live" }),
          hangUp: async () => {}
        }))
      const open = () =>
        Outdial.open({
          agents: [{ name: "Ada", script: "Hello", questions: [], dispositions: ["done"] }],
          policy: { callingHours: null },
          telephony: CarrierRouter.layer({ carriers: [carrier("one"), carrier("two")], routes: germanOver("two") }),
          workers: "manual"
        })
      const engine = yield* Effect.acquireRelease(
        Effect.promise(open),
        (engine) => Effect.promise(() => engine.close())
      )
      yield* Effect.promise(async () => {
        const [ada] = await engine.agents.list()
        for (const phoneNumber of ["+4930123456", "+14155550100"]) {
          await engine.calls.start({ agentId: ada?.id ?? "", phoneNumber })
        }
        await engine.drain()
      })
      assert.deepStrictEqual(dialed.sort(), ["one +14155550100", "two +4930123456"])
    }))

  it.effect("checks a carrier that refuses the account, while calls go on over the others", () => {
    const state = { isWell: false }
    const [strict, other] = [
      RecordingCarrier.make("strict", { check: () => state.isWell }),
      RecordingCarrier.make("other")
    ]
    return Effect.gen(function*() {
      strict.fail("not_authorized")
      const { id } = yield* startNow("+14155550100")
      yield* startNow("+4930123456")
      assert.deepStrictEqual([strict.dials.length, other.numbers()], [1, ["+4930123456"]])
      assert.strictEqual((yield* Steps.get(id)).statusCode, "carrier_paused")
      state.isWell = true
      strict.fail()
      yield* TestEngine.advance("2 minutes")
      assert.strictEqual(strict.dials.length, 2)
      const carriers = yield* Carriers.Carriers
      const running = yield* Effect.flatMap(Engine.Engine, ({ run }) => Effect.forkChild(run))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual((yield* carriers.list).map(({ name }) => name), ["other", "strict"])
      yield* Fiber.interrupt(running)
    }).pipe(Effect.provide([engine([strict, other], germanOver("other")), Logger.layer([])]))
  })
})

describe("A router that cannot be", () => {
  const problemOf = (carriers: ReadonlyArray<Layer.Layer<Telephony.Telephony>>, routes: Routes = []) =>
    Layer.build(CarrierRouter.layer({ carriers, routes })).pipe(
      Effect.flip,
      Effect.map(({ message }) => message),
      Effect.provide(TestEngine.layer())
    )
  const [one, two] = [RecordingCarrier.make("one").layer, RecordingCarrier.make("two").layer]

  it.effect("says what is wrong", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* problemOf([]), "telephony.carriers must be one carrier or more")
      assert.strictEqual(
        yield* problemOf([one, RecordingCarrier.make("one").layer]),
        "telephony.carriers.1.name is the name of another one: one"
      )
      assert.strictEqual(
        yield* problemOf([one, RecordingCarrier.make("a,b").layer]),
        "telephony.carriers.1.name must not contain |, a comma or a semicolon"
      )
      assert.strictEqual(
        yield* problemOf([one, Telephony.Telephony.layerNone]),
        "telephony.carriers.1 must be a carrier, and not a router or none"
      )
      assert.strictEqual(
        yield* problemOf([one, two], [{ carrier: "one" }, { carrier: "two", failover: ["tow"] }]),
        "telephony.routes.1 names tow, which is none of one, two"
      )
      assert.include(yield* problemOf([one], [{ carrier: "one", country: ["DE"] } as never]), "countries")
      assert.include(yield* problemOf([one], [{ carrier: "one", countries: [] }]), "routes.0.countries")
    }))
})
