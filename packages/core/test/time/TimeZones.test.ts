import { assert, it } from "@effect/vitest"
import { PhoneNumber, TimeZones } from "@outdial/core"
import { DateTime, Effect, Schema } from "effect"
import { describe } from "vitest"
import { cases } from "./NumberZoneCases.ts"

type Options = typeof TimeZones.TimeZoneOptions.Encoded

/** Runs the effect with these options. */
const asking = <A>(options: Options, ask: (zones: TimeZones.TimeZones["Service"]) => A) =>
  TimeZones.TimeZones.useSync(ask).pipe(Effect.provide(TimeZones.TimeZones.layerWith(options)))

const zonesOf = (number: string, options: Options = {}) =>
  asking(options, ({ ofNumber }) => ofNumber(PhoneNumber.PhoneNumber.make(number)))

/** The problems that the options are refused with. */
const problemsOf = (options: Options) =>
  Effect.map(Effect.flip(asking(options, () => undefined)), ({ problems }) => problems)

const hour = 3_600_000
const instant = (iso: string) => DateTime.toEpochMillis(DateTime.makeUnsafe(iso))
const iso = (at: number) => DateTime.formatIso(DateTime.makeUnsafe(at))

describe("TimeZones: names", () => {
  it.effect("have one spelling, the one of today", () =>
    asking({}, ({ canonical }) => {
      const names = ["america/NEW_york", "Asia/Calcutta", "asia/kathmandu", "US/Eastern", "Mars/Olympus"].map(canonical)
      assert.deepStrictEqual(names.slice(0, 1), ["America/New_York"])
      assert.strictEqual(names[2], "Asia/Kathmandu")
      assert.strictEqual(names[3], "America/New_York")
      assert.isUndefined(names[4])
    }))
})

describe("TimeZones: numbers", () => {
  for (const { number, place, zones } of cases) {
    it.effect(`knows ${zones.length === 0 ? "no zone" : "every zone"} of ${number} (${place})`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* zonesOf(number), zones)
      }))
  }

  it.effect("prefers the deployment's prefixes to its own, the longest first", () =>
    Effect.gen(function*() {
      const numbers = {
        "+1850": ["America/New_York", "America/Chicago", "America/New_York"],
        "+1850412": ["America/New_York"],
        "+61": []
      }
      assert.deepStrictEqual(yield* zonesOf("+18504320100", { numbers }), ["America/Chicago", "America/New_York"])
      assert.deepStrictEqual(yield* zonesOf("+18504127000", { numbers }), ["America/New_York"])
      assert.deepStrictEqual(yield* zonesOf("+61291234567", { numbers }), [])
      assert.deepStrictEqual(yield* zonesOf("+12125550100", { numbers }), ["America/New_York"])
    }))
})

/** When a zone's clocks change, and to what, in minutes from UTC. */
const changes: ReadonlyArray<readonly [zone: string, why: string, at: string, before: number, after: number]> = [
  ["America/New_York", "spring", "2026-03-08T07:00:00Z", -300, -240],
  ["America/New_York", "autumn", "2026-11-01T06:00:00Z", -240, -300],
  ["Europe/Paris", "spring", "2026-03-29T01:00:00Z", 60, 120],
  ["Australia/Lord_Howe", "half an hour", "2026-04-04T15:00:00Z", 660, 630],
  ["Australia/Lord_Howe", "half an hour", "2026-10-03T15:30:00Z", 630, 660],
  ["Antarctica/Troll", "two hours", "2026-03-29T01:00:00Z", 0, 120],
  ["Pacific/Apia", "the day that was not", "2011-12-30T10:00:00Z", -600, 840],
  ["Africa/Cairo", "midnight that was not", "2026-04-23T22:00:00Z", 120, 180],
  ["Asia/Beirut", "midnight that was not", "2026-03-28T22:00:00Z", 120, 180],
  ["America/Santiago", "midnight that was not", "2026-09-06T04:00:00Z", -240, -180],
  ["Africa/Casablanca", "Ramadan begins", "2025-02-23T02:00:00Z", 60, 0],
  ["Africa/Casablanca", "Ramadan ends", "2025-04-06T02:00:00Z", 0, 60],
  ["Africa/Monrovia", "44 minutes and a half", "1972-01-07T00:44:30Z", -44.5, 0],
  ["America/New_York", "railway time", "1883-11-18T17:00:00Z", -(4 * 60 + 56 + 2 / 60), -300]
]

describe("TimeZones: clocks", () => {
  for (const [zone, why, at, before, after] of changes) {
    it.effect(`changes the clocks of ${zone} at ${at} (${why})`, () =>
      Effect.gen(function*() {
        const change = instant(at)
        const [last, first] = yield* asking({}, ({ offset }) => [offset(zone, change - 1), offset(zone, change)])
        assert.deepStrictEqual(last, { offsetMs: Math.round(before * 60_000), until: change })
        assert.strictEqual(first?.offsetMs, Math.round(after * 60_000))
      }))
  }

  it.effect("knows zones without summer time, and the far past and future", () =>
    asking({}, ({ offset }) => {
      assert.strictEqual(offset("Asia/Kolkata", instant("2026-07-01T00:00:00Z"))?.offsetMs, 5.5 * hour)
      assert.strictEqual(offset("UTC", 0)?.offsetMs, 0)
      assert.strictEqual(offset("America/New_York", instant("2400-07-01T00:00:00Z"))?.offsetMs, -4 * hour)
      assert.strictEqual(offset("UTC", 8_640_000_000_000_000)?.offsetMs, 0)
      assert.strictEqual(offset("UTC", -8_640_000_000_000_000)?.offsetMs, 0)
      assert.isUndefined(offset("UTC", 8_640_000_000_000_001))
      assert.isUndefined(offset("UTC", Number.NaN))
    }))

  it.effect("distinguishes zones from other names", () =>
    asking({}, ({ isKnown, offset }) => {
      for (const zone of ["America/Winnipeg", "Canada/Central", "Asia/Calcutta", "Asia/Kolkata", "UTC"]) {
        assert.isTrue(isKnown(zone), zone)
      }
      for (const zone of ["Mars/Phobos", "", "+02:00", "Europe/Paris ", "toString"]) {
        assert.isFalse(isKnown(zone), zone)
        assert.isUndefined(offset(zone, 0))
      }
    }))

  const Instant = Schema.Int.check(
    Schema.isBetween({ minimum: instant("1970-01-01T00:00:00Z"), maximum: instant("2100-01-01T00:00:00Z") })
  )
  const names = Intl.supportedValuesOf("timeZone")
  const Zone = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: names.length - 1 }))

  it.effect.prop("shows what the platform's own calendar shows, until the moment that it says", [Zone, Instant], (
    [index, at]
  ) =>
    asking({}, ({ offset }) => {
      const zone = names[index] ?? "UTC"
      const wall = (at: number) => DateTime.zonedOffset(DateTime.makeZonedUnsafe(at, { timeZone: zone }))
      const found = offset(zone, at)
      if (found === undefined) return assert.fail(`${zone} is not known`)
      assert.isAbove(found.until, at)
      for (const when of [at, Math.floor((at + found.until) / 2), found.until - 1]) {
        assert.strictEqual(found.offsetMs, wall(when), `${zone} ${iso(when)}`)
      }
      assert.strictEqual(offset(zone, found.until)?.offsetMs, wall(found.until), `${zone} ${iso(found.until)}`)
    }))
})

describe("TimeZones: replaced zones", () => {
  const from = "2026-11-01T07:00:00Z"

  it.effect("keeps Winnipeg on summer time where the runtime does not know it, from that moment on", () =>
    asking({ zones: { "America/Winnipeg": { use: "-05:00", from } } }, ({ offset }) => {
      const change = instant(from)
      assert.deepStrictEqual(offset("America/Winnipeg", change - 1), { offsetMs: -5 * hour, until: change })
      for (const at of [change, instant("2027-01-15T12:00:00Z"), instant("2040-01-15T12:00:00Z")]) {
        assert.strictEqual(offset("America/Winnipeg", at)?.offsetMs, -5 * hour)
      }
      assert.strictEqual(offset("America/Winnipeg", instant("2026-01-15T12:00:00Z"))?.offsetMs, -6 * hour)
      assert.strictEqual(offset("America/Chicago", instant("2027-01-15T12:00:00Z"))?.offsetMs, -6 * hour)
    }))

  it.effect("replaces a zone under all of its names", () =>
    asking({ zones: { "Canada/Central": { use: "-05:00", from } } }, ({ offset }) => {
      for (const zone of ["America/Winnipeg", "Canada/Central", "america/winnipeg"]) {
        assert.strictEqual(offset(zone, instant("2027-01-15T12:00:00Z"))?.offsetMs, -5 * hour, zone)
      }
    }))

  it.effect("shows another zone's clocks, always when no beginning is given", () =>
    asking({ zones: { "America/New_York": { use: "Europe/Paris" } } }, ({ offset }) => {
      for (
        const at of [instant("1990-07-01T00:00:00Z"), instant("2026-03-29T00:59:59Z"), instant("2026-07-01T00:00:00Z")]
      ) {
        assert.deepStrictEqual(offset("America/New_York", at), offset("Europe/Paris", at))
      }
    }))
})

describe("TimeZones: what is wrong in the options", () => {
  const refused: ReadonlyArray<readonly [what: string, options: Options, problem: RegExp]> = [
    [
      "a start without +",
      { numbers: { "1850": [] } },
      /^numbers > 1850 must be the start of a number .* such as \+1850$/
    ],
    [
      "an unknown zone of a number",
      { numbers: { "+1": ["Mars/Phobos"] } },
      /^numbers > \+1 "Mars\/Phobos" is not known/
    ],
    [
      "an unknown zone",
      { zones: { "Mars/Phobos": { use: "UTC" } } },
      /^zones > Mars\/Phobos "Mars\/Phobos" is not known/
    ],
    [
      "an unknown zone to use",
      { zones: { "America/Winnipeg": { use: "-5" } } },
      /^zones > America\/Winnipeg > use "-5" is not known .* or a distance from UTC such as -05:00$/
    ],
    [
      "a zone that uses itself",
      { zones: { "America/Winnipeg": { use: "Canada/Central" } } },
      /^zones > America\/Winnipeg > use is the zone itself: name another one/
    ],
    [
      "a zone that uses a replaced one",
      { zones: { "America/Winnipeg": { use: "-05:00" }, "America/Regina": { use: "America/Winnipeg" } } },
      /^zones > America\/Regina > use is replaced itself: write here what America\/Winnipeg uses$/
    ],
    [
      "a zone that is replaced under two names",
      { zones: { "America/Winnipeg": { use: "-05:00" }, "Canada/Central": { use: "-05:00" } } },
      /^zones > Canada\/Central is the same zone as America\/Winnipeg/
    ],
    [
      "a beginning without zone",
      { zones: { "America/Winnipeg": { use: "-05:00", from: "2026-11-01T07:00" } } },
      /^zones > America\/Winnipeg > from must be an ISO-8601 timestamp/
    ]
  ]
  for (const [what, options, problem] of refused) {
    it.effect(`refuses ${what}`, () =>
      Effect.gen(function*() {
        const [first, ...others] = yield* problemsOf(options)
        assert.match(first ?? "", problem)
        assert.isEmpty(others)
      }))
  }

  it.effect("names every problem, and what it does not know", () =>
    Effect.gen(function*() {
      assert.lengthOf(
        yield* problemsOf({ numbers: { "+0": ["Mars/Phobos"] }, zones: { "Mars/Deimos": { use: "UTC" } } }),
        3
      )
      const misspelt: Options & { readonly number: object } = { number: {} }
      assert.deepStrictEqual(yield* problemsOf(misspelt), [
        "number is unknown; the known fields are numbers, zones and tzdata"
      ])
    }))
})

describe("TimeZones: version", () => {
  const versionOf = (options: Options) => asking(options, ({ version }) => version)

  it.effect("is the same for the same options, and another one for others", () =>
    Effect.gen(function*() {
      const several: ReadonlyArray<Options> = [
        {},
        // Of long ago, as no options at all mean the runtime's release.
        { tzdata: "1999a" },
        { tzdata: "1999b" },
        { numbers: { "+1850": ["America/Chicago"] } },
        { numbers: { "+1850": ["America/New_York"] } },
        { zones: { "America/Winnipeg": { use: "-05:00" } } },
        { zones: { "America/Winnipeg": { use: "-05:00", from: "2026-11-01T07:00:00Z" } } }
      ]
      const versions = yield* Effect.forEach(several, versionOf)
      assert.lengthOf(new Set(versions), several.length)
      assert.deepStrictEqual(yield* Effect.forEach(several, versionOf), versions)
    }))

  it.effect("is that of the runtime's release by default", () =>
    Effect.gen(function*() {
      const { tzdata, version } = yield* TimeZones.TimeZones.useSync((zones) => zones).pipe(
        Effect.provide(TimeZones.TimeZones.layer)
      )
      assert.strictEqual(tzdata, process.versions["tz"])
      assert.strictEqual(version, yield* versionOf({ tzdata: process.versions["tz"] ?? "" }))
    }))

  it.effect("shows the host's release of the time zone data, otherwise the runtime's", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* asking({ tzdata: "2026c" }, ({ tzdata }) => tzdata), "2026c")
      assert.strictEqual(yield* asking({}, ({ tzdata }) => tzdata), process.versions["tz"])
    }))
})
