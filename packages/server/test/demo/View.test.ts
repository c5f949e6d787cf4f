import { assert, describe, it } from "@effect/vitest"
import { type Call, Ids, PhoneNumber } from "@outdial/core"
import { DateTime, Option } from "effect"
import * as Campaign from "../../src/demo/Campaign.ts"
import type { Progress } from "../../src/demo/Progress.ts"
import * as View from "../../src/demo/View.ts"

const [london, newYork] = Campaign.cities as [Campaign.City, Campaign.City]

const ring = (callId: string, phoneNumber: string, at: string) => ({
  at: DateTime.makeUnsafe(at),
  callId: Ids.CallId.make(callId),
  phoneNumber: PhoneNumber.PhoneNumber.make(phoneNumber)
})

const progress: Progress = {
  at: Campaign.start,
  batches: [
    { city: london, total: 2, ended: 2, live: 0, waiting: Option.none() },
    {
      city: newYork,
      total: 2,
      ended: 0,
      live: 1,
      waiting: Option.some({ code: "outside_calling_hours", until: DateTime.makeUnsafe("2026-09-15T13:00:00Z") })
    }
  ],
  linesInUse: 1,
  ends: new Map<Call.CallStatus, number>([["completed", 1], ["busy", 1], ["failed", 0]]),
  events: { received: 4, repeated: 0, refused: 0 },
  rings: [
    ring("call_1", "+442079460001", "2026-09-15T12:40:00Z"),
    ring("call_2", "+12125550102", "2026-09-15T13:00:00Z")
  ]
}

describe("the demo's view", () => {
  it("shows each city by its own clocks, with what it waits for", () => {
    assert.deepStrictEqual(View.picture(progress), [
      "London     13:40  ████████████████████████    2/2  done",
      "New York   08:40  ░░░░░░░░░░░░░░░░░░░░░░░░    0/2  1 on the phone, waits for 09:00 there",
      "",
      "lines     █░░░░░░░░░░░░░░░░░░░░░░░  1 of 20 in use",
      "outcomes  1 completed · 1 busy",
      "events    4 received, each signature verified"
    ])
  })

  it("is one line where there is no terminal", () => {
    assert.strictEqual(View.line(progress), "London 13:40 2/2 | New York 08:40 0/2 | lines 1/20 | events 4")
  })

  it("finds nothing wrong with a campaign that went well", () => {
    assert.deepStrictEqual(View.faults(progress), [])
  })

  const wrong: Readonly<Record<string, Partial<Progress>>> = {
    "rang twice": { rings: [...progress.rings, ring("call_1", "+442079460001", "2026-09-15T12:50:00Z")] },
    "outside calling hours": { rings: [ring("call_2", "+12125550102", "2026-09-15T12:59:59Z")] },
    "did not verify": { events: { received: 4, repeated: 0, refused: 1 } },
    "3 of 4 calls were reported": { events: { received: 3, repeated: 1, refused: 0 } }
  }
  for (const [fault, change] of Object.entries(wrong)) {
    it(`finds what went wrong: ${fault}`, () => {
      const [found = "", ...others] = View.faults({ ...progress, ...change })
      assert.include(found, fault)
      assert.isEmpty(others)
      assert.include(View.summary({ ...progress, ...change }, 60).join("\n"), `✗ ${found}`)
    })
  }
})
