import { assert, it } from "@effect/vitest"
import { Lane } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { describe } from "vitest"

const agentId = Factories.agentId()

describe("Lane", () => {
  for (
    const parts of [
      { planVersion: 1, timeZones: [] },
      { planVersion: 12, timeZones: ["America/Chicago", "America/New_York"], agentId },
      { planVersion: 3, timeZoneData: "8f3c21ab", timeZones: ["Europe/Paris"], agentId }
    ] satisfies ReadonlyArray<Lane.LaneParts>
  ) {
    const lane = Lane.make(parts)

    it(`${lane} tells what it was made of`, () => assert.deepStrictEqual(Lane.parts(lane), parts))

    it(`${lane} was planned by its plan and by no other`, () => {
      assert.isTrue(Lane.isPlannedBy(lane, parts))
      assert.isFalse(Lane.isPlannedBy(lane, { ...parts, planVersion: parts.planVersion * 10 + 1 }))
      assert.isFalse(Lane.isPlannedBy(lane, { ...parts, timeZoneData: "8f3c21a" }))
    })

    it(`${lane} is the same lane of another plan`, () => {
      const plan = { planVersion: 7, timeZoneData: "0a" }
      assert.deepStrictEqual(Lane.parts(Lane.plannedBy(lane, plan)), { ...parts, ...plan })
    })
  }

  it("has any name begin with its plan", () => {
    assert.strictEqual(Lane.plannedBy(Lane.Lane.make("a host's own"), { planVersion: 2 }), "2|a host's own")
  })
})
