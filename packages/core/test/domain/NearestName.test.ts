import { assert, describe, it } from "@effect/vitest"
import { nearestName } from "../../src/domain/NearestName.ts"

const fields = ["agentId", "phoneNumber", "contact", "variables", "metadata", "notBefore", "expiresAt", "test"]

describe("nearestName", () => {
  it.each([
    ["not_before", "notBefore"],
    ["NotBefore", "notBefore"],
    ["notbefor", "notBefore"],
    ["Test", "test"],
    ["tset", "test"],
    ["phone", "phoneNumber"],
    ["number", "phoneNumber"],
    ["agent", "agentId"],
    ["agent_id", "agentId"],
    ["meta", "metadata"],
    ["expires", "expiresAt"],
    ["expires_at", "expiresAt"],
    ["priority", undefined],
    ["", undefined],
    ["x".repeat(100_000), undefined]
  ])("takes %s for %s", (name, meant) => {
    assert.strictEqual(nearestName(name, fields), meant)
  })
})
