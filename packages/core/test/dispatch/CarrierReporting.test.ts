import { assert, describe, it } from "@effect/vitest"
import { Engine, Ids, LineReports, MemoryStorage, Storage, Wakeups } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Context, DateTime, Effect, Exit, Fiber, Latch, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"

const changed = (reports: Storage.ReportOptions["reports"]) => reports.map(() => "changed" as const)

/** A storage that takes its time to write reports, and counts those of each group that it is given. */
const setting = Effect.gen(function*() {
  const storage = yield* Storage.Storage
  const isWritten = yield* Latch.make()
  const groups: Array<number> = []
  const slow = {
    ...storage,
    dispatch: {
      ...storage.dispatch,
      report: ({ reports }: Storage.ReportOptions) => {
        groups.push(reports.length)
        return Effect.as(isWritten.await, changed(reports))
      }
    }
  }
  const scope = yield* Scope.fork(yield* Effect.scope)
  const context = yield* Layer.buildWithScope(
    Engine.layerLineReports.pipe(
      Layer.provide([Layer.succeed(Storage.Storage, slow), Wakeups.Wakeups.layerMemory])
    ),
    scope
  )
  const { report } = Context.get(context, LineReports.LineReports)
  const accept = (accountId: Ids.AccountId, count: number) =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(Effect.forEach(
        Array.from({ length: count }),
        () =>
          report({
            accountId,
            callId: Factories.callId(),
            event: { _tag: "Accepted", carrierCallId: Ids.CarrierCallId.make("carrier") }
          }),
        { concurrency: "unbounded" }
      ))
      // The reports gather for a moment.
      yield* Effect.replicateEffect(Effect.yieldNow, 3)
      yield* TestClock.adjust("1 millis")
      return fiber
    })
  return { accept, close: Scope.close(scope, Exit.void), groups, isWritten }
}).pipe(Effect.provide(MemoryStorage.layer))

describe("Reports", () => {
  it.effect("that arrive while others of the account are being written are written together, and delay no other account", () =>
    Effect.gen(function*() {
      const { accept, groups, isWritten } = yield* setting
      const [account, other] = [Factories.accountId(), Factories.accountId()]
      const first = yield* accept(account, 2)
      const second = yield* accept(account, 3)
      const third = yield* accept(account, 4)
      assert.deepStrictEqual(groups, [2])
      const others = yield* accept(other, 5)
      assert.deepStrictEqual(groups, [2, 5])
      yield* isWritten.open
      yield* Effect.forEach([first, second, third, others], Fiber.join)
      assert.deepStrictEqual(groups, [2, 5, 7])
    }))

  it.effect("are all answered when they are sent while it ends, or later", () =>
    Effect.gen(function*() {
      const { accept, close, groups } = yield* setting
      const account = Factories.accountId()
      const written = yield* accept(account, 1)
      const waiting = yield* accept(account, 2)
      yield* close
      const late = yield* accept(account, 1)
      const exits = yield* Effect.forEach([written, waiting, late], Fiber.await)
      assert.deepStrictEqual(exits.map(Exit.hasInterrupts), [true, true, true])
      assert.deepStrictEqual(groups, [1])
    }))

  it.effect("that storage cannot write fail alone", () =>
    Effect.gen(function*() {
      const storage = yield* Storage.Storage
      const [unfit, accountId] = [Ids.CarrierCallId.make("unfit"), Factories.accountId()]
      const groups: Array<number> = []
      const picky = {
        ...storage,
        dispatch: {
          ...storage.dispatch,
          report: ({ reports }: Storage.ReportOptions) => {
            groups.push(reports.length)
            return reports.some(({ event }) => event._tag === "Accepted" && event.carrierCallId === unfit)
              ? Effect.die("cannot be written")
              : Effect.succeed(changed(reports))
          }
        }
      }
      yield* Effect.gen(function*() {
        const { report } = yield* LineReports.LineReports
        const exits = yield* Effect.forEach(
          [Ids.CarrierCallId.make("one"), unfit, Ids.CarrierCallId.make("other")],
          (carrierCallId) =>
            Effect.exit(report({ accountId, callId: Factories.callId(), event: { _tag: "Accepted", carrierCallId } })),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
        assert.deepStrictEqual(groups, [3, 1, 1, 1])
      }).pipe(Effect.provide(Engine.layerLineReports.pipe(
        Layer.provide([Layer.succeed(Storage.Storage, picky), Wakeups.Wakeups.layerMemory])
      )))
    }).pipe(Effect.provide(MemoryStorage.layer)))

  it.effect("wait no longer than 50 ms for those that some lock holds up", () =>
    Effect.gen(function*() {
      const { accept, groups } = yield* setting
      const account = Factories.accountId()
      yield* accept(account, 1)
      yield* accept(account, 1)
      yield* TestClock.adjust("47 millis")
      assert.deepStrictEqual(groups, [1])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(groups, [1, 1])
    }))

  it.effect("whose first answer was lost wake the loops when they are sent again", () =>
    Effect.gen(function*() {
      const storage = yield* Storage.Storage
      const accountId = Factories.accountId()
      // The first write is stored, but its connection is lost before the answer.
      let writes = 0
      const forgetful = {
        ...storage,
        dispatch: {
          ...storage.dispatch,
          report: ({ reports }: Storage.ReportOptions) =>
            Effect.suspend(() =>
              writes++ === 0
                ? Effect.fail(new Storage.StorageError({ reason: "unavailable", cause: "gone" }))
                : Effect.succeed(reports.map(() => "ignored" as const))
            )
        }
      }
      yield* Effect.gen(function*() {
        const { report } = yield* LineReports.LineReports
        const { wait } = yield* Wakeups.Wakeups
        const loops = ["dial", "outcome", "delivery", "subscription"] as const
        const woken = yield* Effect.forkChild(Effect.forEach(loops, wait, { concurrency: "unbounded" }))
        const event = { _tag: "Ended", at: yield* DateTime.now, result: "hung_up", recorded: false } as const
        const sent = yield* Effect.forkChild(report({ accountId, callId: Factories.callId(), event }))
        yield* Effect.replicateEffect(Effect.yieldNow, 20)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* Fiber.join(sent), "continue")
        assert.isDefined(woken.pollUnsafe())
        for (const accounts of yield* Fiber.join(woken)) assert.deepStrictEqual(accounts, new Set([accountId]))
        assert.strictEqual(writes, 2)
      }).pipe(Effect.provide(Engine.layerLineReports.pipe(
        Layer.provide(Layer.succeed(Storage.Storage, forgetful)),
        Layer.provideMerge(Wakeups.Wakeups.layerMemory)
      )))
    }).pipe(Effect.provide(MemoryStorage.layer)))
})
