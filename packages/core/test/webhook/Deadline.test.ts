import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Ref } from "effect"
import { TestClock } from "effect/testing"
import * as Deadline from "../../src/webhook/Deadline.ts"

const seconds = (n: number) => Duration.seconds(n)
const late = () => Effect.succeed("late" as const)

describe("one deadline for many", () => {
  it.effect("returns results within the deadline, also immediate ones, and fails as the effect does", () =>
    Effect.gen(function*() {
      const deadline = yield* Deadline.make(seconds(15))
      const asked = yield* Effect.forkChild(deadline.within(Effect.as(Effect.sleep("14 seconds"), "answer"), late))
      yield* TestClock.adjust("14 seconds")
      assert.strictEqual(yield* Fiber.join(asked), "answer")
      assert.strictEqual(yield* deadline.within(Effect.succeed("at once"), late), "at once")
      assert.strictEqual(yield* Effect.flip(deadline.within(Effect.fail("no"), late)), "no")
    }))

  it.effect("ends each as long after it began as the others, and interrupts what it was waiting for", () =>
    Effect.gen(function*() {
      const deadline = yield* Deadline.make(seconds(15))
      const interrupted = yield* Ref.make<ReadonlyArray<string>>([])
      const hanging = (name: string) =>
        deadline.within(Effect.onInterrupt(Effect.never, () => Ref.update(interrupted, (all) => [...all, name])), late)
      const first = yield* Effect.forkChild(hanging("first"))
      yield* TestClock.adjust("5 seconds")
      const second = yield* Effect.forkChild(hanging("second"))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(first), "late")
      assert.deepStrictEqual(yield* Ref.get(interrupted), ["first"])
      yield* TestClock.adjust("4999 millis")
      assert.isUndefined(second.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(second), "late")
      assert.deepStrictEqual(yield* Ref.get(interrupted), ["first", "second"])
    }))

  it.effect("starts again after a pause without effects", () =>
    Effect.gen(function*() {
      const deadline = yield* Deadline.make(seconds(15))
      yield* deadline.within(Effect.void, late)
      yield* TestClock.adjust("1 hour")
      const hanging = yield* Effect.forkChild(deadline.within(Effect.never, late))
      yield* TestClock.adjust("14999 millis")
      assert.isUndefined(hanging.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(hanging), "late")
    }))

  it.effect("interrupts the effect of a caller that no longer waits", () =>
    Effect.gen(function*() {
      const deadline = yield* Deadline.make(seconds(15))
      const stopped = yield* Deferred.make<void>()
      const waiting = yield* Effect.forkChild(
        deadline.within(Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined)), late),
        { startImmediately: true }
      )
      yield* Fiber.interrupt(waiting)
      assert.isTrue(yield* Deferred.isDone(stopped))
    }))
})
