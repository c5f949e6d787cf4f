import { assert, it } from "@effect/vitest"
import { EventBodies, Ids, Storage } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { DateTime, Duration, Effect, Option } from "effect"
import { describe } from "vitest"
import * as Steps from "../support/EventSteps.ts"
import * as Instant from "../support/Instant.ts"
import * as Receiver from "../support/Receiver.ts"

/** An account whose endpoint has a name of its own, with so many events due; answers their ids. */
const account = Effect.fnUntraced(function*(name: string, count: number) {
  const storage = yield* Storage.Storage
  const now = yield* DateTime.now
  const accountId = Factories.accountId()
  yield* storage.accounts.put({
    id: accountId,
    name,
    lines: 0,
    paused: false,
    policy: Factories.openPolicy,
    createdAt: now
  })
  const agent = yield* storage.agents.put({ accountId, agent: Factories.agentDefinition(), now })
  yield* Steps.setWebhookOf(accountId, { url: `https://${name}.example.com/` })
  return yield* Effect.forEach(Array.from({ length: count }), () => {
    const id = Factories.callId()
    return Effect.as(
      storage.calls.start({
        accountId,
        agentId: agent.id,
        phoneNumber: Factories.phoneNumber(),
        now,
        rules: Factories.rules,
        idempotency: Option.none(),
        plan: Factories.accepting({
          id,
          test: true,
          createdAt: now,
          status: "completed",
          endedAt: now,
          outcome: Factories.outcome,
          outcomeState: "stored"
        }),
        events: EventBodies.eventWriter(now)
      }),
      Ids.terminalEventId(id)
    )
  })
})

const isOf = (name: string) => ({ url }: Receiver.Receipt) => url.startsWith(`https://${name}.`)

describe("endpoints of many accounts", () => {
  it.effect(
    "go on at full speed while one of 50 never answers",
    () =>
      Effect.flatMap(Receiver.make, (receiver) =>
        Effect.gen(function*() {
          yield* receiver.behave((request) =>
            request.url.startsWith("https://hanging.") ? Effect.never : Receiver.answering(200)(request)
          )
          yield* account("hanging", 100)
          const others = yield* Effect.forEach(Array.from({ length: 49 }), (_, n) => account(`quick-${n}`, 20))
          yield* Steps.run(Duration.seconds(1), Duration.millis(100))
          assert.deepStrictEqual(yield* receiver.count(others.flat()), { lost: 0, duplicated: 0 })
          assert.strictEqual((yield* receiver.attempts).filter(isOf("hanging")).length, 4)
          // Work in flight finishes.
          yield* receiver.behave(Receiver.answering(200))
          yield* Steps.run(Duration.seconds(20), Duration.seconds(1))
        }).pipe(Effect.provide(TestEngine.layer({ ...Instant.options, transport: receiver.layer })))),
    120_000
  )

  it.effect(
    "with single events wait for no endpoint with thousands, however old those are",
    () =>
      Effect.flatMap(Receiver.make, (receiver) =>
        Effect.gen(function*() {
          yield* receiver.behave(Receiver.answering(200, { after: Duration.millis(50) }))
          // More flooded endpoints than one round serves.
          const floods = yield* Effect.forEach(Array.from({ length: 70 }), (_, n) => account(`flood-${n}`, 30))
          const singles = yield* Effect.forEach(Array.from({ length: 49 }), (_, n) => account(`single-${n}`, 1))
          yield* Steps.run(Duration.millis(200), Duration.millis(10))
          assert.deepStrictEqual(yield* receiver.count(singles.flat()), { lost: 0, duplicated: 0 })
          yield* Steps.run(Duration.seconds(3), Duration.millis(50))
          assert.deepStrictEqual(yield* receiver.count(floods.flat()), { lost: 0, duplicated: 0 })
        }).pipe(Effect.provide(TestEngine.layer({ ...Instant.options, transport: receiver.layer })))),
    120_000
  )
})
