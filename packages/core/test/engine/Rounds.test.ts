import { assert, it } from "@effect/vitest"
import { Ids, MemoryStorage, Storage } from "@outdial/core"
import { Effect } from "effect"
import { inTurn } from "../../src/engine/Rounds.ts"

const accounts = ["acct_1", "acct_2", "acct_3", "acct_4", "acct_5"].map((id) => Ids.AccountId.make(id))

it.effect("serves every account that has something due in turn, however long others have had", () =>
  Effect.gen(function*() {
    const storage = yield* Storage.Storage
    const alwaysDue = Storage.Storage.of({
      ...storage,
      accountsDue: ({ after = "", limit }) =>
        Effect.succeed(
          [...accounts.filter((id) => id > after), ...accounts.filter((id) => id <= after)].slice(0, limit)
        )
    })
    const served: Array<Ids.AccountId> = []
    const round = yield* inTurn(alwaysDue, { kind: "dial", limit: 2 }, (id) => Effect.sync(() => served.push(id)))
    yield* Effect.repeat(round, { times: 2 })
    assert.deepStrictEqual([...new Set(served)], accounts)
  }).pipe(Effect.provide(MemoryStorage.layer)))
