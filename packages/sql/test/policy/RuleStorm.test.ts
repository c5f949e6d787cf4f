import { assert, it } from "@effect/vitest"
import type { Call, PhoneNumber, Policy } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Effect, Layer, Random } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Racing from "../support/Races.ts"

const layer = Layer.provideMerge(SqlStorage.layer, Postgres.layer)

/** Eight nodes with the same work. */
const claimers = 8

const many = { concurrency: "unbounded", discard: true } as const

/** A clock for all nodes that advances by so many seconds with each read. */
const ticking = (seconds: number) => {
  let looks = 0
  return () => ++looks * seconds
}

const rounds = (count: number) => Array.from({ length: count }, (_, index) => index)

const numbers = (count: number) => rounds(count).map(() => Factories.phoneNumber())

const dialsOf = Effect.fnUntraced(function*({ id }: Racing.Racing) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly phone_number: PhoneNumber.PhoneNumber; readonly dialed_at: Date }>`
    select phone_number, dialed_at
    from outdial_calls
    where account_id = ${id} and dialed_at is not null
    order by dialed_at`
  return rows.map(({ dialed_at, phone_number }) => ({ phoneNumber: phone_number, at: dialed_at.getTime() }))
})

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("Limits under 8 claimers", (it) => {
  it.effect("place exactly the calls of a day, however many are returned to the queue", () =>
    Effect.gen(function*() {
      const limit = 40
      const account = yield* Racing.make({ ...Factories.openPolicy, dailyLimit: limit }, 1000)
      yield* account.startBatch(numbers(100))
      const clock = ticking(0.01)
      const claimer = Effect.forEach(rounds(15), () =>
        Effect.gen(function*() {
          const claimed = yield* account.claim(clock(), 3)
          const [first, ...rest] = claimed.ids
          if (first === undefined) return
          yield* account.giveBack({ ...claimed, ids: [first] }, clock())
          yield* account.submit({ ...claimed, ids: rest }, clock())
          assert.isAtMost((yield* dialsOf(account)).length, limit)
        }))
      yield* Effect.all(rounds(claimers).map(() => claimer), many)
      // The call that was returned last is dialed now.
      yield* Effect.repeat(Effect.suspend(() => account.claim(clock())), { until: ({ ids }) => ids.length === 0 })
      assert.lengthOf(yield* dialsOf(account), limit)
    }))

  it.effect("never place more calls in any second than the policy allows", () =>
    Effect.gen(function*() {
      const most = 3
      const account = yield* Racing.make({ ...Factories.openPolicy, callsPerSecond: most }, 1000)
      yield* account.startBatch(numbers(200))
      const clock = ticking(0.05)
      const claimer = Effect.forEach(rounds(40), () => Effect.suspend(() => account.claim(clock())))
      yield* Effect.all(rounds(claimers).map(() => claimer), many)
      const dials = yield* dialsOf(account)
      for (const [index, { at }] of dials.entries()) {
        const next = dials[index + most]
        if (next !== undefined) assert.isAtLeast(next.at - at, 1000)
      }
      assert.isAbove(dials.length, 2 * most)
    }))

  it.effect("never place two calls to a number at once, or one before the gap has passed", () =>
    Effect.gen(function*() {
      const gap = 10
      const account = yield* Racing.make({ ...Factories.openPolicy, recallGapSeconds: gap }, 1000)
      const callees = numbers(8)
      const clock = ticking(0.1)
      const talking = new Set<PhoneNumber.PhoneNumber>()
      let ended = 0
      const hangUp = (call: Call.CallRecord) =>
        Effect.suspend(() => {
          talking.delete(call.phoneNumber)
          ended += 1
          return account.end([call.id], clock())
        })
      const claimer = Effect.forEach(rounds(30), (round) =>
        Effect.gen(function*() {
          const phoneNumber = callees[round % callees.length]
          if (phoneNumber !== undefined) yield* account.start({ phoneNumber })
          const claimed = yield* account.claim(clock(), 2)
          for (const { phoneNumber } of claimed.calls) {
            assert.isFalse(talking.has(phoneNumber))
            talking.add(phoneNumber)
          }
          yield* Effect.forEach(claimed.calls, hangUp)
        }))
      yield* Effect.all(rounds(claimers).map(() => claimer), many)
      const dials = yield* dialsOf(account)
      for (const phoneNumber of callees) {
        const times = dials.filter((dial) => dial.phoneNumber === phoneNumber).map(({ at }) => at)
        for (const [index, at] of times.entries()) assert.isAtLeast(at - (times[index - 1] ?? -Infinity), gap * 1000)
      }
      assert.strictEqual(dials.length, ended)
      assert.isAbove(dials.length, callees.length)
    }))
})

/** An operation and when it happened: it began after `from` and had returned by `to`. */
interface Span {
  readonly from: number
  readonly to: number
}

/** A write that forbids dials, or reverts that. */
interface Write extends Span {
  readonly kind: string
  readonly forbids: boolean
}

interface Submission extends Span {
  readonly phoneNumber: PhoneNumber.PhoneNumber
}

/** The first write that the submission contradicts: it had returned before, and was not reverted. */
const contradicted = ({ from, phoneNumber, to }: Submission, writes: ReadonlyArray<Write>) =>
  writes.find((write) =>
    write.forbids && write.to < from && (!write.kind.startsWith("+") || write.kind === phoneNumber) &&
    !writes.some((later) => later.kind === write.kind && !later.forbids && later.to > write.from && later.from < to)
  )

const storm = (seed: string) =>
  Effect.gen(function*() {
    const account = yield* Racing.make(Factories.openPolicy, 20)
    const { storage } = account
    const callees = numbers(40)
    const clock = ticking(0.001)
    const writes: Array<Write> = []
    const submissions: Array<Submission> = []
    let place = 0

    const placed = <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        const from = ++place
        return Effect.map(work, (value) => ({ value, from, to: ++place }))
      })
    const write = (kind: string, forbids: boolean, work: Effect.Effect<unknown, unknown>) =>
      Effect.map(placed(work), ({ from, to }) => void writes.push({ kind, forbids, from, to }))

    const callee = Effect.flatMap(Random.choice(callees), (phoneNumber) => Effect.succeed(phoneNumber))
    const accept = Effect.flatMap(callee, (phoneNumber) => account.start({ phoneNumber }))
    const acceptMany = Effect.andThen(
      Random.nextIntBetween(0, callees.length - 5),
      (first) => account.startBatch(callees.slice(first, first + 5))
    )

    const dial = Effect.gen(function*() {
      const claimed = yield* account.claim(clock(), yield* Random.nextIntBetween(1, 6))
      if (claimed.ids.length === 0) return
      // Often yields to another fiber.
      if (yield* Random.nextBoolean) yield* Effect.yieldNow
      const { from, to, value: submitted } = yield* placed(account.submit(claimed, clock()))
      const isSubmitted = ({ id }: Call.CallRecord) => submitted.includes(id)
      const dialed = claimed.calls.filter(isSubmitted)
      submissions.push(...dialed.map(({ phoneNumber }) => ({ phoneNumber, from, to })))
      const ids = claimed.ids.filter((id) => !submitted.includes(id))
      if (ids.length > 0) yield* account.giveBack({ ...claimed, ids }, clock())
      const [unreached, ...reached] = dialed.map(({ id }) => id)
      if (unreached === undefined) return
      yield* account.giveBack({ ...claimed, ids: [unreached] }, clock(), "carrier_unavailable")
      yield* account.end(
        reached,
        clock(),
        (yield* Random.nextBoolean) ? { result: "failed", code: "carrier_refused" } : {}
      )
    })

    const optOut = Effect.flatMap(callee, (phoneNumber) => write(phoneNumber, true, account.doNotCall([phoneNumber])))

    /** Forbids, waits, and reverts. */
    const alternating = (
      kind: string,
      forbid: Effect.Effect<unknown, unknown>,
      allow: Effect.Effect<unknown, unknown>
    ) =>
      Effect.gen(function*() {
        yield* write(kind, true, forbid)
        yield* Effect.repeat(accept, { times: yield* Random.nextIntBetween(0, 3) })
        yield* write(kind, false, allow)
        yield* Effect.repeat(accept, { times: yield* Random.nextIntBetween(5, 20) })
      })
    const { openPolicy } = Factories
    const shut: Policy.PolicyDocument = { ...openPolicy, dailyLimit: 0 }
    const times = (count: number) => (work: Effect.Effect<unknown, unknown, SqlClient.SqlClient>) =>
      Effect.forEach(rounds(count), () => work, { discard: true })

    let isOver = false
    const dialing = Effect.repeat(dial, { until: () => isOver })
    const writing = Effect.all([
      times(50)(accept),
      times(30)(acceptMany),
      times(10)(Effect.andThen(times(6)(accept), Effect.suspend(() => account.replan(clock())))),
      times(10)(Effect.andThen(times(6)(accept), optOut)),
      times(6)(alternating("pause", account.setPaused(true), account.setPaused(false))),
      times(6)(
        alternating(
          "stop",
          storage.accounts.updateDeployment({ paused: true }),
          storage.accounts.updateDeployment({ paused: false })
        )
      ),
      times(6)(alternating(
        "policy",
        Effect.flatMap(Random.choice([Racing.closedPolicy, shut]), account.setPolicy),
        account.setPolicy(openPolicy)
      ))
    ], many)
    const finishing = Effect.tap(writing, () => Effect.sync(() => isOver = true))
    yield* Effect.all([finishing, ...rounds(claimers).map(() => dialing)], many)

    for (const submission of submissions) assert.isUndefined(contradicted(submission, writes), seed)
    assert.isAbove(submissions.length, 30)

    // No call is stuck: when everything is allowed again, all calls end.
    yield* account.setPolicy(openPolicy)
    const later = 3_600
    yield* Effect.repeat(
      Effect.gen(function*() {
        const claimed = yield* account.claim(later)
        yield* account.submit(claimed, later)
        yield* account.end(claimed.ids, later)
        return claimed.ids.length + claimed.moved
      }),
      { until: (done) => done === 0 }
    )
    const sql = yield* SqlClient.SqlClient
    const open =
      yield* sql`select id, status, due_at, lane from outdial_calls where account_id = ${account.id} and ended_at is null`
    assert.deepStrictEqual(open, [], seed)
  }).pipe(Random.withSeed(seed))

it.layer(layer, { excludeTestServices: true, timeout: "120 seconds" })("A storm of accepts, dials and writes", (it) => {
  for (const seed of ["first", "second"]) {
    it.effect(
      `leaves no dial that a write before it forbids, and no call that is stuck (seed ${seed})`,
      () => storm(seed),
      120_000
    )
  }
})
