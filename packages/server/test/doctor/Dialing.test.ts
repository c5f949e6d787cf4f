import { assert, it } from "@effect/vitest"
import { MemoryStorage, PhoneNumber, Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import * as Dialing from "../../src/doctor/Dialing.ts"

it.effect("Dialing has the numbers that agents call from, each once, and the lines of all accounts", () =>
  Effect.gen(function*() {
    const accounts = yield* Storage.AccountStore
    const agents = yield* Storage.AgentStore
    const [first, second] = ["+14155550100", "+14155550199"].map((number) => PhoneNumber.PhoneNumber.make(number))
    for (const lines of [3, 4]) {
      const { account: { epoch: _, planVersion: __, ...account } } = Factories.startFacts()
      const { id: accountId } = yield* accounts.put({ ...account, lines })
      for (const callerId of [first, second, undefined]) {
        const agent = Factories.agentDefinition(callerId === undefined ? {} : { callerId })
        yield* agents.put({ accountId, agent, now: Factories.start })
      }
    }
    const { callerIds, lines } = yield* Dialing.read
    assert.sameMembers([...callerIds], [first, second])
    assert.strictEqual(lines, 7)
  }).pipe(Effect.provide(Storage.layerStores.pipe(Layer.provide(MemoryStorage.layer)))))
