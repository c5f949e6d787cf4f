/** Concurrent starts and concurrent keys: each has the same result as alone. */
import { assert } from "@effect/vitest"
import { type Errors, EventBodies, Ids, Storage } from "@outdial/core"
import { Effect, Exit, Fiber, Option, Result } from "effect"
import * as Factories from "../../Factories.ts"
import type { Cases } from "../../storage/Cases.ts"
import * as Fixture from "../../storage/Fixture.ts"

const key = (name: string, fingerprint = "f") => Option.some({ key: name, fingerprint })

const atOnce = { concurrency: "unbounded" } as const

const many = 30

/** A start with the given plan. */
const startBy = <Refusal>(
  fixture: Fixture.Fixture,
  plan: Storage.StartOptions<Refusal>["plan"],
  more: Partial<Storage.StartOptions<Refusal>> = {}
) =>
  fixture.storage.calls.start({
    accountId: fixture.accountId,
    agentId: fixture.agentId,
    phoneNumber: Factories.phoneNumber(),
    now: Factories.start,
    rules: Factories.rules,
    aliasesOf: Factories.aliasesOf,
    idempotency: Option.none(),
    plan,
    events: EventBodies.eventWriter(Factories.start),
    ...more
  })

const refused = () => Result.fail("because")

const tags = (results: ReadonlyArray<{ readonly _tag: string }>) => results.map(({ _tag }) => _tag)

export const cases: Cases = {
  "keeps every call as its own plan made it, at its own time": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const results = yield* Effect.forEach(
      Array.from({ length: many }, (_, index) => index),
      (index) => Fixture.startResult(fixture, { createdAt: Factories.at(index) }, key(`k${index}`)),
      atOnce
    )
    for (const [index, result] of results.entries()) {
      if (result._tag !== "Started") throw new Error(`The call was not started: ${result._tag}`)
      assert.deepStrictEqual(result.call.createdAt, Factories.at(index))
      assert.deepStrictEqual(result.facts.now, Factories.at(index))
      assert.deepStrictEqual(yield* Fixture.get(fixture, result.call.id), result.call)
    }
  }),

  "passes a plan the earlier call to the same number": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const phoneNumber = Factories.phoneNumber()
    const starts = [{ phoneNumber }, {}, { phoneNumber }]
    const results = yield* Effect.forEach(starts, (overrides) => Fixture.startResult(fixture, overrides), atOnce)
    assert.sameMembers(tags(results), ["Started", "Started", "Refused"])
    const call = results.flatMap((result) => "call" in result ? [result.call] : [])
      .find((call) => call.phoneNumber === phoneNumber)
    const refusal = results.find(({ _tag }) => _tag === "Refused") as { readonly reason: Errors.CallAlreadyQueued }
    assert.strictEqual(refusal.reason.callId, call?.id)
  }),

  "starts a test call beside a call to the same number, each with its own end": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    yield* Fixture.setWebhook(fixture)
    const phoneNumber = Factories.phoneNumber()
    const test = (seconds: number) => ({
      phoneNumber,
      test: true,
      status: "completed" as const,
      createdAt: Factories.at(seconds),
      endedAt: Factories.at(seconds),
      outcome: Factories.outcome,
      outcomeState: "stored" as const
    })
    const calls = yield* Effect.forEach(
      [{ phoneNumber }, test(1), test(2)],
      (overrides) => Fixture.start(fixture, overrides),
      atOnce
    )
    const events = yield* Effect.forEach(calls, ({ id }) => Fixture.terminalEvent(fixture, id))
    assert.deepStrictEqual(
      events.map((event) => Option.getOrUndefined(event)?.createdAt),
      [undefined, Factories.at(1), Factories.at(2)]
    )
  }),

  "replays a key for the same concurrent request, and refuses it for another": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const [one, same, other] = yield* Effect.forEach(
      ["one", "one", "other"],
      (fingerprint) => Fixture.startResult(fixture, {}, key("k", fingerprint)),
      atOnce
    )
    if (one?._tag !== "Started") throw new Error(`The first was not started: ${one?._tag}`)
    assert.deepStrictEqual(same, { _tag: "Replayed", call: one.call })
    assert.deepStrictEqual(other, { _tag: "KeyReused", callId: one.call.id })
  }),

  "answers earlier and new keys, each with its own call": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const earlier = yield* Fixture.startResult(fixture, {}, key("before"))
    const made = (result: Storage.StartResult<unknown>) =>
      "call" in result ? result.call.id : "callId" in result ? result.callId : undefined
    const results = yield* Effect.all([
      Fixture.startResult(fixture, {}, key("new")),
      Fixture.startResult(fixture, {}, key("before")),
      Fixture.startResult(fixture, {}, key("before", "other")),
      Fixture.startResult(fixture)
    ], atOnce)
    assert.deepStrictEqual(tags(results), ["Started", "Replayed", "KeyReused", "Started"])
    const [, replayed, reused] = results
    assert.deepStrictEqual([made(replayed), made(reused)], [made(earlier), made(earlier)])
  }),

  "gives the key to an identical request if the request before it is refused": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const [first, twin] = yield* Effect.all([
      startBy(fixture, refused, { idempotency: key("k") }),
      Fixture.startResult(fixture, {}, key("k"))
    ], atOnce)
    assert.deepStrictEqual(first, { _tag: "Refused", reason: "because" })
    assert.strictEqual(twin._tag, "Started")
  }),

  "stores nothing of refused requests among others": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const [, refusal] = yield* Effect.all([
      Fixture.start(fixture),
      startBy(fixture, refused, { idempotency: key("k") }),
      Fixture.start(fixture)
    ], atOnce)
    assert.deepStrictEqual(refusal, { _tag: "Refused", reason: "because" })
    assert.strictEqual((yield* Fixture.startResult(fixture, {}, key("k")))._tag, "Started")
  }),

  "passes every plan the agent of its request": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const definition = Factories.agentDefinition()
    const { id } = yield* fixture.storage.agents.put({
      accountId: fixture.accountId,
      agent: definition,
      now: Factories.start
    })
    const agentIds = [fixture.agentId, id, Factories.agentId()]
    const asked = yield* Effect.forEach(
      agentIds,
      (agentId) => startBy(fixture, ({ agent }) => Result.fail(Option.map(agent, ({ id }) => id)), { agentId }),
      atOnce
    )
    assert.deepStrictEqual(
      asked,
      [Option.some(fixture.agentId), Option.some(id), Option.none<Ids.AgentId>()].map((reason) => ({
        _tag: "Refused",
        reason
      }))
    )
  }),

  "fails only the start whose plan has a bug": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const bug = startBy(fixture, () => {
      throw new Error("a bug")
    })
    const [before, broken, after] = yield* Effect.all(
      [Effect.asVoid(Fixture.start(fixture)), Effect.asVoid(bug), Effect.asVoid(Fixture.start(fixture))].map(
        Effect.exit
      ),
      atOnce
    )
    assert.deepStrictEqual([before, after], [Exit.void, Exit.void])
    assert.isTrue(broken !== undefined && Exit.hasDies(broken))
  }),

  "starts the calls of all others when a caller gives up": Effect.gen(function*() {
    const fixture = yield* Fixture.make()
    const fibers = yield* Effect.forEach(
      Array.from({ length: many }),
      (_, index) => Effect.forkChild(Fixture.startResult(fixture, {}, key(`k${index}`)))
    )
    yield* Effect.yieldNow
    const [impatient, ...others] = fibers
    if (impatient !== undefined) yield* Fiber.interrupt(impatient)
    const results = yield* Effect.forEach(others, Fiber.join)
    assert.deepStrictEqual(new Set(tags(results)), new Set(["Started"]))
    // Its own call may have started or not; if so, then with its key.
    assert.include(["Started", "Replayed"], (yield* Fixture.startResult(fixture, {}, key("k0")))._tag)
  }),

  "keeps the calls of accounts apart": Effect.gen(function*() {
    const fixtures = [yield* Fixture.make(), yield* Fixture.make()]
    const phoneNumber = Factories.phoneNumber()
    const calls = yield* Effect.forEach(
      Array.from({ length: 2 }).flatMap(() => fixtures),
      (fixture) => Fixture.startResult(fixture, { phoneNumber }, key("k")),
      atOnce
    )
    assert.deepStrictEqual(tags(calls), ["Started", "Started", "Replayed", "Replayed"])
    assert.deepStrictEqual(
      calls.map((result) => "call" in result && result.call.accountId),
      [...fixtures, ...fixtures].map(({ accountId }) => accountId)
    )
  })
}
