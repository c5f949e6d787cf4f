import { assert, it } from "@effect/vitest"
import { SteadyClock } from "@outdial/core"
import { Clock, Duration, Effect } from "effect"
import { describe } from "vitest"

const second = 1_000_000_000n
const minute = 60n * second
const hour = 60n * minute
const day = 24n * hour

/** A machine whose clocks a test sets: what it shows as the time, what is monotonic, and how long it has been up. */
const machine = () => {
  const at = { system: 1_000_000n * second, monotonic: 5n * second, uptime: 900n * second, boot: "first" }
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => Number(at.system / 1_000_000n),
    currentTimeMillis: Effect.sync(() => Number(at.system / 1_000_000n)),
    currentTimeNanosUnsafe: () => at.system,
    currentTimeNanos: Effect.sync(() => at.system),
    monotonicTimeNanosUnsafe: () => at.monotonic,
    monotonicTimeNanos: Effect.sync(() => at.monotonic),
    sleep: () => Effect.void
  }
  const pass = (nanos: bigint) => {
    at.system += nanos
    at.monotonic += nanos
    at.uptime += nanos
  }
  return { at, clock, pass, uptime: () => ({ boot: at.boot, nanos: at.uptime }) }
}

/** A clock over the machine, and a way to let time pass with a look every second, as its layer looks. */
const over = (own: ReturnType<typeof machine>, known?: SteadyClock.Known) => {
  const steady = SteadyClock.make(own.clock, { uptime: own.uptime, ...(known !== undefined && { known }) })
  const changes: Array<SteadyClock.Change["_tag"]> = []
  const look = () => {
    const change = steady.look()
    if (change !== undefined) changes.push(change._tag)
  }
  look()
  return {
    steady,
    changes,
    now: () => steady.clock.currentTimeNanosUnsafe(),
    isCertain: () => Duration.isLessThanOrEqualTo(steady.uncertainty(), Duration.seconds(2)),
    pass: (nanos: bigint) => {
      for (let passed = 0n; passed < nanos; passed += second) {
        own.pass(second)
        look()
      }
    }
  }
}

describe("the guarded clock", () => {
  it("goes with the system's clock, and follows small corrections without going back", () => {
    const own = machine()
    const { changes, now, pass, steady } = over(own)
    pass(minute)
    assert.strictEqual(now(), own.at.system)
    own.at.system += 500_000_000n
    pass(second)
    assert.strictEqual(now(), own.at.system)
    const before = now()
    own.at.system -= 500_000_000n
    steady.look()
    assert.strictEqual(now(), before)
    pass(second)
    assert.strictEqual(now(), own.at.system)
    assert.deepStrictEqual(changes, [])
    assert.isTrue(steady.mayRemove())
  })

  it("shows no time that the system's clock was set to, neither ahead nor back, and is uncertain at once", () => {
    for (const by of [40n * day, -2n * hour, 3n * second, -3n * second]) {
      const own = machine()
      const { changes, isCertain, now, pass, steady } = over(own)
      pass(minute)
      const right = own.at.system
      own.at.system += by
      // Also before it is looked at.
      assert.isFalse(isCertain())
      assert.isFalse(steady.mayRemove())
      assert.strictEqual(now(), right)
      pass(5n * minute)
      assert.strictEqual(now(), right + 5n * minute)
      assert.isFalse(isCertain())
      assert.deepStrictEqual(changes, ["Stepped"])
    }
  })

  it("continues at once when the system's clock is corrected, with nothing to repair", () => {
    const own = machine()
    const { changes, isCertain, now, pass, steady } = over(own)
    own.at.system += 40n * day
    pass(35n * second)
    own.at.system -= 40n * day
    assert.isTrue(isCertain())
    pass(second)
    assert.strictEqual(now(), own.at.system)
    assert.deepStrictEqual(changes, ["Stepped", "Undone"])
    assert.isFalse(steady.isSetBack())
    assert.isTrue(steady.mayRemove())
  })

  it("follows a step forward that lasts for ten minutes, and removes nothing for a day", () => {
    const own = machine()
    const { changes, isCertain, now, pass, steady } = over(own)
    own.at.system += 3n * hour
    pass(10n * minute)
    assert.isFalse(isCertain())
    pass(second)
    assert.isTrue(isCertain())
    assert.strictEqual(now(), own.at.system)
    assert.deepStrictEqual(changes, ["Stepped", "Followed"])
    assert.isFalse(steady.isSetBack())
    assert.isFalse(steady.mayRemove())
    pass(day)
    assert.isTrue(steady.mayRemove())
  })

  it("follows a step back that lasts for ten minutes, and is uncertain until storage has been brought back", () => {
    const own = machine()
    const { changes, isCertain, now, pass, steady } = over(own)
    own.at.system -= 2n * hour
    pass(10n * minute + second)
    assert.deepStrictEqual(changes, ["Stepped", "Followed"])
    assert.strictEqual(now(), own.at.system)
    assert.isTrue(steady.isSetBack())
    assert.isFalse(isCertain())
    steady.settle()
    assert.isTrue(isCertain())
  })

  it("waits ten minutes more each time that the clock is set again", () => {
    const own = machine()
    const { changes, isCertain, pass } = over(own)
    own.at.system += hour
    pass(9n * minute)
    own.at.system += hour
    pass(9n * minute)
    assert.isFalse(isCertain())
    assert.deepStrictEqual(changes, ["Stepped", "Stepped"])
    pass(2n * minute)
    assert.deepStrictEqual(changes, ["Stepped", "Stepped", "Followed"])
  })

  it("recognises a suspended machine by its uptime", () => {
    const own = machine()
    const { changes, isCertain, now, pass } = over(own)
    own.at.system += 9n * hour
    own.at.uptime += 9n * hour
    pass(second)
    assert.isTrue(isCertain())
    assert.strictEqual(now(), own.at.system)
    assert.deepStrictEqual(changes, [])
  })
})

describe("the guarded clock on the next start", () => {
  /** What a process knew that ended while its clock was right. */
  const ended = () => {
    const own = machine()
    const { pass, steady } = over(own)
    pass(minute)
    return { own, known: steady.known() }
  }

  it("trusts the system's clock after a stop of any length on a machine that was not started again", () => {
    const { known, own } = ended()
    own.pass(30n * day)
    const { changes, isCertain, now, steady } = over(own, known)
    assert.isTrue(isCertain())
    assert.isTrue(steady.mayRemove())
    assert.strictEqual(now(), own.at.system)
    assert.deepStrictEqual(changes, [])
  })

  it("doubts a clock that was set meanwhile, forward or back", () => {
    for (const by of [40n * day, -2n * hour]) {
      const { known, own } = ended()
      own.pass(hour)
      const right = own.at.system
      own.at.system += by
      const { changes, isCertain, now } = over(own, known)
      assert.isFalse(isCertain())
      assert.strictEqual(now(), right)
      assert.deepStrictEqual(changes, ["Stepped"])
    }
  })

  it("stays in doubt over a restart, and still has storage brought back when the one before could not", () => {
    const own = machine()
    const before = over(own)
    own.at.system += 40n * day
    before.pass(minute)
    const stepped = over(own, before.steady.known())
    assert.isFalse(stepped.isCertain())
    stepped.pass(11n * minute)
    own.at.system -= 40n * day
    stepped.pass(11n * minute)
    assert.isTrue(stepped.steady.isSetBack())
    const last = over(own, stepped.steady.known())
    assert.isTrue(last.steady.isSetBack())
    assert.strictEqual(last.now(), own.at.system)
  })

  it("cannot know after a new start of the machine how long it was off: it doubts only a clock that is behind", () => {
    const { known, own } = ended()
    own.at.boot = "second"
    own.at.uptime = 10n * second
    own.at.system += 40n * day
    const later = over(own, known)
    assert.isTrue(later.isCertain())
    // What is kept for days does not go at once, in case it was not off for so long.
    assert.isFalse(later.steady.mayRemove())
    later.pass(day)
    assert.isTrue(later.steady.mayRemove())
    own.at.boot = "third"
    own.at.system -= 30n * day
    const behind = over(own, later.steady.known())
    assert.isFalse(behind.isCertain())
    behind.pass(10n * minute + second)
    assert.strictEqual(behind.now(), own.at.system)
    assert.isTrue(behind.steady.isSetBack())
  })
})
