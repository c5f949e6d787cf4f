import { assert, it } from "@effect/vitest"
import { Events, Ids } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { describe } from "vitest"
import * as Steps from "../support/EventSteps.ts"

describe("events", () => {
  it.effect("are kept for 30 days with their deliveries, and are then reported as expired", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const events = yield* Events.Events
      yield* Steps.setWebhook()
      const id = yield* Steps.event
      yield* TestEngine.advance("29 days")
      assert.strictEqual((yield* events.get(accountId, id)).id, id)
      assert.deepStrictEqual(yield* Steps.states, { delivered: 1 })
      yield* TestEngine.advance("1 day")
      assert.deepStrictEqual(yield* Steps.states, {})
      assert.strictEqual((yield* Effect.flip(events.get(accountId, id))).code, "event_expired")
      assert.strictEqual((yield* Effect.flip(events.redeliver(accountId, id))).code, "event_expired")
      const unknown = Ids.terminalEventId(Factories.callId())
      assert.strictEqual((yield* Effect.flip(events.redeliver(accountId, unknown))).code, "not_found")
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("that are held for 30 days are gone too", () =>
    Effect.gen(function*() {
      yield* Steps.setWebhook({ enabled: false })
      yield* Steps.event
      assert.deepStrictEqual(yield* Steps.states, { held: 1 })
      yield* TestEngine.advance("30 days")
      assert.deepStrictEqual(yield* Steps.states, {})
    }).pipe(Effect.provide(TestEngine.layer())))
})
