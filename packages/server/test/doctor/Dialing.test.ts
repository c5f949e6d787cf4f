import { assert, it } from "@effect/vitest"
import { type CallRoute, Ids, MemoryStorage, PhoneNumber, Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import * as Dialing from "../../src/doctor/Dialing.ts"

it.effect("Dialing has the numbers that agents call from over a carrier, each once, and the lines of their accounts", () =>
  Effect.gen(function*() {
    const accounts = yield* Storage.AccountStore
    const agents = yield* Storage.AgentStore
    const [first, second] = ["+14155550100", "+14155550199"].map((number) => PhoneNumber.PhoneNumber.make(number)) as [
      PhoneNumber.PhoneNumber,
      PhoneNumber.PhoneNumber
    ]
    const [one, other] = ["one", "other"].map((name) => Ids.CarrierName.make(name)) as [
      Ids.CarrierName,
      Ids.CarrierName
    ]
    const ids: Array<Ids.AccountId> = []
    for (const lines of [3, 4]) {
      const { account: { epoch: _, planVersion: __, ...account } } = Factories.startFacts()
      const { id: accountId } = yield* accounts.put({ ...account, lines })
      ids.push(accountId)
      for (const callerId of [first, second, undefined]) {
        const agent = Factories.agentDefinition(callerId === undefined ? {} : { callerId })
        yield* agents.put({ accountId, agent, now: Factories.start })
      }
    }
    const dialing = yield* Dialing.read
    const sorted = (
      { always, lines, sometimes }: Dialing.CarrierDialing
    ) => [[...always].sort(), [...sometimes].sort(), lines]
    const by = (...routes: ReadonlyArray<CallRoute.CallRoute>) =>
      [one, other].map((carrier) => sorted(Dialing.over(carrier, { routes, otherwise: one }, dialing)))
    assert.deepStrictEqual(by(), [[[first, second], [], 7], [[], [], 0]])
    // As in the guide: a number that is one carrier's alone, and a country.
    assert.deepStrictEqual(by({ carrier: other, callerIds: [second] }), [[[first], [], 7], [[second], [], 7]])
    assert.deepStrictEqual(
      by({ carrier: other, callerIds: [second] }, { carrier: other, countries: ["DE"], failover: [one] }),
      [[[], [first], 7], [[second], [first], 7]]
    )
    // The number is shown by agents of both accounts.
    const [accountId = assert.fail("There is no account")] = ids
    assert.deepStrictEqual(by({ carrier: other, accounts: [accountId] }), [
      [[first, second], [], 4],
      [[first, second], [], 3]
    ])
  }).pipe(Effect.provide(Storage.layerStores.pipe(Layer.provide(MemoryStorage.layer)))))
