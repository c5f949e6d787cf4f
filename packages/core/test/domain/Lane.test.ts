import { assert, it } from "@effect/vitest"
import { Ids, Lane } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { describe } from "vitest"

const agentId = Factories.agentId()
const name = (text: string) => Ids.CarrierName.make(text)

describe("Lane", () => {
  for (
    const parts of [
      { planVersion: 1, timeZones: [] },
      { planVersion: 12, timeZones: ["America/Chicago", "America/New_York"], agentId },
      { planVersion: 3, planData: "8f3c21ab", timeZones: ["Europe/Paris"], agentId },
      { planVersion: 4, timeZones: [], carriers: ["twilio"].map(name) },
      { planVersion: 5, planData: "0b-c4", timeZones: ["Asia/Tokyo"], agentId, carriers: ["a", "b> c@d"].map(name) }
    ] satisfies ReadonlyArray<Lane.LaneParts>
  ) {
    const lane = Lane.make(parts)

    it(`${lane} tells what it was made of`, () => assert.deepStrictEqual(Lane.parts(lane), parts))

    it(`${lane} was planned by its plan and by no other`, () => {
      assert.isTrue(Lane.isPlannedBy(lane, parts))
      assert.isFalse(Lane.isPlannedBy(lane, { ...parts, planVersion: parts.planVersion * 10 + 1 }))
      assert.isFalse(Lane.isPlannedBy(lane, { ...parts, planData: "8f3c21a" }))
    })

    it(`${lane} is the same lane of another plan`, () => {
      const plan = { planVersion: 7, planData: "0a" }
      assert.deepStrictEqual(Lane.parts(Lane.plannedBy(lane, plan)), { ...parts, ...plan })
    })
  }

  it("has any name begin with its plan", () => {
    assert.strictEqual(Lane.plannedBy(Lane.Lane.make("a host's own"), { planVersion: 2 }), "2|a host's own")
  })

  it("names the carriers of a host's own lane, which the host's rules do not see", () => {
    const own = Lane.plannedBy(Lane.Lane.make("a|host's own"), { planVersion: 2 })
    const routed = Lane.over(own, [name("one"), name("two")])
    assert.deepStrictEqual([Lane.carrierOf(own), Lane.carriersOf(routed)], [undefined, [name("one"), name("two")]])
    assert.deepStrictEqual([Lane.withoutRoute(routed), Lane.withoutRoute(own)], [own, own])
    assert.strictEqual(Lane.over(routed, [name("two")]), Lane.over(own, [name("two")]))
  })

  it("reads no route in a host's own lane, however it begins", () => {
    const plan = { planVersion: 2, planData: "0a" }
    for (const text of [">30 days", ">30|days", "a|>b|c", ">|", ">"]) {
      const own = Lane.ofHost(Lane.Lane.make(text), plan)
      assert.deepStrictEqual([Lane.carriersOf(own), Lane.isFailedOver(own), Lane.fromFirst(own, new Set())], [
        [],
        false,
        own
      ])
      const routed = Lane.over(own, [name("one"), name("two")])
      assert.deepStrictEqual([Lane.carrierOf(routed), Lane.carriersOf(routed).length], [name("one"), 2])
      for (const lane of [own, routed]) {
        assert.strictEqual(Lane.withoutRoute(lane), Lane.plannedBy(Lane.Lane.make(text), plan))
      }
    }
    assert.isEmpty(Lane.carriersOf(Lane.Lane.make("2@0a|>30 days")))
  })

  it("goes over the carriers of its route in their order, past those that are paused, and knows the order from each", () => {
    const [a, b, c] = [name("a"), name("b"), name("c")]
    const lane = Lane.make({ planVersion: 1, timeZones: ["Etc/UTC"], agentId, carriers: [a, b, c] })
    const namesOf = (lane: Lane.Lane | undefined) => lane && Lane.carriersOf(lane).join("")
    const next = (from: Lane.Lane, ...paused: ReadonlyArray<Ids.CarrierName>) => Lane.failedOver(from, new Set(paused))
    assert.deepStrictEqual([next(lane), next(lane, b), next(lane, b, c)].map(namesOf), ["bca", "cab", undefined])
    const second = next(lane) ?? lane
    const third = next(second, a) ?? lane
    assert.deepStrictEqual([next(second), next(second, c), next(third)].map(namesOf), ["cab", undefined, undefined])
    for (const one of [lane, second, third]) {
      assert.deepStrictEqual(Lane.carriersInOrder(one), [a, b, c])
      assert.strictEqual(Lane.withoutRoute(one), Lane.withoutRoute(lane))
      assert.strictEqual(Lane.fromFirst(one, new Set()), lane)
      assert.strictEqual(Lane.fromFirst(one, new Set([a, b, c])), lane)
      assert.strictEqual(Lane.fromFirst(one, new Set([a, b])), third)
    }
    const isAstray = (one: Lane.Lane, ...paused: ReadonlyArray<Ids.CarrierName>) => Lane.isAstray(one, new Set(paused))
    assert.deepStrictEqual(
      [isAstray(lane, a), isAstray(second, b), isAstray(second, a, c)],
      [false, true, false]
    )
    const bare = Lane.make({ planVersion: 1, timeZones: [] })
    assert.deepStrictEqual([next(bare), Lane.fromFirst(bare, new Set([a]))], [undefined, bare])
  })
})
