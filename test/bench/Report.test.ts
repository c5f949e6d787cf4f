import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import type { Measurement } from "./Measurement.ts"
import * as Report from "./Report.ts"

const alone: Measurement = {
  name: "lifecycles",
  unit: "calls/s",
  value: 3000,
  peer: null,
  peer_value: null,
  ratio: null,
  runs: 3,
  spread: [2900, 3100],
  peer_spread: null,
  better: "more",
  goals: []
}

describe("the report of a benchmark", () => {
  it("is a line for each figure and peer, with these fields in this order", () => {
    const beside: Measurement = { ...alone, peer: "pgbench", peer_value: 6000, ratio: 0.5, peer_spread: [5900, 6100] }
    assert.strictEqual(
      Report.json([alone, beside]),
      `{"name":"lifecycles","unit":"calls/s","value":3000,"peer":null,"peer_value":null,"ratio":null,"runs":3}\n` +
        `{"name":"lifecycles","unit":"calls/s","value":3000,"peer":"pgbench","peer_value":6000,"ratio":0.5,"runs":3}`
    )
  })

  it("shows the spread and the goals in the table", () => {
    const goals = [{ text: "≥ 8,000", reached: false }]
    assert.include(Report.text([{ ...alone, goals }]), "3,000 (2,900–3,100)")
    assert.include(Report.text([{ ...alone, goals }]), "≥ 8,000: not reached")
  })
})
