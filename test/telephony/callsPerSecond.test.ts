import { assert, it } from "@effect/vitest"
import { Call, Calls, Engine, Ids, Storage, Telephony } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { TestEngine } from "@outdial/testkit"
import { Duration, Effect, Fiber, Layer, Schedule, Schema } from "effect"
import * as Postgres from "../support/postgres.ts"

/** So many that they are taken one by one. */
const callsPerSecond = 15

/** The storage, with all slots that are taken and returned. */
const watched = Effect.gen(function*() {
  const storage = yield* Storage.Storage
  const slots: Array<{ readonly at: number; readonly count: number }> = []
  const { returnSlots, takeSlots } = storage.carriers
  return {
    slots,
    layer: Layer.succeed(Storage.Storage, {
      ...storage,
      carriers: {
        ...storage.carriers,
        takeSlots: (options) =>
          Effect.tap(
            takeSlots(options),
            ({ taken }) => Effect.sync(() => slots.push({ at: options.now.epochMilliseconds, count: taken }))
          ),
        returnSlots: (options) =>
          Effect.tap(
            returnSlots(options),
            () => Effect.sync(() => slots.push({ at: options.takenAt.epochMilliseconds, count: -options.unused }))
          )
      }
    })
  }
})

it.layer(Layer.provideMerge(SqlStorage.layer, Postgres.layer), { excludeTestServices: true, timeout: "180 seconds" })(
  "Nodes on one Postgres",
  (it) => {
    it.effect("dial no more calls in any second than the carrier takes, and each call once", () =>
      Effect.gen(function*() {
        const { layer, slots } = yield* watched
        const dialed: Array<string> = []
        const telephony = Layer.succeed(Telephony.Telephony, {
          name: Ids.CarrierName.make("limited"),
          callsPerSecond,
          dial: ({ callId, phoneNumber }) =>
            Effect.sync(() => {
              dialed.push(phoneNumber)
              return Ids.CarrierCallId.make(callId)
            }),
          lookUp: () => Effect.succeed({ _tag: "Live" as const }),
          hangUp: () => Effect.void,
          notFoundLag: Duration.seconds(5)
        })
        const node = TestEngine.layer({ lines: 200, storage: layer, telephony })
        const run = Effect.flatMap(Engine.Engine, (engine) => engine.run)
        yield* Effect.gen(function*() {
          const { accountId, agentId } = yield* TestEngine.Tenant
          const calls = yield* Calls.Calls
          const nodes = yield* Effect.forEach(
            Array.from({ length: 3 }),
            () => Effect.forkChild(Effect.provide(run, node, { local: true }))
          )
          const numbers = Array.from({ length: 50 }, (_, index) => `+1415555${1000 + index}`)
          for (const phoneNumber of numbers) {
            const request = { agentId, phoneNumber, variables: { topic: "your visit" } }
            yield* calls.start(accountId, yield* Schema.decodeUnknownEffect(Call.StartCall)(request), {})
          }
          yield* Effect.repeat(Effect.void, {
            schedule: Schedule.spaced("50 millis"),
            until: () => dialed.length >= numbers.length
          }).pipe(Effect.timeout("110 seconds"))
          yield* Fiber.interruptAll(nodes)
          assert.sameMembers(dialed, numbers)
        }).pipe(Effect.provide(node))
        const inSecondFrom = (start: number) =>
          slots.filter(({ at }) => at >= start && at < start + 1000).reduce((sum, { count }) => sum + count, 0)
        assert.isAtMost(Math.max(...slots.map(({ at }) => inSecondFrom(at))), callsPerSecond)
        assert.isAtLeast(slots.reduce((sum, { count }) => sum + count, 0), 50)
      }))
  }
)
