import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { defaults, type PolicyDocument } from "../../src/domain/Policy.ts"
import * as PolicyDecoding from "../../src/policy/PolicyDecoding.ts"

const agentId = "7b0c4f52-6f0e-4d5f-9a43-0c9f2f1f9d11"
const isKnown = (zone: string) => ["Europe/Paris", "UTC"].includes(zone)

/** Every field there is, with what is odd but right. */
const full: PolicyDocument = {
  callingHours: {
    mon: [{ start: "09:00", end: "12:30" }, { start: "14:00", end: "24:00" }],
    tue: [{ start: "09:00", end: "09:00" }],
    wed: [{ start: "00:00", end: "00:00" }],
    thu: [{ start: "20:00", end: "02:00" }],
    fri: []
  },
  excludedDates: ["2026-12-25", "2028-02-29", "2026-12-25"],
  recallGapSeconds: 0,
  dailyLimit: 500,
  numberLimits: [{ max: 3, windowSeconds: 86_400 }, { max: 0, windowSeconds: 1 }],
  callsPerSecond: 5,
  timeZone: "Europe/Paris",
  fallbackTimeZone: "UTC",
  defaultCountry: "US",
  allowedCountries: ["US", "CA"],
  requireValidNumbers: true,
  agents: { [agentId]: { callingHours: null, excludedDates: [], recallGapSeconds: 60 } }
}

const fullWire = {
  calling_hours: full.callingHours,
  excluded_dates: full.excludedDates,
  recall_gap_seconds: 0,
  daily_limit: 500,
  number_limits: [{ max: 3, window_seconds: 86_400 }, { max: 0, window_seconds: 1 }],
  calls_per_second: 5,
  time_zone: "Europe/Paris",
  fallback_time_zone: "UTC",
  default_country: "US",
  allowed_countries: ["US", "CA"],
  require_valid_numbers: true,
  agents: { [agentId]: { calling_hours: null, excluded_dates: [], recall_gap_seconds: 60 } }
}

const agentFields = "calling_hours, excluded_dates, recall_gap_seconds"
const fields =
  `${agentFields}, daily_limit, number_limits, calls_per_second, time_zone, fallback_time_zone, default_country, allowed_countries, require_valid_numbers, retention, agents`
const notKnown = (known: string) => `is not a known field; known are ${known}`
const meant = (name: string) => `is not a known field; did you mean ${name}?`

const deep = JSON.parse("[".repeat(50_000) + "]".repeat(50_000)) as unknown
const dates = (count: number) => Array.from({ length: count }, () => "2026-12-25")
const startTime = "must be a time of day from 00:00 to 23:59, such as 09:00"
const endTime = "must be a time of day from 00:00 to 24:00, such as 09:00"

/** What is wrong with a policy in snake_case, as `path: message`. */
const refused: ReadonlyArray<readonly [string, unknown, ReadonlyArray<string>]> = [
  ["nothing", undefined, [": must be an object"]],
  ["null", null, [": must be an object"]],
  ["a list", [], [": must be an object"]],
  ["text", "calling_hours", [": must be an object"]],
  ["an unknown field", { calling_hour: null }, [`calling_hour: ${meant("calling_hours")}`]],
  ["a field as TypeScript has it", { callingHours: null }, [`callingHours: ${meant("calling_hours")}`]],
  ["an unknown weekday", { calling_hours: { monday: [] } }, [
    `calling_hours.monday: ${meant("mon")}`
  ]],
  ["an unknown field of a window", { calling_hours: { mon: [{ start: "09:00", end: "10:00", zone: "UTC" }] } }, [
    `calling_hours.mon.0.zone: ${notKnown("start, end")}`
  ]],
  ["an unknown field of a limit", { number_limits: [{ max: 1, window_seconds: 1, windowSeconds: 1 }] }, [
    `number_limits.0.windowSeconds: ${meant("window_seconds")}`
  ]],
  ["what an agent cannot differ in", { agents: { [agentId]: { daily_limit: 5 } } }, [
    `agents.${agentId}.daily_limit: ${notKnown(agentFields)}`
  ]],
  ["an agent by its name", { agents: { reminder: { calling_hours: null } } }, ["agents.reminder: must be a UUID"]],
  ["an agent in upper case", { agents: { [agentId.toUpperCase()]: {} } }, [
    `agents.${agentId.toUpperCase()}: must be in lower case`
  ]],
  ["agents as a list", { agents: [{}] }, ["agents: must be an object"]],
  ["the prototype", JSON.parse("{\"__proto__\": {\"calling_hours\": null}}"), [`__proto__: ${notKnown(fields)}`]],
  ["the prototype of agents", JSON.parse("{\"agents\": {\"__proto__\": {}}}"), ["agents.__proto__: must be a UUID"]],
  ["names that objects have", { constructor: 1, toString: 2 }, [
    `constructor: ${notKnown(fields)}`,
    `toString: ${notKnown(fields)}`
  ]],
  ["25:00", { calling_hours: { mon: [{ start: "25:00", end: "25:00" }] } }, [
    `calling_hours.mon.0.start: ${startTime}`,
    `calling_hours.mon.0.end: ${endTime}`
  ]],
  ["24:00 as a start", { calling_hours: { mon: [{ start: "24:00", end: "24:00" }] } }, [
    `calling_hours.mon.0.start: ${startTime}`
  ]],
  ["times in other forms", { calling_hours: { mon: [{ start: "9:00", end: "09:00\n" }] } }, [
    `calling_hours.mon.0.start: ${startTime}`,
    `calling_hours.mon.0.end: ${endTime}`
  ]],
  ["a window without its end", { calling_hours: { mon: [{ start: "09:00" }] } }, [
    "calling_hours.mon.0.end: is required"
  ]],
  ["a window as text", { calling_hours: { mon: ["09:00-10:00"] } }, ["calling_hours.mon.0: must be an object"]],
  ["a weekday of null", { calling_hours: { mon: null } }, ["calling_hours.mon: must be a list"]],
  ["hours as text", { calling_hours: "always" }, ["calling_hours: must be an object or null"]],
  ["11 windows in a day", {
    calling_hours: { mon: Array.from({ length: 11 }, () => ({ start: "09:00", end: "10:00" })) }
  }, [
    "calling_hours.mon: must have at most 10 windows"
  ]],
  ["10,000 dates", { excluded_dates: dates(10_000) }, ["excluded_dates: must have at most 1000 dates"]],
  ["dates that are none", { excluded_dates: ["2026-02-29", "25.12.2026", 20_261_225] }, [
    "excluded_dates.0: must be a date such as 2026-12-25",
    "excluded_dates.1: must be a date such as 2026-12-25",
    "excluded_dates.2: must be text"
  ]],
  ["numbers as text", { recall_gap_seconds: "60", daily_limit: "5", calls_per_second: "1" }, [
    "recall_gap_seconds: must be a number",
    "daily_limit: must be a number or null",
    "calls_per_second: must be a number"
  ]],
  ["parts of numbers", { recall_gap_seconds: 0.5 }, ["recall_gap_seconds: must be a whole number"]],
  ["NaN", { recall_gap_seconds: Number.NaN, daily_limit: Number.NaN }, [
    "recall_gap_seconds: must be a whole number",
    "recall_gap_seconds: must be 0 to 31622400 seconds",
    "daily_limit: must be a whole number",
    "daily_limit: must be 0 to 10000000, or null"
  ]],
  ["numbers out of bounds", {
    recall_gap_seconds: -1,
    calls_per_second: 0,
    number_limits: [{ max: -1, window_seconds: 0 }]
  }, [
    "recall_gap_seconds: must be 0 to 31622400 seconds",
    "number_limits.0.max: must be 0 to 1000",
    "number_limits.0.window_seconds: must be 1 to 31622400 seconds",
    "calls_per_second: must be 1 to 10000"
  ]],
  ["countries by name", { allowed_countries: ["us", "France"] }, [
    "allowed_countries.0: must be a country code of two letters, such as US",
    "allowed_countries.1: must be a country code of two letters, such as US"
  ]],
  ["no country", { allowed_countries: [] }, ["allowed_countries: must name at least one country"]],
  ["yes", { require_valid_numbers: "yes" }, ["require_valid_numbers: must be true or false"]],
  ["a default country that is no code", { default_country: "us" }, [
    "default_country: must be a country code of two letters, such as US"
  ]],
  ["a default country that there is not", { default_country: "ZZ" }, [
    "default_country: ZZ is not a country that has telephone numbers; use an ISO 3166 code such as US"
  ]],
  ["a zone that is no name", { time_zone: "../etc/passwd" }, [
    "time_zone: must be the name of a time zone, such as Europe/Paris"
  ]],
  ["zones that are not known", { time_zone: "Mars/Olympus", fallback_time_zone: "Europe/Pari" }, [
    "time_zone: Mars/Olympus is not a known time zone; use a name such as Europe/Paris",
    "fallback_time_zone: Europe/Pari is not a known time zone; use a name such as Europe/Paris"
  ]],
  [
    "a zone that is not known among all else that is wrong",
    { time_zone: "Mars/Olympus", recall_gap_seconds: -1, x: 1 },
    [
      "time_zone: Mars/Olympus is not a known time zone; use a name such as Europe/Paris",
      "recall_gap_seconds: must be 0 to 31622400 seconds",
      `x: ${notKnown(fields)}`
    ]
  ],
  ["lists in lists in an unknown field", { rules: deep }, [`rules: ${notKnown(fields)}`]],
  ["lists in lists where a number belongs", { recall_gap_seconds: deep }, ["recall_gap_seconds: must be a number"]],
  ["lists in lists where hours belong", { calling_hours: deep }, ["calling_hours: must be an object or null"]],
  ["lists in lists where agents belong", { agents: { [agentId]: deep } }, [`agents.${agentId}: must be an object`]]
]

const told = (
  exit: Exit.Exit<unknown, { readonly problems: ReadonlyArray<{ path: ReadonlyArray<unknown>; message: string }> }>
) => {
  if (Exit.isSuccess(exit)) return ["nothing"]
  return exit.cause.reasons.flatMap((reason) =>
    Cause.isFailReason(reason)
      ? reason.error.problems.map(({ message, path }) => `${path.join(".")}: ${message}`)
      : [`a crash: ${String(reason)}`]
  )
}

describe("PolicyDecoding", () => {
  it.effect("reads every field in both spellings, and writes it again as it was", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* PolicyDecoding.decode(full, isKnown), full)
      assert.deepStrictEqual(yield* PolicyDecoding.decodeWire(fullWire, isKnown), full)
      assert.deepStrictEqual<unknown>(PolicyDecoding.encodeWire(full), fullWire)
      assert.deepStrictEqual(yield* PolicyDecoding.decodeWire({}, isKnown), {})
      assert.deepStrictEqual<unknown>(PolicyDecoding.encodeWire({}), {})
    }))

  it.effect.each(refused)("refuses %s and says what to do", ([, input, problems]) =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(PolicyDecoding.decodeWire(input, isKnown))
      assert.sameMembers(told(exit), [...problems])
    }))

  it.effect("names the fields in camelCase for TypeScript", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(PolicyDecoding.decode({
        recall_gap_seconds: 60,
        numberLimits: [{ max: 1, window_seconds: 1, windowSeconds: 1 }]
      }, isKnown))
      assert.deepStrictEqual(told(exit), [
        `recall_gap_seconds: ${meant("recallGapSeconds")}`,
        `numberLimits.0.window_seconds: ${meant("windowSeconds")}`
      ])
      const zone = yield* Effect.exit(PolicyDecoding.decode({ fallbackTimeZone: "Mars/Olympus" }, isKnown))
      assert.deepStrictEqual(told(zone), [
        "fallbackTimeZone: Mars/Olympus is not a known time zone; use a name such as Europe/Paris"
      ])
    }))

  it.effect("reports no more than the first hundred of ten thousand problems", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(
        PolicyDecoding.decode({ excludedDates: dates(10_000).map(() => "never") }, isKnown)
      )
      assert.strictEqual(told(exit).length, 100)
    }))

  it.effect("reads the defaults and the example of the reference", () =>
    Effect.gen(function*() {
      const reference = readFileSync(resolve(import.meta.dirname, "../../../../docs/reference/policy.md"), "utf8")
      const documents = Array.from(reference.matchAll(/```json\n([\s\S]*?)```/g), ([, text = ""]) =>
        JSON.parse(text) as unknown)
      const [ofDefaults, ofExample] = yield* Effect.forEach(documents, (one) =>
        PolicyDecoding.decodeWire(one, () =>
          true))
      assert.deepStrictEqual<unknown>(ofDefaults, defaults)
      assert.hasAllKeys(ofExample, Object.keys(full))
    }))

  it.effect("accepts a thousand dates, and the same date twice", () =>
    Effect.gen(function*() {
      const policy = { excludedDates: dates(1000) }
      assert.deepStrictEqual(yield* PolicyDecoding.decode(policy, isKnown), policy)
    }))
})
