/**
 * When an account may call: its calling hours, gaps and limits. Its owner writes the document with defaults left out;
 * the rules read it complete. An unknown field is refused, because a misspelled rule would not be applied.
 */
import { DateTime, Option, Schema } from "effect"
import { AgentId } from "./Ids.ts"
import * as Limits from "./Limits.ts"

const TimeOfDay = (pattern: RegExp, form: string) =>
  Schema.String.check(Schema.isPattern(pattern, { message: `must be a time of day from ${form}, such as 09:00` }))

/** A window of local time: from `start` until just before `end`, which is on the next day when it is not after `start`. */
export const CallingWindow = Schema.Struct({
  start: TimeOfDay(/^([01]\d|2[0-3]):[0-5]\d$/, "00:00 to 23:59").annotate({
    description: "First minute of the window, from 00:00 to 23:59.",
    examples: ["09:00"]
  }),
  end: TimeOfDay(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, "00:00 to 24:00").annotate({
    description:
      "When the window ends, from 00:00 to 24:00; that minute is outside. An end that is not after the start is on the next day, so that the same time twice is a whole day.",
    examples: ["20:00"]
  })
})
export type CallingWindow = typeof CallingWindow.Type

const windows = Schema.optionalKey(
  Schema.Array(CallingWindow).annotate({
    description: "The windows of a weekday. When not given, or without any, it is closed.",
    examples: [[{ start: "09:00", end: "20:00" }]]
  }).check(
    Schema.isMaxLength(Limits.windowsPerDay, { message: `must have at most ${Limits.windowsPerDay} windows` })
  )
)

/** The windows of each weekday, of the day on which they start. A weekday without windows is closed. */
export const CallingHours = Schema.Struct({
  mon: windows,
  tue: windows,
  wed: windows,
  thu: windows,
  fri: windows,
  sat: windows,
  sun: windows
})
export type CallingHours = typeof CallingHours.Type

/** A calendar date, as people write it. */
export const LocalDate = Schema.String.check(Schema.makeFilter((text: string) =>
  (/^\d{4}-\d{2}-\d{2}$/.test(text) &&
    Option.exists(DateTime.make(`${text}T00:00:00Z`), (at) => DateTime.formatIso(at).startsWith(text))) ||
  "must be a date such as 2026-12-25"
))

const seconds = (least: number) =>
  Schema.Int.check(
    Schema.isBetween({ minimum: least, maximum: Limits.policySeconds }, {
      message: `must be ${least} to ${Limits.policySeconds} seconds`
    })
  )

/** At most `max` dials to one number in any `windowSeconds`. */
export const NumberLimit = Schema.Struct({
  max: Schema.Int.annotate({ description: "Maximum number of dials in the window; 0 allows none.", examples: [3] })
    .check(
      Schema.isBetween({ minimum: 0, maximum: 1000 }, { message: "must be 0 to 1000" })
    ),
  windowSeconds: seconds(1).annotate({
    description: "Length of a rolling window: 86400 is any 24 hours, not a calendar day.",
    examples: [86_400]
  })
})
export type NumberLimit = typeof NumberLimit.Type

/** The rules for each single call, which an agent may override. */
const perCall = {
  /** Local time of the callee; `null` is any time. */
  callingHours: Schema.optionalKey(
    Schema.NullOr(CallingHours).annotate({
      message: "must be an object or null",
      description:
        "When the phone may ring, in the callee's zone: a list of windows for each weekday, of the day on which they start. A weekday without windows is closed; `null` is any time. A callee who may be in several zones is called when all of them are open.",
      examples: [{ mon: [{ start: "09:00", end: "12:30" }, { start: "14:00", end: "20:00" }] }]
    })
  ),
  /** Dates without calls, in the callee's zone. */
  excludedDates: Schema.optionalKey(
    Schema.Array(LocalDate).annotate({
      description:
        "Dates without calls, such as public holidays, in the callee's zone. A window that starts on such a date is closed past midnight too. A date may occur twice.",
      examples: [["2026-12-25", "2027-01-01"]]
    }).check(
      Schema.isMaxLength(Limits.excludedDates, { message: `must have at most ${Limits.excludedDates} dates` })
    )
  ),
  /** Least time from the last dial to a number to the next. */
  recallGapSeconds: Schema.optionalKey(
    seconds(0).annotate({
      description: "Minimum time between two dials to one number, whatever their result; 0 is no gap.",
      examples: [14_400]
    })
  )
}

/** A name of the IANA time zone database; the `TimeZones` port decides whether the zone exists. */
export const TimeZoneName = Schema.String.check(Schema.isPattern(/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/, {
  message: "must be the name of a time zone, such as Europe/Paris"
}))

// The keys are compared as written, so that a key in upper case would never match.
const AgentKey = Schema.toType(AgentId).check(Schema.isLowercased({ message: "must be in lower case" }))

/** The field of all number limits, in the wire form or the TypeScript form. */
export const limitsOf = <Limit extends Schema.Constraint>(limit: Limit) =>
  Schema.optionalKey(
    Schema.Array(limit).annotate({
      description:
        "Maximum numbers of dials to one number in rolling windows. All of them must allow a dial; an empty list limits nothing."
    }).check(
      Schema.isMaxLength(Limits.numberLimits, { message: `must have at most ${Limits.numberLimits} limits` })
    )
  )

/** The fields that an agent may override, in the wire form or the TypeScript form. */
export const agentsOf = <Agent extends Schema.Constraint>(agent: Agent) =>
  Schema.optionalKey(
    Schema.Record(Schema.String, agent).annotate({
      description:
        "Rules of individual agents, by agent id (a UUID in lower case). A field given here replaces that of the account."
    }).check(Schema.isPropertyNames(AgentKey))
  )

const days = (description: string) =>
  Schema.optionalKey(
    Schema.Int.annotate({ description, examples: [90] }).check(
      Schema.isBetween({ minimum: Limits.retentionDaysLeast, maximum: Limits.retentionDaysMost }, {
        message: `must be ${Limits.retentionDaysLeast} to ${Limits.retentionDaysMost} days`
      })
    )
  )

/** How long calls are kept: at least as long as events, which contain the same data. Without a value they are kept for ever. */
export const Retention = Schema.Struct({
  callDays: days(
    "Days after which an ended call is deleted with its outcome and recording, counted from its acceptance. Kept longer where a recall gap or a number limit asks further back. Its usage stays."
  ),
  transcriptDays: days(
    "Days after which transcript and recording of an ended call are deleted, counted from its acceptance. The rest of the call stays."
  )
}).annotate({
  message: "must be an object",
  description: "How long calls are kept. Without a value they are kept for ever."
})
export type Retention = typeof Retention.Type

/** The overrides of one agent. An absent field is the account's. */
export const AgentPolicy = Schema.Struct(perCall)
export type AgentPolicy = typeof AgentPolicy.Type

/** The numbering plans decide whether the country exists. */
export const CountryCode = Schema.String.check(
  Schema.isPattern(/^[A-Z]{2}$/, { message: "must be a country code of two letters, such as US" })
)

/** A policy as its owner writes it. An absent field takes its default. */
export const PolicyDocument = Schema.Struct({
  ...perCall,
  /** Most calls placed per local day of `timeZone`; `null` is any number. */
  dailyLimit: Schema.optionalKey(
    Schema.NullOr(Schema.Int.check(
      Schema.isBetween({ minimum: 0, maximum: 10_000_000 }, { message: "must be 0 to 10000000, or null" })
    )).annotate({
      message: "must be a number or null",
      description: "Maximum number of calls placed per local day of `time_zone`; `null` is unlimited, 0 allows none.",
      examples: [500]
    })
  ),
  /** All of them must allow a dial. */
  numberLimits: limitsOf(NumberLimit),
  /** Maximum number of calls placed in any second. Default: one per line, up to ten. */
  callsPerSecond: Schema.optionalKey(
    Schema.Int.annotate({
      description: "Maximum number of calls placed in any second. When not given: one per line, at most ten.",
      examples: [5]
    }).check(Schema.isBetween({ minimum: 1, maximum: 10_000 }, { message: "must be 1 to 10000" }))
  ),
  /** The account's own time zone, in which its days begin. */
  timeZone: Schema.optionalKey(TimeZoneName.annotate({
    description: "The account's own zone, in which its days begin.",
    examples: ["Europe/Paris"]
  })),
  /** The zone of callees whose zone is unknown. Without it their calls are held. */
  fallbackTimeZone: Schema.optionalKey(TimeZoneName.annotate({
    description: "The zone of callees whose zone is unknown. When not given, their calls are held.",
    examples: ["America/New_York"]
  })),
  /** The country of numbers without a country code. */
  defaultCountry: Schema.optionalKey(CountryCode.annotate({
    description:
      "Two-letter code (ISO 3166) of the country of numbers that are written without one, such as `(415) 555-0100` with `US`. They need seven digits and a range that is in use there, so emergency numbers and short codes are refused. Numbers with `+` or `00` do not depend on it. When not given, numbers without a country are refused.",
    examples: ["US"]
  })),
  /** Two-letter codes (ISO 3166) of the only countries that are called. */
  allowedCountries: Schema.optionalKey(
    Schema.Array(CountryCode).annotate({
      description: "Two-letter codes (ISO 3166) of the only countries that are called. When not given: all.",
      examples: [["US", "CA"]]
    }).check(Schema.isMinLength(1, { message: "must name at least one country" }))
  ),
  /** Refuses numbers that are possible but that no range is known for. */
  requireValidNumbers: Schema.optionalKey(Schema.Boolean.annotate({
    description: "Refuses numbers that are possible but that no range is known for.",
    examples: [true]
  })),
  retention: Schema.optionalKey(Retention),
  /** By agent id. */
  agents: agentsOf(AgentPolicy)
})
export type PolicyDocument = typeof PolicyDocument.Type

/** A policy with every default filled in. */
export interface Policy {
  readonly callingHours: CallingHours | null
  readonly excludedDates: ReadonlyArray<string>
  readonly recallGapSeconds: number
  readonly dailyLimit: number | null
  readonly numberLimits: ReadonlyArray<NumberLimit>
  readonly callsPerSecond?: number
  readonly timeZone: string
  readonly fallbackTimeZone?: string
  readonly defaultCountry?: string
  readonly allowedCountries?: ReadonlyArray<string>
  readonly requireValidNumbers: boolean
  readonly retention?: Retention
  readonly agents: Readonly<Record<string, AgentPolicy>>
}

const day: ReadonlyArray<CallingWindow> = [{ start: "09:00", end: "20:00" }]

/** The default policy: careful everywhere, and not legal advice for any place. */
export const defaults: Policy = {
  callingHours: { mon: day, tue: day, wed: day, thu: day, fri: day, sat: day, sun: day },
  excludedDates: [],
  recallGapSeconds: 4 * 60 * 60,
  dailyLimit: null,
  numberLimits: [{ max: 3, windowSeconds: 24 * 60 * 60 }, { max: 7, windowSeconds: 7 * 24 * 60 * 60 }],
  timeZone: "UTC",
  requireValidNumbers: false,
  agents: {}
}

/** The document with every default filled in. */
export const complete = (document: PolicyDocument): Policy => ({ ...defaults, ...document })

/** The rules for one agent's calls. */
export const forAgent = (policy: Policy, agentId: AgentId | undefined): Pick<Policy, keyof typeof perCall> => ({
  ...policy,
  ...(agentId !== undefined && policy.agents[agentId])
})

/** Calls placed in one second, by default one per line and at most ten. */
export const callsPerSecond = (policy: Policy, lines: number): number =>
  policy.callsPerSecond ?? Math.max(1, Math.min(lines, 10))
