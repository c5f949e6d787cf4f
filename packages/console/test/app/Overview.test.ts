import { assert, describe, it } from "@effect/vitest"
import { endedToday, rate, standingOf } from "../../app/src/data/Overview.ts"

type Overview = Parameters<typeof standingOf>[0]

const carrier = { name: "simulated", paused: false, paused_by: null, reason: null, since: null }

const idle: Overview = {
  at: "2026-03-02T10:00:00.000Z",
  lines: { used: 0, limit: 20 },
  paused: false,
  all_paused: false,
  calls: { queued: 0, dialing: 0, in_progress: 0 },
  waiting: [],
  waiting_exact: true,
  today: { day: "2026-03-02", time_zone: "UTC", placed: 0, answered: 0, completed: 0, not_connected: {} },
  carriers: [carrier],
  webhook: { configured: false, disabled: false, failing: false, open_deliveries: 0, oldest_due: null },
  workers: 1,
  storage_ready: true
}

const hours = {
  status_code: "outside_calling_hours",
  reason: "",
  calls: 5,
  first_due: "2026-03-03T09:00:00.000Z"
} as const
const gap = { status_code: "recall_gap", reason: "", calls: 9, first_due: "2026-03-03T08:00:00.000Z" } as const
const ready = { status_code: null, reason: "", calls: 1, first_due: null } as const

describe("whether calls go out", () => {
  it("names the most serious obstacle first", () => {
    const live = { ...idle, calls: { queued: 3, dialing: 1, in_progress: 2 } }
    const everything = { ...live, carriers: [{ ...carrier, paused: true }], workers: 0, paused: true, all_paused: true }
    const kinds = [
      { ...everything, storage_ready: false },
      everything,
      { ...everything, all_paused: false },
      { ...everything, all_paused: false, paused: false },
      { ...everything, all_paused: false, paused: false, workers: 1 },
      { ...live, carriers: [carrier, { ...carrier, name: "other", paused: true }] },
      idle
    ].map((overview) => standingOf(overview).kind)
    assert.deepStrictEqual(kinds, ["storage", "all_paused", "paused", "no_worker", "carriers", "calling", "idle"])
  })

  it("names what holds all calls, by what is due first", () => {
    const held = { ...idle, calls: { queued: 14, dialing: 0, in_progress: 0 }, waiting: [gap, hours] }
    assert.deepStrictEqual(standingOf(held), { kind: "held", by: gap, calls: 14 })
  })

  it("expects calls within moments when one is held by nothing lasting", () => {
    const starting = { ...idle, calls: { queued: 15, dialing: 0, in_progress: 0 }, waiting: [hours, ready] }
    assert.deepStrictEqual(standingOf(starting), { kind: "starting" })
  })
})

describe("the completed calls of today", () => {
  it("are a share of those that have ended, and of none while all still ring", () => {
    const today = { ...idle.today, placed: 19, answered: 4 }
    assert.isUndefined(rate(today.completed, endedToday({ today })))
    const ended = { ...today, completed: 3, not_connected: { no_answer: 4, busy: 1, failed: 2 } }
    assert.strictEqual(endedToday({ today: ended }), 10)
  })
})
