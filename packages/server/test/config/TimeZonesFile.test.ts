import { assert, it } from "@effect/vitest"
import { PhoneNumber, TimeZones } from "@outdial/core"
import { ConfigProvider, Effect, FileSystem, Layer } from "effect"
import { describe } from "vitest"
import * as TimeZonesFile from "../../src/config/TimeZonesFile.ts"

/** The service as the environment has it, on a disk with one file. */
const zones = (environment: Record<string, string>, text: string) =>
  Effect.gen(function*() {
    return yield* TimeZones.TimeZones
  }).pipe(Effect.provide(TimeZonesFile.layer.pipe(Layer.provide([
    ConfigProvider.layer(ConfigProvider.fromUnknown(environment)),
    FileSystem.layerNoop({ readFileString: () => Effect.succeed(text) })
  ]))))

const environment = { OUTDIAL_TIME_ZONES: "zones.json" }

/** What the start says of such a file. */
const complaint = (text: string) => Effect.map(Effect.flip(zones(environment, text)), ({ message }) => message)

describe("TimeZonesFile", () => {
  it.effect("has no overrides without the variable, and reports the time zone data of this Node", () =>
    Effect.gen(function*() {
      const { isKnown, tzdata } = yield* zones({}, "not read")
      assert.isTrue(isKnown("America/Winnipeg"))
      assert.strictEqual(tzdata, process.versions["tz"])
    }))

  it.effect("reads numbers and zones, which show in the version", () =>
    Effect.gen(function*() {
      const text = JSON.stringify({
        numbers: { "+1850": ["America/New_York"] },
        zones: { "America/Winnipeg": { use: "-05:00", from: "2026-11-01T07:00:00Z" } }
      })
      const { ofNumber, offset, version } = yield* zones(environment, text)
      assert.deepStrictEqual(ofNumber(PhoneNumber.PhoneNumber.make("+18504127000")), ["America/New_York"])
      assert.strictEqual(offset("America/Winnipeg", 1_800_000_000_000)?.offsetMs, -5 * 3_600_000)
      assert.notStrictEqual(version, (yield* zones({}, "")).version)
    }))

  it.effect("refuses to start with a file that cannot be used, and says where it is wrong", () =>
    Effect.gen(function*() {
      const start = "OUTDIAL_TIME_ZONES names zones.json, which cannot be used. "
      for (const text of ["", "[]", "{\"number\": {}}", "{\"tzdata\": \"2026f\"}"]) {
        assert.include(yield* complaint(text), `${start}It must be JSON with "numbers", "zones" or both`)
      }
      assert.strictEqual(
        yield* complaint("{\"zones\": {\"America/Winnipeg\": {\"use\": \"America/Winnipeg\"}}}"),
        `${start}zones > America/Winnipeg > use is the zone itself: name another one, or a distance from UTC such as -05:00`
      )
    }))
})
