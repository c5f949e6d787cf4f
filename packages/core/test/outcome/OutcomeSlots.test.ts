import { assert, it } from "@effect/vitest"
import { Calls, Engine, Ids, Limits, LineReports, OutcomeSource, Storage, Telephony } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { DateTime, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import * as OutcomeSlots from "../../src/outcome/OutcomeSlots.ts"
import { decodeStart } from "../support/CallSteps.ts"
import * as Instant from "../support/Instant.ts"

interface Tenant {
  readonly accountId: Ids.AccountId
  readonly agentId: Ids.AgentId
}

const anotherTenant = (lines: number) =>
  Effect.gen(function*() {
    const storage = yield* Storage.Storage
    const now = yield* DateTime.now
    const accountId = Factories.accountId()
    const account = { id: accountId, name: "Other", paused: false, policy: Factories.openPolicy, createdAt: now }
    yield* storage.accounts.put({ ...account, lines })
    const { id: agentId } = yield* storage.agents.put({ accountId, agent: Factories.agentDefinition(), now })
    return { accountId, agentId }
  })

/** So many calls of the account; answers their ids. */
const queued = Effect.fnUntraced(function*({ accountId, agentId }: Tenant, count: number) {
  const calls = yield* Calls.Calls
  return yield* Effect.forEach(Array.from({ length: count }), () =>
    Effect.gen(function*() {
      const request = { agentId, phoneNumber: Factories.phoneNumber(), variables: { topic: "your visit" } }
      return (yield* calls.start(accountId, yield* decodeStart(request))).id
    }))
})

/** Has them all over in the same moment. */
const end = Effect.fnUntraced(function*({ accountId }: Tenant, ids: ReadonlyArray<Ids.CallId>) {
  const reports = yield* LineReports.LineReports
  const at = yield* DateTime.now
  yield* Effect.forEach(ids, (callId) =>
    reports.report({
      accountId,
      callId,
      event: {
        _tag: "Ended",
        at,
        result: "hung_up",
        answeredAt: at,
        answeredBy: "human",
        transcript: [{ speaker: "contact", text: "Yes" }],
        recorded: false
      }
    }), { concurrency: "unbounded" })
})

/** A carrier that reports nothing. */
const silent = Layer.succeed(Telephony.Telephony, {
  name: Factories.carrier,
  dial: ({ callId }) => Effect.succeed(Ids.CarrierCallId.make(callId)),
  lookUp: () => Effect.succeed({ _tag: "Unreachable" }),
  hangUp: () => Effect.void,
  notFoundLag: Duration.minutes(1)
})

const runLoops = Effect.flatMap(Engine.Engine, ({ run }) => Effect.forkScoped(run)).pipe(
  Effect.andThen(Effect.repeat(TestClock.adjust("1 second"), { times: 10 }))
)

/** A source that takes nearly as long as a lease: an outcome that waited for a slot with its lease running would be made twice. */
const slowSource = () => {
  const seen = { asked: new Array<Ids.CallId>(), making: 0, mostMaking: 0 }
  const layer = Layer.succeed(OutcomeSource.OutcomeSource, {
    make: ({ callId }) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          seen.asked.push(callId)
          seen.making += 1
          seen.mostMaking = Math.max(seen.mostMaking, seen.making)
        }),
        () => Effect.as(Effect.sleep("40 seconds"), Factories.outcome),
        () => Effect.sync(() => void (seen.making -= 1))
      )
  })
  return { seen, layer }
}

describe("outcomes in the making", () => {
  const half = Limits.outcomesPerProcess / 2

  it.effect(
    "are at most so many, half of them of one account, and no lease runs out while another call waits",
    () =>
      Effect.suspend(() => {
        const count = half + 50
        const { layer, seen } = slowSource()
        return Effect.gen(function*() {
          const calls = yield* Calls.Calls
          const tenant = yield* TestEngine.Tenant
          const ids = yield* queued(tenant, count)
          yield* runLoops
          // Between two polls.
          yield* TestClock.adjust("500 millis")
          yield* end(tenant, ids)
          yield* TestClock.adjust("39 seconds")
          assert.strictEqual(seen.asked.length, half)
          yield* TestClock.adjust("1010 millis")
          assert.strictEqual(seen.asked.length, count)
          yield* Effect.repeat(TestClock.adjust("10 seconds"), { times: 14 })
          assert.deepStrictEqual([seen.asked.length, new Set(seen.asked).size, seen.mostMaking], [count, count, half])
          for (const id of ids) assert.isNotNull((yield* calls.get(tenant.accountId, id)).outcome)
        }).pipe(Effect.provide(TestEngine.layer({
          ...Instant.options,
          lines: count,
          outcomes: layer,
          telephony: silent
        })))
      }),
    120_000
  )

  it.effect("of another account do not wait, however many one account has", () =>
    Effect.suspend(() => {
      const { layer, seen } = slowSource()
      return Effect.gen(function*() {
        const [tenant, other] = [yield* TestEngine.Tenant, yield* anotherTenant(10)]
        const [ids, others] = [yield* queued(tenant, half + 50), yield* queued(other, 10)]
        yield* runLoops
        yield* end(tenant, ids)
        yield* end(other, others)
        yield* TestClock.adjust("1 second")
        assert.includeMembers(seen.asked, others)
        // The first account holds as many slots as are free: 400 if it came first, and 395 beside the ten of the other.
        assert.isTrue(seen.asked.length >= half + 5 && seen.asked.length <= half + 10, `${seen.asked.length}`)
        // Work in flight finishes.
        yield* Effect.repeat(TestClock.adjust("10 seconds"), { times: 14 })
      }).pipe(Effect.provide(TestEngine.layer({
        ...Instant.options,
        lines: half + 50,
        outcomes: layer,
        telephony: silent
      })))
    }), 120_000)
})

describe("places", () => {
  const [a, b, c] = [Factories.accountId(), Factories.accountId(), Factories.accountId()]

  it("are halved by one account, and the next finds half of what is left", () => {
    const places = OutcomeSlots.make(12)
    assert.deepStrictEqual([places.acquire(a, 100), places.acquire(a, 1), places.acquire(b, 100)], [6, 0, 3])
    places.release(a, 6)
    assert.strictEqual(places.acquire(b, 100), 3)
  })

  it("include the last one for an account without a slot", () => {
    const places = OutcomeSlots.make(2)
    assert.deepStrictEqual([a, b, c].map((account) => places.acquire(account, 5)), [1, 1, 0])
  })

  it("are offered to waiting accounts as they become free, in turn", () => {
    const places = OutcomeSlots.make(2)
    places.acquire(a, 1)
    places.acquire(b, 1)
    places.wait(c)
    places.wait(a)
    assert.deepStrictEqual(places.admitWaiting(), [])
    places.release(a, 1)
    assert.deepStrictEqual([places.admitWaiting(), places.acquire(c, 1)], [[c], 1])
    places.release(b, 1)
    assert.deepStrictEqual([places.admitWaiting(), places.admitWaiting()], [[a], []])
  })
})
