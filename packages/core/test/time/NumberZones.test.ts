import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import { compacted, fromSource, packed } from "../../../../scripts/number-zones-table.ts"
import * as NumberPrefixes from "../../src/time/zones/NumberPrefixes.ts"
import { corrections } from "../../src/time/zones/NumberZoneCorrections.ts"
import { table } from "../../src/time/zones/NumberZones.ts"
import * as ZoneClock from "../../src/time/zones/ZoneClock.ts"

const entries = NumberPrefixes.unpack(table.trim())
const corrected = corrections.flatMap(({ starts, zones }) => starts.map((start) => [start, zones] as const))

describe("NumberZones", () => {
  it("is what compaction makes of it, in order", () => {
    const zones = new Map(entries.map(([start, own]) => [start.slice(1), own]))
    assert.strictEqual(packed(compacted(zones)), table.trim())
  })

  it("has every start once, and stays small", () => {
    const starts = entries.map(([start]) => start)
    assert.lengthOf(new Set(starts), starts.length)
    assert.isAbove(starts.length, 3000)
    assert.isBelow(table.length, 60_000)
    const correctedStarts = corrected.map(([start]) => start)
    assert.lengthOf(new Set(correctedStarts), correctedStarts.length)
  })

  it("names only zones that there are, sorted, under the names that they have now", () => {
    const legacy =
      /^(Asia\/(Calcutta|Katmandu|Rangoon|Choibalsan)|America\/(Buenos_Aires|Godthab)|Pacific\/(Truk|Ponape|Enderbury))$/
    for (const [start, zones] of [...entries, ...corrected]) {
      assert.match(start, /^\+[1-9]\d{0,9}$/)
      assert.deepStrictEqual(zones, [...new Set(zones)].sort(), start)
      for (const zone of zones) {
        assert.isDefined(ZoneClock.make(zone), zone)
        assert.notMatch(zone, legacy)
      }
    }
  })

  it("gives no number more zones than a country has", () => {
    for (const [start, zones] of [...entries, ...corrected]) assert.isAtMost(zones.length, 16, start)
  })

  it("is made by bringing names up to date, widening area codes and leaving out what a shorter start answers", () => {
    const source = new Map([
      ["1", ["America/Chicago", "Pacific/Honolulu"]],
      ["1219", ["America/New_York"]],
      ["121988", ["America/Chicago"]],
      ["121989", ["America/New_York", "America/Chicago"]],
      ["1212", ["America/New_York"]],
      ["12125", ["America/New_York"]],
      ["91", ["Asia/Calcutta"]],
      ["213", ["Europe/Paris"]],
      ["33", ["Europe/Paris"]]
    ])
    assert.strictEqual(
      packed(fromSource(source)),
      [
        "Africa/Algiers 213",
        "America/Chicago 121988",
        "America/Chicago&America/New_York 1219",
        "America/New_York 1212",
        "Asia/Kolkata 91",
        "Europe/Paris 33"
      ].join("\n")
    )
  })
})
