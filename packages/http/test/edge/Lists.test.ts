import { assert, describe, it } from "@effect/vitest"
import { Agents } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Fixture from "../Fixture.ts"

const ids = ({ body }: Fixture.Received) => body["data"].map(({ id }: { readonly id: string }) => id)

/** Test calls, all made at the same instant: they differ only in their ids. */
const testCalls = (count: number) =>
  Effect.gen(function*() {
    const body = yield* Fixture.startCall({ test: true })
    return yield* Effect.forEach(Array.from({ length: count }), () =>
      Effect.map(Fixture.send("/v1/calls", { body }), ({ body }) => String(body["id"])))
  })

describe("lists (docs/decisions.md, lists)", () => {
  it.effect("hold 25 items, or as many as are asked for, and never more than 100", () =>
    Effect.gen(function*() {
      yield* testCalls(101)
      const size = (query: string) => Effect.map(Fixture.send(`/v1/calls${query}`), (answer) => ids(answer).length)
      assert.deepStrictEqual([yield* size(""), yield* size("?limit=26"), yield* size("?limit=1000")], [25, 26, 100])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("distinguish items of the same instant, and show each once", () =>
    Effect.gen(function*() {
      const made = yield* testCalls(7)
      const first = yield* Fixture.send("/v1/calls?limit=4")
      const second = yield* Fixture.send(`/v1/calls?limit=4&cursor=${first.body["next_cursor"]}`)
      assert.deepStrictEqual([first.body["has_more"], second.body["has_more"]], [true, false])
      assert.isNull(second.body["next_cursor"])
      assert.deepStrictEqual([...ids(first), ...ids(second)], made.toSorted().toReversed())
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("are empty in the same envelope", () =>
    Effect.gen(function*() {
      for (const path of ["/v1/calls", "/v1/batches", "/v1/events", "/v1/webhook/deliveries"]) {
        const { body } = yield* Fixture.send(path)
        assert.deepStrictEqual(body, { object: "list", data: [], has_more: false, next_cursor: null }, path)
      }
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("compare created_after and created_before exclusively", () =>
    Effect.gen(function*() {
      const [early] = yield* testCalls(1)
      yield* TestClock.adjust("1 second")
      const [late] = yield* testCalls(1)
      const found = (query: string) => Effect.map(Fixture.send(`/v1/calls?${query}`), ids)
      assert.deepStrictEqual(yield* found("created_after=1970-01-01T00:00:00Z"), [late])
      assert.deepStrictEqual(yield* found("created_after=1970-01-01T00:59:59.999%2B01:00"), [late, early])
      assert.deepStrictEqual(yield* found("created_before=1970-01-01T00:00:01.000Z"), [early])
      assert.deepStrictEqual(yield* found("created_before=1970-01-01"), [])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("of agents have pages too", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const agents = yield* Agents.Agents
      yield* TestClock.adjust("1 second")
      const added = yield* agents.put(accountId, { name: "Bob", script: "Hi", questions: [], dispositions: ["done"] })
      const first = yield* Fixture.send("/v1/agents?limit=1")
      const second = yield* Fixture.send(`/v1/agents?limit=1&cursor=${first.body["next_cursor"]}`)
      assert.deepStrictEqual([ids(first), ids(second), second.body["has_more"]], [[added.id], [agentId], false])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("refuse a cursor that is not theirs", () =>
    Effect.gen(function*() {
      for (const cursor of ["", "nope", "WzEsMl0", "WzIsMSwiYSJd", btoa("[1,1e300,\"a\"]")]) {
        const { code, errors, status } = Fixture.errorOf(yield* Fixture.send(`/v1/calls?cursor=${cursor}`))
        assert.deepStrictEqual([status, code, errors[0].param], [400, "invalid_request", "/cursor"], cursor)
      }
    }).pipe(Effect.provide(Fixture.layer())))
})
