import { assert, it } from "@effect/vitest"
import { Engine } from "@outdial/core"
import { GatedTransport } from "@outdial/node"
import { SqlStorage } from "@outdial/sql"
import { TestEngine } from "@outdial/testkit"
import { Duration, Effect, Layer } from "effect"
import { describe } from "vitest"
import * as Postgres from "../support/postgres.ts"
import * as WebhookAccounts from "../support/WebhookAccounts.ts"
import * as WebhookFarm from "../support/WebhookFarm.ts"

describe("10,000 events of one account, over real HTTP and out of Postgres", () => {
  it.live(
    "delay the single ones of 49 others by less than a quarter of the flood takes, and all arrive once",
    () =>
      Effect.gen(function*() {
        const storage = yield* Layer.build(Layer.provide(SqlStorage.layer, Postgres.layer))
        const farm = yield* WebhookFarm.make
        yield* Effect.gen(function*() {
          const engine = yield* Engine.Engine
          const flooded = yield* WebhookAccounts.make(farm.url("/flooded"))
          const flood = (yield* Effect.forEach(Array.from({ length: 10 }), () => flooded.events(1000))).flat()
          const others = yield* Effect.forEach(
            Array.from({ length: 49 }),
            (_, n) => WebhookAccounts.make(farm.url(`/${n}`))
          )
          yield* Effect.forkScoped(engine.run)
          yield* farm.until((taken) => taken.length > 200)
          const [delay, singles] = yield* Effect.timed(
            Effect.tap(
              Effect.map(Effect.forEach(others, ({ events }) => events(1), { concurrency: 8 }), (all) => all.flat()),
              () => farm.until((taken) => taken.filter(({ path }) => path !== "/flooded").length >= 49)
            )
          )
          const before = (yield* farm.taken).length - 49
          assert.isBelow(before, flood.length / 4)
          const [took] = yield* Effect.timed(farm.until((taken) => taken.length >= flood.length + singles.length))
          assert.deepStrictEqual(yield* farm.count([...flood, ...singles]), { lost: 0, duplicated: 0 })
          yield* Effect.logInfo(
            `49 single events in ${Math.round(Duration.toMillis(delay))} ms beside ${before} of the flood; ` +
              `${Math.round((flood.length - before) / Duration.toSeconds(took))} deliveries a second of one endpoint`
          )
        }).pipe(Effect.provide(TestEngine.layer({
          storage: Layer.succeedContext(storage),
          transport: GatedTransport.layer({ loopback: true })
        })))
      }),
    180_000
  )
})
