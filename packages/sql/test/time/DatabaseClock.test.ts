import { assert, it } from "@effect/vitest"
import { ClockUncertainty, Storage } from "@outdial/core"
import { DatabaseClock, SqlStorage } from "@outdial/sql"
import { Clock, DateTime, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe } from "vitest"
import * as Postgres from "../../../../test/support/postgres.ts"
import { make } from "../../src/time/DatabaseClock.ts"

const second = 1_000_000_000n

/** A process's clocks, which a test sets. */
const processClock = () => {
  const at = { wall: 1000n * second, monotonic: 5n * second }
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => Number(at.wall / 1_000_000n),
    currentTimeMillis: Effect.sync(() => Number(at.wall / 1_000_000n)),
    currentTimeNanosUnsafe: () => at.wall,
    currentTimeNanos: Effect.sync(() => at.wall),
    monotonicTimeNanosUnsafe: () => at.monotonic,
    monotonicTimeNanos: Effect.sync(() => at.monotonic),
    sleep: () => Effect.void
  }
  const pass = (nanos: bigint) => {
    at.wall += nanos
    at.monotonic += nanos
  }
  /** A measurement of a database whose time is `time`, in a round trip of twice the error. */
  const hears = (time: bigint, error = 1_000_000n) => ({ time, at: at.monotonic, ownTime: at.wall, error })
  return { at, clock, pass, hears }
}

describe("the database's clock", () => {
  it("replaces the process's clock, and follows the monotonic clock when that is set", () => {
    const { at, clock, hears, pass } = processClock()
    const known = make(clock)
    known.learn(hears(2000n * second))
    pass(10n * second)
    at.wall -= 500n * second
    assert.strictEqual(known.clock.currentTimeNanosUnsafe(), 2010n * second)
    assert.strictEqual(known.clock.currentTimeMillisUnsafe(), 2_010_000)
  })

  it("never goes back: found ahead, it stands still until the database's has caught up", () => {
    const { clock, hears, pass } = processClock()
    const known = make(clock)
    known.learn(hears(2000n * second))
    pass(10n * second)
    assert.strictEqual(known.clock.currentTimeNanosUnsafe(), 2010n * second)
    known.learn(hears(2005n * second))
    assert.strictEqual(known.clock.currentTimeNanosUnsafe(), 2010n * second)
    assert.isAbove(Number(known.uncertainty()), Number(5n * second) - 1)
    pass(4n * second)
    assert.strictEqual(known.clock.currentTimeNanosUnsafe(), 2010n * second)
    pass(2n * second)
    assert.strictEqual(known.clock.currentTimeNanosUnsafe(), 2011n * second)
    assert.isBelow(Number(known.uncertainty()), 10_000_000)
  })

  it("is uncertain by half the round trip, the drift, and by how long the computer slept or its clock was set by", () => {
    const { at, clock, hears, pass } = processClock()
    const known = make(clock)
    assert.isUndefined(known.uncertainty())
    known.learn(hears(2000n * second, 3_000_000n))
    assert.strictEqual(known.uncertainty(), 3_000_000n)
    pass(20n * second)
    assert.strictEqual(known.uncertainty(), 13_000_000n)
    at.wall += 60n * second
    assert.strictEqual(known.uncertainty(), 60n * second + 13_000_000n)
  })

  it("keeps the more exact measurement, unless a new one contradicts it", () => {
    const { clock, hears } = processClock()
    const known = make(clock)
    known.learn(hears(2000n * second, 1_000_000n))
    known.learn(hears(2000n * second + 100_000_000n, 200_000_000n))
    assert.strictEqual(known.clock.currentTimeNanosUnsafe(), 2000n * second)
    known.learn(hears(2100n * second, 200_000_000n))
    assert.strictEqual(known.clock.currentTimeNanosUnsafe(), 2100n * second)
  })

  it.live("matches Postgres's to some milliseconds in a process whose clock is an hour off", () =>
    Effect.gen(function*() {
      const truth = yield* Clock.Clock
      const hour = 3600n * second
      const off: Clock.Clock = {
        currentTimeMillisUnsafe: () => truth.currentTimeMillisUnsafe() + 3_600_000,
        currentTimeMillis: Effect.map(truth.currentTimeMillis, (millis) => millis + 3_600_000),
        currentTimeNanosUnsafe: () => truth.currentTimeNanosUnsafe() + hour,
        currentTimeNanos: Effect.map(truth.currentTimeNanos, (nanos) => nanos + hour),
        monotonicTimeNanos: truth.monotonicTimeNanos,
        monotonicTimeNanosUnsafe: () => truth.monotonicTimeNanosUnsafe(),
        sleep: (duration) => truth.sleep(duration)
      }
      yield* Effect.gen(function*() {
        const ahead = (yield* DateTime.now).epochMilliseconds - truth.currentTimeMillisUnsafe()
        const uncertainty = yield* yield* ClockUncertainty.ClockUncertainty
        // The database of the tests is on this computer.
        assert.isBelow(Math.abs(ahead), Duration.toMillis(uncertainty) + 1)
        assert.isBelow(Duration.toMillis(uncertainty), 2000)
      }).pipe(
        Effect.provide(Layer.provide(DatabaseClock.layer, Postgres.layerEmpty)),
        Effect.provideService(Clock.Clock, off)
      )
    }))
})

describe("the state of a database", () => {
  const state = Effect.flatMap(Storage.Storage, ({ stats }) => stats.state)

  it.live("is not migrated while there are no tables", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* state, "migrations_pending")
    }).pipe(Effect.provide(Layer.provide(SqlStorage.layer, Postgres.layerEmpty))))

  it.live("is so, too, when a migration has not run, and not when one of a later version has", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into outdial_migrations (migration_id, name) values (9999, 'later')`
      assert.strictEqual(yield* state, "ready")
      yield* sql`delete from outdial_migrations where migration_id > 1`
      assert.strictEqual(yield* state, "migrations_pending")
    }).pipe(Effect.provide(Layer.provideMerge(SqlStorage.layer, Postgres.layer))))
})
