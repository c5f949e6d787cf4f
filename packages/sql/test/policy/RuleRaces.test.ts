import { assert, it } from "@effect/vitest"
import { Lane, type PhoneNumber } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../../../test/support/postgres.ts"
import { openTransaction } from "../support/Concurrency.ts"
import * as Racing from "../support/Races.ts"

const layer = Layer.provideMerge(SqlStorage.layer, Postgres.layer)

/** A write after which the number is not dialed, and what becomes of its queued call. */
interface Forbidding {
  /** Runs before the write; returns the write. */
  readonly prepare: (account: Racing.Racing, phoneNumber: PhoneNumber.PhoneNumber) => Effect.Effect<
    Effect.Effect<unknown, unknown>,
    unknown
  >
  /** Reverts the write; without it the call is canceled. */
  readonly lift?: (account: Racing.Racing) => Effect.Effect<unknown, unknown>
}

const forbidding: { readonly [name: string]: Forbidding } = {
  "a number put on the do-not-call list": {
    prepare: (account, phoneNumber) => Effect.succeed(account.doNotCall([phoneNumber]))
  },
  "an outcome with an opt-out": {
    prepare: (account, phoneNumber) => account.asksNotToBeCalled(phoneNumber)
  },
  "a pause": {
    prepare: (account) => Effect.succeed(account.setPaused(true)),
    lift: (account) => account.setPaused(false)
  },
  "a pause of the deployment": {
    prepare: ({ storage }) => Effect.succeed(storage.accounts.updateDeployment({ paused: true })),
    lift: ({ storage }) => storage.accounts.updateDeployment({ paused: false })
  },
  "a policy that closes": {
    prepare: (account) => Effect.succeed(account.setPolicy(Racing.closedPolicy)),
    lift: (account) => account.setPolicy(Factories.openPolicy)
  },
  "a policy with a daily limit of 0": {
    prepare: (account) => Effect.succeed(account.setPolicy({ ...Factories.openPolicy, dailyLimit: 0 })),
    lift: (account) => account.setPolicy(Factories.openPolicy)
  }
}

/** An account with a queued call, and the write that forbids its dial. */
const setting = Effect.fnUntraced(function*({ lift, prepare }: Forbidding) {
  const account = yield* Racing.make()
  const phoneNumber = Factories.phoneNumber()
  const write = yield* prepare(account, phoneNumber)
  const id = Factories.callId()
  const start = account.start({ id, phoneNumber })

  /** Claims until calls are replanned, submits, and returns what is rejected. */
  const round = Effect.gen(function*() {
    const submitted = []
    for (let claims = 0; claims < 3; claims++) {
      const claimed = yield* account.claim()
      submitted.push(...yield* account.submit(claimed))
      yield* account.giveBack(claimed)
    }
    return submitted
  })

  /** The call is not dialed while that is forbidden; then it is dialed at once, or was canceled. */
  const holds = Effect.gen(function*() {
    assert.deepStrictEqual(yield* round, [])
    assert.isFalse(yield* account.isDue())
    if (lift === undefined) {
      const call = yield* account.get(id)
      return assert.deepStrictEqual([call.status, call.statusCode], ["canceled", "do_not_call"])
    }
    yield* lift(account)
    assert.isTrue(yield* account.isDue())
    assert.deepStrictEqual(yield* round, [id])
  })
  return { account, id, write, start, holds }
})

/** Where a claim can be interrupted: each table is first used by one of its statements. */
const stops = [
  "outdial_dial_switches",
  "outdial_closed_lanes",
  "outdial_do_not_call",
  "outdial_webhooks",
  "outdial_agent_versions"
]

// One test at a time: it reads which statements of the whole database are blocked.
it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("Rules under concurrency", (it) => {
  for (const [name, kind] of Object.entries(forbidding)) {
    it.effect(`let no dial through after ${name}, wherever the claim was by then`, () =>
      Effect.forEach(stops, (table) =>
        Effect.gen(function*() {
          const { account, holds, start, write } = yield* setting(kind)
          yield* start
          const release = yield* Racing.holdTable(table)
          const claim = yield* Racing.begin(account.claim())
          const writing = yield* Racing.begin(write, 1)
          yield* release
          const claimed = yield* claim
          yield* writing
          assert.deepStrictEqual(yield* account.submit(claimed), [], table)
          yield* account.giveBack(claimed)
          yield* holds
        })))

    it.effect(`let no dial through after ${name} that was under way at the claim`, () =>
      Effect.gen(function*() {
        const { account, holds, start, write } = yield* setting(kind)
        yield* start
        const commit = yield* openTransaction(write)
        const claimed = yield* account.claim()
        const submit = yield* Racing.begin(account.submit(claimed))
        yield* commit
        assert.deepStrictEqual(yield* submit, [])
        yield* account.giveBack(claimed)
        yield* holds
      }))

    it.effect(`let no dial through after ${name} between claim and submission`, () =>
      Effect.gen(function*() {
        const { account, holds, start, write } = yield* setting(kind)
        yield* start
        const claimed = yield* account.claim()
        assert.lengthOf(claimed.ids, 1)
        const commit = yield* openTransaction(write)
        const submit = yield* Racing.begin(account.submit(claimed))
        yield* commit
        assert.deepStrictEqual(yield* submit, [])
        yield* account.giveBack(claimed)
        yield* holds
      }))

    it.effect(`have ${name} wait for the submission before it, and return after it`, () =>
      Effect.gen(function*() {
        const { account, id, start, write } = yield* setting(kind)
        yield* start
        const claimed = yield* account.claim()
        const order: Array<string> = []
        const commit = yield* openTransaction(account.submit(claimed))
        const writing = yield* Racing.begin(Effect.tap(write, () => Effect.sync(() => order.push("write"))))
        order.push("submission")
        assert.deepStrictEqual(yield* commit, [id])
        yield* writing
        assert.deepStrictEqual(order, ["submission", "write"])
        if (kind.lift !== undefined) yield* kind.lift(account)
      }))

    it.effect(`do not hold up ${name} while an accept is open, and judge its call anew`, () =>
      Effect.gen(function*() {
        const { holds, start, write } = yield* setting(kind)
        const commit = yield* openTransaction(start)
        yield* write
        yield* commit
        yield* holds
      }))

    it.effect(`do not hold up an accept while ${name} is open, and judge its call anew`, () =>
      Effect.gen(function*() {
        const { holds, start, write } = yield* setting(kind)
        const commit = yield* openTransaction(write)
        yield* start
        yield* commit
        yield* holds
      }))

    it.effect(`judge a call anew that goes back to the queue during ${name}`, () =>
      Effect.gen(function*() {
        const { account, holds, start, write } = yield* setting(kind)
        yield* start
        const claimed = yield* account.claim()
        const commit = yield* openTransaction(account.giveBack(claimed))
        const writing = yield* Racing.begin(write)
        yield* commit
        yield* writing
        yield* holds
      }))

    it.effect(`judge a call anew when ${name} is open while it goes back to the queue`, () =>
      Effect.gen(function*() {
        const { account, holds, start, write } = yield* setting(kind)
        yield* start
        const claimed = yield* account.claim()
        const commit = yield* openTransaction(write)
        const givingBack = yield* Racing.begin(account.giveBack(claimed))
        yield* commit
        yield* givingBack
        yield* holds
      }))
  }

  it.effect("uncount a call that is returned to the queue while a claim counts the day", () =>
    Effect.gen(function*() {
      const account = yield* Racing.make({ ...Factories.openPolicy, dailyLimit: 1 })
      yield* account.start()
      const refused = yield* account.claim()
      // Any write to the account makes its day be counted again and the submission be rejected.
      yield* account.setPaused(false)
      assert.deepStrictEqual(yield* account.submit(refused), [])
      yield* account.start()
      const commit = yield* openTransaction(account.claim(1))
      const givingBack = yield* Racing.begin(account.giveBack(refused, 1))
      assert.lengthOf((yield* commit).ids, 0)
      yield* givingBack
      assert.isTrue(yield* account.isDue(2))
      assert.lengthOf((yield* account.claim(2)).ids, 1)
      assert.lengthOf((yield* account.claim(3)).ids, 0)
    }))

  it.effect("count each call of the day once when returns and claims alternate", () =>
    Effect.gen(function*() {
      const account = yield* Racing.make({ ...Factories.openPolicy, dailyLimit: 3 })
      yield* Effect.forEach([1, 2, 3, 4, 5], () => account.start())
      const claimed = yield* account.claim(0, 2)
      const commit = yield* openTransaction(account.giveBack(claimed))
      // The return holds the account until it commits, or the account still counts its calls.
      const meanwhile = yield* account.claim(1)
      yield* commit
      const rest = yield* account.claim(2)
      assert.lengthOf([...meanwhile.ids, ...rest.ids], 3)
    }))

  it.effect("block neither claims nor a pause while a return waits for an uncommitted accept", () =>
    Effect.gen(function*() {
      const account = yield* Racing.make({ ...Factories.openPolicy, dailyLimit: 100 })
      const phoneNumber = Factories.phoneNumber()
      yield* account.start({ phoneNumber })
      const claimed = yield* account.claim()
      const commit = yield* openTransaction(account.start({ phoneNumber }))
      const givingBack = yield* Racing.begin(account.giveBack(claimed))
      yield* account.start()
      const others = yield* account.claim()
      yield* account.setPaused(true)
      yield* commit
      yield* givingBack
      assert.lengthOf(others.ids, 1)
    }))

  it.effect("reconsider a call held for a busy number when the earlier dial failed during the claim", () =>
    Effect.gen(function*() {
      const account = yield* Racing.make({ ...Factories.openPolicy, recallGapSeconds: 14_400 })
      const phoneNumber = Factories.phoneNumber()
      yield* account.start({ phoneNumber })
      const before = yield* account.claim()
      yield* account.submit(before)
      const id = Factories.callId()
      yield* account.start({ id, phoneNumber })
      const commit = yield* openTransaction(account.claim())
      const ending = yield* Racing.begin(account.end(before.ids, 1, { result: "failed", code: "carrier_refused" }))
      assert.strictEqual((yield* commit).moved, 1)
      yield* ending
      assert.isTrue(yield* account.isDue(1))
      assert.deepStrictEqual((yield* account.claim(1)).ids, [id])
    }))

  it.effect("never deadlock when a call is returned whose number is added to the do-not-call list", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Racing.make()
      const phoneNumber = Factories.phoneNumber()
      yield* account.start({ phoneNumber })
      const before = yield* account.claim()
      const id = Factories.callId()
      yield* account.start({ id, phoneNumber })
      // Held until later, as its number is taken.
      assert.strictEqual((yield* account.claim()).moved, 1)
      const release = yield* Racing.holdTable("outdial_do_not_call")
      // In a host's transactions, where a deadlock is not retried.
      const adding = yield* Racing.begin(sql.withTransaction(account.doNotCall([phoneNumber])))
      const givingBack = yield* Racing.begin(sql.withTransaction(account.giveBack(before, 1)), 1)
      yield* release
      yield* adding
      yield* givingBack
      assert.strictEqual((yield* account.get(id)).statusCode, "do_not_call")
    }))

  it.effect("never deadlock when calls end whose numbers are added to the do-not-call list in another order", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Racing.make()
      const [first, second] = [Factories.phoneNumber(), Factories.phoneNumber()].toSorted()
      if (first === undefined || second === undefined) return
      yield* Effect.forEach([first, second], (phoneNumber) => account.start({ phoneNumber }))
      const before = yield* account.claim()
      yield* account.submit(before)
      // The queued calls have another order by their ids than by their numbers.
      const ids = [Factories.callId(), Factories.callId()] as const
      yield* account.start({ id: ids[0], phoneNumber: second })
      yield* account.start({ id: ids[1], phoneNumber: first })
      assert.strictEqual((yield* account.claim()).moved, 2)
      const release = yield* openTransaction(
        sql`select 1 from outdial_calls where account_id = ${account.id} and id = ${ids[1]} for no key update`
      )
      const ending = yield* Racing.begin(sql.withTransaction(account.end(before.ids, 1)))
      const adding = yield* Racing.begin(sql.withTransaction(account.doNotCall([first, second], 1)), 1)
      yield* release
      yield* ending
      yield* adding
      assert.strictEqual((yield* account.get(ids[0])).statusCode, "do_not_call")
    }))

  it.effect("decide on the calls of an uncommitted batch by the policy and the list at the claim", () =>
    Effect.gen(function*() {
      const account = yield* Racing.make()
      const numbers = Array.from({ length: 20 }, () => Factories.phoneNumber())
      const commit = yield* openTransaction(account.startBatch(numbers))
      yield* account.doNotCall(numbers.slice(0, 5))
      yield* account.setPolicy({ ...Factories.openPolicy, dailyLimit: 7 })
      yield* commit
      yield* account.storage.accounts.update(account.id, { lines: 100 })
      const claims = yield* Effect.forEach([1, 2, 3], (seconds) => account.claim(seconds))
      assert.lengthOf(claims.flatMap(({ ids }) => ids), 7)
    }))

  it.effect("claim calls after more candidates than one claim reads, while those are being canceled", () =>
    Effect.gen(function*() {
      const account = yield* Racing.make()
      const batch = yield* account.startBatch(Array.from({ length: 1000 }, () => Factories.phoneNumber()))
      assert.strictEqual(batch._tag, "Started")
      if (batch._tag !== "Started") return
      const behind = yield* account.startBatch([Factories.phoneNumber()], { overrides: { dueAt: Factories.at(1) } })
      const commit = yield* openTransaction(account.cancelBatch(batch.stored.batch.id))
      const claimed = yield* account.claim(2)
      yield* commit
      assert.deepStrictEqual(claimed.ids, behind._tag === "Started" ? behind.stored.calls.map(({ id }) => id) : [])
    }))

  it.effect("adopt new time zone data and replan calls while an account is locked", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* Racing.make(), yield* Racing.make()]
      const held = Factories.callId()
      yield* one.start({ id: held, dueAt: Factories.at(100) })
      yield* other.start()
      const claimed = yield* other.claim()
      const { planVersion } = Option.getOrThrow(yield* one.storage.accounts.get(one.id))
      const commit = yield* openTransaction(one.setPaused(false))
      const { storage } = one
      const now = Factories.start
      assert.strictEqual(
        yield* storage.dispatch.adoptPlanData({ version: "2026b", now, isStarting: true }),
        "2026b"
      )
      const rules = {
        laneOf: () => Lane.make({ planVersion, planData: "2026b", timeZones: ["Etc/UTC"] })
      }
      const planned = yield* storage.dispatch.replanCalls({
        accountId: one.id,
        now,
        limit: 10,
        rules,
        events: one.events
      })
      const submitted = yield* other.submit(claimed)
      yield* commit
      assert.strictEqual(planned, 1)
      assert.lengthOf(submitted, 1)
      assert.deepStrictEqual((yield* one.get(held)).lane, rules.laneOf())
    }))
})
