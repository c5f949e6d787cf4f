/** Vectors of `scheduling.json`'s format: when the rules about time allow a call. */
import {
  CallingDays,
  CallingHours,
  DailyLimit,
  NumberLimits,
  Policy,
  RecallGap,
  Timestamp,
  Timetable,
  TimeZones,
  type ZoneOffset
} from "@outdial/core"
import { DateTime, Effect, Schema } from "effect"
import { failed, passed, skipped } from "./Verdict.ts"

const Code = Schema.Literals(["calling_hours", "recall_gap", "number_limit", "daily_limit"])
type Code = typeof Code.Type

/** A weekday misspelled would be a day closed. */
const Windows = Schema.Record(Schema.String, Schema.Array(Policy.CallingWindow)).check(
  Schema.isPropertyNames(Schema.Literals(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]))
)

const { excludedDates, numberLimits, recallGapSeconds, timeZone } = Policy.PolicyDocument.fields

const Vector = Schema.Struct({
  id: Schema.String,
  now: Timestamp.Timestamp,
  zones: Schema.NonEmptyArray(timeZone.schema),
  windows: Schema.NullOr(Windows),
  excludedDates: excludedDates.schema,
  lastDialAt: Schema.NullOr(Timestamp.Timestamp),
  recallGapSeconds: recallGapSeconds.schema,
  dials: Schema.Array(Timestamp.Timestamp),
  perNumberLimits: numberLimits.schema,
  account: Schema.NullOr(Schema.Struct({
    zone: timeZone.schema,
    dailyLimit: Schema.Int,
    dialedToday: Schema.Int
  })),
  /** The engine looks no farther and no less far. */
  horizonDays: Schema.optionalKey(Schema.Literal(366)),
  needsTzdata: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^\d{4}[a-z]$/, {
    message: "must be a version of the time zone data, such as 2026c"
  }))),
  expected: Schema.Struct({
    dueAt: Schema.NullOr(Timestamp.Timestamp),
    reason: Schema.NullOr(Schema.Literals([...Code.literals, "never"])),
    blockedAtNow: Schema.optionalKey(Schema.Array(Code)),
    bindingReasons: Schema.optionalKey(Schema.Array(Code))
  })
})
type Vector = typeof Vector.Type

export const File = Schema.Struct({ vectors: Schema.Array(Vector) })

/** The engine's answer, in the words of the format. */
const answer = ({ account, now, ...vector }: Vector, offset: ZoneOffset.ZoneOffsets) => {
  const days = CallingDays.make({ hours: vector.windows, excludedDates: vector.excludedDates })
  const hours = { days, zones: vector.zones, offset }
  const today: DailyLimit.DailyLimit = {
    limit: account?.dailyLimit ?? null,
    placedToday: account?.dialedToday ?? 0,
    zone: account?.zone ?? "UTC",
    offset
  }
  const rules: ReadonlyArray<Timetable.TimeRule<Code>> = [
    { code: "calling_hours", nextAllowed: (at) => CallingHours.nextOpen(hours, at) },
    {
      code: "recall_gap",
      nextAllowed: (at) => RecallGap.nextAllowed(vector.recallGapSeconds, vector.lastDialAt ?? undefined, at)
    },
    { code: "number_limit", nextAllowed: (at) => NumberLimits.nextAllowed(vector.perNumberLimits, vector.dials, at) },
    { code: "daily_limit", nextAllowed: (at) => DailyLimit.nextAllowed(today, now, at) }
  ]
  const { binding, blockedNow, dueAt, reason } = Timetable.earliest(rules, now)
  return {
    dueAt: dueAt === undefined ? null : DateTime.formatIso(dueAt),
    reason: dueAt === undefined ? "never" : reason ?? null,
    blockedAtNow: blockedNow,
    bindingReasons: binding
  }
}

/** Fails when the vector names a zone that is not known, unless the runtime's data is too old for the vector anyway. */
export const check = Effect.fnUntraced(function*(vector: Vector, tzdata: string | undefined = process.versions["tz"]) {
  const { isKnown, offset } = yield* TimeZones.TimeZones
  const { account, expected, id, needsTzdata, zones } = vector
  // Versions are a year and a letter, so they compare as text.
  if (needsTzdata !== undefined && (tzdata === undefined || needsTzdata > tzdata)) return skipped
  const unknown = [...zones, ...account === null ? [] : [account.zone]].find((zone) => !isKnown(zone))
  if (unknown !== undefined) {
    return yield* Effect.fail(`${id} names the time zone ${unknown}, which is not a known time zone`)
  }
  const actual = answer(vector, offset)
  const dueAt = expected.dueAt === null ? null : DateTime.formatIso(expected.dueAt)
  const [wanted, got] = [JSON.stringify({ ...actual, ...expected, dueAt }), JSON.stringify(actual)]
  return wanted === got ? passed : failed(`${id}: expected ${wanted}, got ${got}`)
})
