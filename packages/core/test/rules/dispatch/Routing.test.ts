import { assert, describe, it } from "@effect/vitest"
import { CallRoute, Ids, PhoneNumber, Routing } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Arbitrary, Schema } from "effect"

const [a, b, c] = ["a", "b", "c"].map((name) => Ids.CarrierName.make(name)) as [
  Ids.CarrierName,
  Ids.CarrierName,
  Ids.CarrierName
]
const accounts = [Factories.accountId(), Factories.accountId()] as const
const agents = [Factories.agentId(), Factories.agentId()] as const
const callerIds = ["+14155550199", "+4930123456"].map((number) => PhoneNumber.PhoneNumber.make(number)) as [
  PhoneNumber.PhoneNumber,
  PhoneNumber.PhoneNumber
]

const call = { accountId: accounts[0], agentId: agents[0], callerId: callerIds[0], country: "DE" }

describe("the carriers of a call", () => {
  for (
    const [name, routes, expected] of [
      ["is the first one without routes", [], [a]],
      ["is that of the first route that matches", [{ carrier: c, countries: ["FR", "DE"] }, { carrier: b }], [c]],
      ["is that of a later route when the first does not match", [{ carrier: c, countries: ["FR"] }, { carrier: b }], [
        b
      ]],
      ["is the first one when no route matches", [{ carrier: c, accounts: [accounts[1]] }], [a]],
      ["is chosen by account", [{ carrier: b, accounts: [accounts[0]] }], [b]],
      ["is chosen by agent", [{ carrier: b, agents: [agents[1]] }, { carrier: c, agents: [agents[0]] }], [c]],
      ["is chosen by caller id", [{ carrier: b, callerIds: [callerIds[1]] }, { carrier: c, callerIds }], [c]],
      ["needs every condition of a route", [{ carrier: b, countries: ["DE"], agents: [agents[1]] }], [a]],
      ["is followed by those of its route alone", [{ carrier: b, failover: [c] }, { carrier: a }], [b, c]],
      ["is named once", [{ carrier: b, failover: [c, b, c] }], [b, c]]
    ] satisfies ReadonlyArray<[string, ReadonlyArray<CallRoute.CallRoute>, ReadonlyArray<Ids.CarrierName>]>
  ) {
    it(name, () => assert.deepStrictEqual(Routing.carriersOf({ routes, otherwise: a }, call), expected))
  }

  it("does not match a country or a caller id that is not known", () => {
    const routes: ReadonlyArray<CallRoute.CallRoute> = [{ carrier: b, countries: ["DE"] }, { carrier: c, callerIds }]
    const { callerId: _, country: __, ...bare } = call
    assert.deepStrictEqual(Routing.carriersOf({ routes, otherwise: a }, bare), [a])
  })

  for (
    const [name, routes, always, possible] of [
      ["are the first one without routes", [], a, [a]],
      ["depend on the country, unless all go over one", [{ carrier: b, countries: ["DE"], failover: [c] }], undefined, [
        b,
        c,
        a
      ]],
      [
        "are those of the first route for all countries, and of routes before it",
        [
          { carrier: c, agents: [agents[1]] },
          { carrier: b, countries: ["DE"] },
          { carrier: b, callerIds },
          { carrier: c }
        ],
        b,
        [b]
      ],
      ["with failover have others, too", [{ carrier: b, failover: [a] }], b, [b, a]]
    ] satisfies ReadonlyArray<
      [string, ReadonlyArray<CallRoute.CallRoute>, Ids.CarrierName | undefined, ReadonlyArray<Ids.CarrierName>]
    >
  ) {
    it(`of an agent ${name}`, () => {
      const { country: _, ...agent } = call
      assert.deepStrictEqual(Routing.carriersOfAgent({ routes, otherwise: a }, agent), {
        always,
        possible: new Set(possible)
      })
    })
  }

  const Choice = Schema.optionalKey(Schema.Literals([0, 1, "both"]))
  const Route = Schema.Struct({
    carrier: Schema.Literals([a, b, c]),
    accounts: Choice,
    agents: Choice,
    callerIds: Choice,
    countries: Choice
  })
  const Call = Schema.Struct({
    accountId: Schema.Literals(accounts),
    agentId: Schema.Literals(agents),
    callerId: Schema.optionalKey(Schema.Literals(callerIds)),
    country: Schema.optionalKey(Schema.Literals(["DE", "FR", "JP"]))
  })
  const chosen = <A>([first, second]: readonly [A, A], choice: typeof Choice.Type): readonly [A, ...Array<A>] =>
    choice === "both" ? [first, second] : [choice === 0 ? first : second]
  const routeOf = (drawn: typeof Route.Type): CallRoute.CallRoute => ({
    carrier: drawn.carrier,
    ...(drawn.accounts !== undefined && { accounts: chosen(accounts, drawn.accounts) }),
    ...(drawn.agents !== undefined && { agents: chosen(agents, drawn.agents) }),
    ...(drawn.callerIds !== undefined && { callerIds: chosen(callerIds, drawn.callerIds) }),
    ...(drawn.countries !== undefined && { countries: chosen(["DE", "FR"], drawn.countries) })
  })
  const none = Ids.CarrierName.make("none")
  const by = (call: typeof Call.Type, ...routes: ReadonlyArray<CallRoute.CallRoute>) =>
    Routing.carriersOf({ routes, otherwise: none }, call)[0]

  it.prop(
    "are those of the first route that matches alone, whatever routes come after it",
    [Arbitrary.schema(Schema.Array(Route)), Arbitrary.schema(Call)],
    ([drawn, call]) => {
      const routes = drawn.map(routeOf)
      const alone = routes.map((route) => by(call, route)).find((carrier) => carrier !== none)
      assert.strictEqual(by(call, ...routes), alone ?? none)
    }
  )

  it.prop(
    "match a route that has fewer conditions, or conditions with more values",
    [
      Arbitrary.schema(Route),
      Arbitrary.schema(Call),
      Schema.Literals(["accounts", "agents", "callerIds", "countries"])
    ],
    ([drawn, call, condition]) => {
      if (by(call, routeOf(drawn)) === none) return
      const { [condition]: choice, ...fewer } = drawn
      assert.strictEqual(by(call, routeOf(fewer)), drawn.carrier)
      if (choice !== undefined) {
        assert.strictEqual(by(call, routeOf({ ...drawn, [condition]: "both" })), drawn.carrier)
      }
    }
  )
})
