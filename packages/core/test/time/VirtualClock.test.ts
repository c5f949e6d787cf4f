import { assert, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { describe } from "vitest"
import * as VirtualClock from "../../src/time/VirtualClock.ts"

const startsAt = 1_000

/** Runs the work under the clock to its end, and returns what it wrote, with the times. */
const played = Effect.fnUntraced(function*(
  work: (options: {
    readonly clock: VirtualClock.VirtualClock
    readonly write: (line: string) => Effect.Effect<void>
  }) => Effect.Effect<void>
) {
  const clock = yield* VirtualClock.make(startsAt)
  const lines: Array<string> = []
  const write = (line: string) =>
    Effect.map(Clock.currentTimeMillis, (now) => void lines.push(`${now - startsAt} ${line}`))
  const fiber = yield* Effect.forkChild(Effect.provideContext(work({ clock, write }), clock.services))
  while (true) {
    yield* clock.settled
    const next = clock.nextAt()
    if (next === undefined) break
    yield* clock.moveTo(next)
  }
  yield* Fiber.join(fiber)
  return lines
})

const inRealTime = (millis: number) => Effect.promise(() => new Promise<void>((done) => setTimeout(done, millis)))

describe("a virtual clock", () => {
  it.live("wakes fibers in the order of their times, and those of one time in the order of their waits", () =>
    Effect.gen(function*() {
      const lines = yield* played(({ write }) =>
        Effect.all([
          Effect.andThen(Effect.sleep("1 hour"), write("hour")),
          Effect.andThen(Effect.sleep("1 second"), write("first")),
          Effect.andThen(Effect.sleep("1 second"), write("second"))
        ], { concurrency: "unbounded", discard: true })
      )
      assert.deepStrictEqual(lines, ["1000 first", "1000 second", "3600000 hour"])
    }))

  it.live("moves on only when everything that follows from a wake is done", () =>
    Effect.gen(function*() {
      const lines = yield* played(({ write }) =>
        Effect.gen(function*() {
          yield* Effect.forkChild(Effect.andThen(Effect.sleep(2), write("later")))
          yield* Effect.sleep(1)
          for (let turn = 0; turn < 500; turn++) yield* Effect.yieldNow
          yield* Effect.forkChild(Effect.andThen(Effect.yieldNow, write("consequence")))
          yield* Effect.sleep(1)
          yield* write("end")
        })
      )
      assert.deepStrictEqual(lines, ["1 consequence", "2 later", "2 end"])
    }))

  it.live("stands still during work in real time", () =>
    Effect.gen(function*() {
      const lines = yield* played(({ clock, write }) =>
        Effect.gen(function*() {
          yield* Effect.forkChild(Effect.andThen(Effect.sleep(1), write("slept")))
          yield* clock.during(inRealTime(20))
          yield* write("answered")
          yield* Effect.sleep(2)
        })
      )
      assert.deepStrictEqual(lines, ["0 answered", "1 slept"])
    }))

  it.live("forgets waits that are interrupted, and never moves back", () =>
    Effect.gen(function*() {
      const clock = yield* VirtualClock.make(startsAt)
      const sleeping = yield* Effect.forkChild(Effect.provideContext(Effect.sleep("1 day"), clock.services))
      yield* clock.settled
      assert.strictEqual(clock.nextAt(), startsAt + 86_400_000)
      yield* Fiber.interrupt(sleeping)
      yield* clock.moveTo(0)
      const now = yield* Effect.provideContext(Clock.currentTimeMillis, clock.services)
      assert.deepStrictEqual([clock.nextAt(), now], [undefined, startsAt])
    }))
})
