import { assert, it } from "@effect/vitest"
import { DailyLimit } from "@outdial/core"
import { DateTime } from "effect"
import { describe } from "vitest"
import { offset } from "../../support/RuntimeZones.ts"

const instant = (text: string) => DateTime.makeUnsafe(text)
const written = (at: DateTime.Utc | undefined) => at === undefined ? "never" : DateTime.formatIso(at)

const full = (zone: string): DailyLimit.DailyLimit => ({ limit: 5, placedToday: 5, zone, offset })

/** What it is, the zone, an instant, the start of its day and of the next. */
const days: ReadonlyArray<readonly [string, string, string, string, string]> = [
  ["in UTC, at midnight", "UTC", "2026-06-10T00:00:00Z", "2026-06-10T00:00:00.000Z", "2026-06-11T00:00:00.000Z"],
  [
    "in UTC, 1 ms before midnight",
    "UTC",
    "2026-06-10T23:59:59.999Z",
    "2026-06-10T00:00:00.000Z",
    "2026-06-11T00:00:00.000Z"
  ],
  ["leap day", "UTC", "2028-02-29T12:00:00Z", "2028-02-29T00:00:00.000Z", "2028-03-01T00:00:00.000Z"],
  ["of 23 hours", "America/New_York", "2026-03-08T15:00:00Z", "2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z"],
  ["of 25 hours", "America/New_York", "2026-11-01T15:00:00Z", "2026-11-01T04:00:00.000Z", "2026-11-02T05:00:00.000Z"],
  [
    "that begins at 01:00",
    "Asia/Beirut",
    "2026-03-29T12:00:00Z",
    "2026-03-28T22:00:00.000Z",
    "2026-03-29T21:00:00.000Z"
  ],
  [
    "with midnight twice, between the two",
    "America/Havana",
    "2025-11-02T04:30:00Z",
    "2025-11-02T04:00:00.000Z",
    "2025-11-03T05:00:00.000Z"
  ],
  [
    "with midnight twice, after the second",
    "America/Havana",
    "2025-11-02T05:30:00Z",
    "2025-11-02T04:00:00.000Z",
    "2025-11-03T05:00:00.000Z"
  ],
  [
    "whose last hour comes twice, in the second",
    "America/Santiago",
    "2026-04-05T03:30:00Z",
    "2026-04-04T03:00:00.000Z",
    "2026-04-05T04:00:00.000Z"
  ],
  [
    "that came back for an hour, in it",
    "America/St_Johns",
    "2010-11-07T02:45:00Z",
    "2010-11-06T02:30:00.000Z",
    "2010-11-07T03:30:00.000Z"
  ],
  [
    "that went away for an hour, after it",
    "America/St_Johns",
    "2010-11-07T12:00:00Z",
    "2010-11-07T02:30:00.000Z",
    "2010-11-08T03:30:00.000Z"
  ],
  [
    "before a date that never was",
    "Pacific/Apia",
    "2011-12-29T22:00:00Z",
    "2011-12-29T10:00:00.000Z",
    "2011-12-30T10:00:00.000Z"
  ]
]

describe("DailyLimit", () => {
  for (const [what, zone, now, start, next] of days) {
    it(`knows the day ${what}`, () => {
      const at = instant(now)
      assert.deepStrictEqual(
        [DailyLimit.dayStart(zone, at, offset), DailyLimit.nextAllowed(full(zone), at, at)].map(written),
        [start, next]
      )
    })
  }

  const now = instant("2026-06-10T12:00:00Z")
  const later = instant("2026-06-12T15:00:00Z")

  it("allows the last call there is room for, and none beyond it", () => {
    assert.strictEqual(DailyLimit.nextAllowed({ ...full("UTC"), placedToday: 4 }, now, now), now)
    const over = DailyLimit.nextAllowed({ ...full("UTC"), placedToday: 6 }, now, now)
    assert.strictEqual(written(over), "2026-06-11T00:00:00.000Z")
  })

  it("treats later days as empty", () => {
    assert.strictEqual(DailyLimit.nextAllowed(full("UTC"), now, later), later)
  })

  it("allows any number without a limit, wherever the account is", () => {
    assert.strictEqual(DailyLimit.nextAllowed({ ...full("Mars/Olympus"), limit: null }, now, now), now)
  })

  it("allows none ever with a limit of 0", () => {
    assert.isUndefined(DailyLimit.nextAllowed({ ...full("UTC"), limit: 0, placedToday: 0 }, now, later))
  })

  it("allows none, and knows no day, in a zone that is not known", () => {
    assert.isUndefined(DailyLimit.nextAllowed({ ...full("Mars/Olympus"), placedToday: 0 }, now, now))
    assert.isUndefined(DailyLimit.dayStart("Mars/Olympus", now, offset))
  })
})
