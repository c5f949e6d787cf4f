import { assert, it } from "@effect/vitest"
import { Batches, Event, Events, MemoryStorage, Outdial, Storage } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Deferred, Duration, Effect, Exit, Layer, Ref, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import * as PromiseSubscriptions from "../../src/promise/PromiseSubscriptions.ts"
import * as Steps from "../support/EventSteps.ts"
import * as Instant from "../support/Instant.ts"

/** Subscribes until the scope is closed. */
const subscribe = Effect.fnUntraced(function*(
  name: string,
  handler: (event: Event.EventRecord) => Effect.Effect<void, unknown>,
  kinds?: ReadonlyArray<Event.SubscribableKind>
) {
  const { accountId } = yield* TestEngine.Tenant
  const events = yield* Events.Events
  const scope = yield* Scope.make()
  yield* Scope.provide(events.subscribe(accountId, name, handler, kinds), scope)
  return { close: Scope.close(scope, Exit.void) }
})

/** Keeps the ids of the events that it is handed. */
const collector = Effect.map(Ref.make<ReadonlyArray<string>>([]), (seen) => ({
  handler: ({ id }: Event.EventRecord) => Ref.update(seen, (all) => [...all, id]),
  seen: Ref.get(seen)
}))

describe("a subscriber", () => {
  it.effect("is handed every event that happens after it first subscribed, once, without a webhook", () =>
    Effect.gen(function*() {
      yield* Steps.event
      const { handler, seen } = yield* collector
      yield* subscribe("crm", handler)
      const ids = yield* Steps.events(10)
      yield* TestEngine.drain
      assert.sameMembers([...(yield* seen)], ids)
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("is handed what happened while no process handled it", () =>
    Effect.gen(function*() {
      const { handler, seen } = yield* collector
      const { close } = yield* subscribe("crm", handler)
      yield* close
      const ids = yield* Steps.events(10)
      yield* TestEngine.advance("3 days")
      assert.deepStrictEqual(yield* seen, [])
      yield* subscribe("crm", handler)
      yield* TestEngine.drain
      assert.sameMembers([...(yield* seen)], ids)
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("shares its events with the other processes of its name", () =>
    Effect.gen(function*() {
      const storage = yield* Layer.build(MemoryStorage.layer)
      const shared = Layer.succeedContext(storage)
      const one = yield* collector
      const other = yield* collector
      yield* Effect.gen(function*() {
        yield* subscribe("crm", one.handler)
        const { accountId } = yield* TestEngine.Tenant
        const ids = yield* Steps.events(20)
        yield* Effect.gen(function*() {
          const events = yield* Events.Events
          yield* events.subscribe(accountId, "crm", other.handler)
          yield* TestEngine.drain
        }).pipe(Effect.provide(TestEngine.layer({ storage: shared }), { local: true }), Effect.scoped)
        yield* TestEngine.drain
        assert.sameMembers([...(yield* one.seen), ...(yield* other.seen)], ids)
      }).pipe(Effect.provide(TestEngine.layer({ storage: shared })))
    }))

  it.effect("gets an event again when it fails, throws or takes too long, with growing delays", () =>
    Effect.gen(function*() {
      const tries = yield* Ref.make(0)
      const done = yield* Deferred.make<void>()
      yield* subscribe("crm", () =>
        Effect.flatMap(Ref.getAndUpdate(tries, (n) => n + 1), (n) => {
          if (n === 0) return Effect.fail("busy")
          if (n === 1) return Effect.die(new Error("a bug in the host"))
          return n === 2 ? Effect.never : Effect.asVoid(Deferred.succeed(done, undefined))
        }))
      yield* Steps.event
      yield* Steps.run(Duration.minutes(2), Duration.seconds(1))
      assert.strictEqual(yield* Ref.get(tries), 4)
      assert.isTrue(yield* Deferred.isDone(done))
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("that cannot handle one event gets the others, and that one for three days and when it subscribes again", () =>
    Effect.gen(function*() {
      const tries = yield* Ref.make(0)
      const { handler, seen } = yield* collector
      const poison = yield* Ref.make("")
      const picky = (event: Event.EventRecord) =>
        Effect.flatMap(Ref.get(poison), (id) =>
          event.id === id
            ? Effect.andThen(Ref.update(tries, (n) => n + 1), Effect.fail("not that one"))
            : handler(event))
      const { close } = yield* subscribe("crm", picky)
      const bad = yield* Steps.event
      yield* Ref.set(poison, bad)
      const ids = yield* Steps.events(5)
      yield* TestEngine.advance("2 days")
      assert.sameMembers([...(yield* seen)], ids)
      yield* TestEngine.advance("3 days")
      assert.strictEqual(yield* Ref.get(tries), 84)
      yield* close
      yield* subscribe("crm", handler)
      yield* TestEngine.drain
      assert.sameMembers([...(yield* seen)], [...ids, bad])
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("hears nothing once it is forgotten, and must have a name", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const events = yield* Events.Events
      const { handler, seen } = yield* collector
      yield* subscribe("crm", handler)
      yield* Steps.event
      yield* events.unsubscribe(accountId, "crm")
      yield* Steps.event
      yield* TestEngine.advance("1 hour")
      assert.deepStrictEqual(yield* seen, [])
      for (const name of ["", "x".repeat(65), "a\u0000b", "a\nb", "\ud800"]) {
        const error = yield* Effect.flip(Effect.scoped(events.subscribe(accountId, name, handler)))
        assert.strictEqual(error._tag, "InvalidRequest")
      }
      const error = yield* Effect.flip(Effect.scoped(events.subscribe(accountId, "crm", handler, [])))
      assert.strictEqual(error._tag, "InvalidRequest")
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("whose handler cannot be interrupted is not handed the event again while it is at work", () =>
    Effect.gen(function*() {
      const tries = yield* Ref.make(0)
      const release = yield* Deferred.make<void>()
      yield* subscribe(
        "crm",
        () => Effect.uninterruptible(Effect.andThen(Ref.update(tries, (n) => n + 1), Deferred.await(release)))
      )
      yield* Steps.event
      yield* Steps.run(Duration.minutes(3), Duration.seconds(5))
      assert.strictEqual(yield* Ref.get(tries), 1)
      yield* Deferred.succeed(release, undefined)
    }).pipe(Effect.provide(TestEngine.layer(Instant.options))))

  it.effect("that is a function gets an aborted signal when it takes too long, and is not called again before its promise settles", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const signals: Array<AbortSignal> = []
      const slow = Promise.withResolvers<void>()
      const handler: PromiseSubscriptions.HostHandler = (_, { signal }) => {
        signals.push(signal)
        return signals.length === 1 ? slow.promise : undefined
      }
      yield* PromiseSubscriptions.subscribe(accountId, "crm", handler, {})
      yield* Steps.event
      yield* Steps.run(Duration.minutes(3), Duration.seconds(1))
      assert.deepStrictEqual(signals.map(({ aborted }) => aborted), [true])
      slow.resolve()
      yield* Effect.promise(() => slow.promise)
      yield* TestClock.adjust("2 hours")
      assert.isAtMost(signals.length, 2)
    }).pipe(Effect.provide(TestEngine.layer(Instant.options))))

  it.effect("gets one event when a batch is completed, after the end of its last call", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const batches = yield* Batches.Batches
      const { handler, seen } = yield* collector
      yield* subscribe("crm", handler, ["call.completed", "call.not_connected", "batch.completed"])
      const rows = ["+14155550100", "+14155550105", "+14155550106"].map((phoneNumber) => ({
        phoneNumber,
        variables: { topic: "x" }
      }))
      const { id } = yield* batches.start(accountId, { agentId, calls: rows })
      yield* TestEngine.advance("10 minutes")
      const heard = yield* seen
      assert.strictEqual(heard.length, 4)
      assert.strictEqual(heard.at(-1), `evt_${id.slice("batch_".length)}`)
      const storage = yield* Storage.Storage
      assert.isFalse((yield* storage.work.nextDueAt({}))._tag === "None")
    }).pipe(Effect.provide(TestEngine.layer())))
})

describe("Outdial's events", () => {
  it.live("carry the call and the batch as the library returns them, and null once the contact is erased", () =>
    Effect.promise(async () => {
      const engine = await Outdial.open({
        agents: [{ name: "Ada", script: "Hello {{ visit }}", questions: ["Tuesday?"], dispositions: ["yes"] }]
      })
      const [agent] = await engine.agents.list()
      const heard: Array<Outdial.HostEvent> = []
      await engine.events.subscribe("crm", (event) => void heard.push(event), {
        events: ["call.completed", "batch.completed"]
      })
      const { id } = await engine.batches.start({
        agentId: agent?.id ?? "",
        test: true,
        calls: [{
          phoneNumber: "+14155550100",
          contact: { name: "Grace", externalId: "p-1" },
          variables: { visit: "tomorrow" },
          metadata: { clinic_id: { floor_no: 2 } }
        }]
      })
      await engine.drain()
      const [call] = (await engine.calls.list({ batchId: id })).items
      const completed = heard.find(({ type }) => type === "call.completed")
      assert.deepStrictEqual(completed?.data, call)
      assert.instanceOf(call?.createdAt, Date)
      const { calls: _calls, rejected: _rejected, ...batch } = await engine.batches.get(id)
      assert.deepStrictEqual(heard.find(({ type }) => type === "batch.completed")?.data, batch)
      await engine.callees.erase("+14155550100")
      const { items } = await engine.events.feed()
      assert.deepStrictEqual(items.filter(({ type }) => type === "call.completed"), [])
      await engine.close()
    }))

  it.live("reach handlers of an engine that is opened without workers", () =>
    Effect.promise(async () => {
      const engine = await Outdial.open({
        agents: [{ name: "Ada", script: "Hello", questions: [], dispositions: ["yes"] }],
        workers: false
      })
      const [agent] = await engine.agents.list()
      const heard = Promise.withResolvers<string>()
      await engine.events.subscribe("crm", ({ callId = "" }) => heard.resolve(callId))
      const { id } = await engine.calls.start({ agentId: agent?.id ?? "", phoneNumber: "+14155550100", test: true })
      assert.strictEqual(await heard.promise, id)
      await engine.close()
    }))

  it.live("are handed to a function, again when it throws, and followed and sent again by promise", () =>
    Effect.promise(async () => {
      const engine = await Outdial.open({
        agents: [{ name: "Ada", script: "Hello", questions: [], dispositions: ["yes"] }]
      })
      const [agent] = await engine.agents.list()
      const heard: Array<string> = []
      let calls = 0
      const subscription = await engine.events.subscribe("crm", ({ createdAt, id }) => {
        calls += 1
        if (calls === 1) throw new Error("not yet")
        assert.instanceOf(createdAt, Date)
        heard.push(id)
      })
      const request = { agentId: agent?.id ?? "", phoneNumber: "+14155550100", test: true }
      await engine.calls.start(request)
      await engine.calls.start(request)
      await engine.drain()
      assert.strictEqual(heard.length, 1)
      await subscription.close()
      const { items, nextCursor } = await engine.events.feed()
      assert.strictEqual(items.length, 2)
      assert.deepInclude(await engine.events.feed({ cursor: nextCursor }), { items: [], hasMore: false, nextCursor })
      await engine.webhook.set({ url: "https://example.com/hook" })
      const since = new Date(0)
      assert.deepStrictEqual(await engine.webhook.recover({ since }), { events: 2 })
      await engine.drain()
      const again = await engine.events.redeliver(items[0]?.id ?? "")
      assert.strictEqual(again.state, "pending")
      await engine.events.unsubscribe("crm")
      await engine.close()
    }))
})
