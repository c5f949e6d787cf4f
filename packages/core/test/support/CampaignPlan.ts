/**
 * Whom a campaign calls, under which policies, and what happens to it on the way: two weeks in which clocks change in Israel
 * (27 March 2026), Europe (29 March), and in Chile, Australia and New Zealand (5 April).
 */
import { Ids, type Policy } from "@outdial/core"

export const start = Date.parse("2026-03-23T05:00:00Z")
export const end = Date.parse("2026-04-06T05:00:00Z")
export const at = (text: string): number => Date.parse(text)

/** The zone in which the account's days begin. */
export const accountZone = "Europe/Berlin"
export const lines = 20

/** Calls by the account's rules, in two windows a day, and in the evening past midnight. */
export const agents = {
  plain: Ids.AgentId.make("00000000-0000-4000-8000-00000000000a"),
  twice: Ids.AgentId.make("00000000-0000-4000-8000-00000000000b"),
  nightly: Ids.AgentId.make("00000000-0000-4000-8000-00000000000c")
}
export type AgentName = keyof typeof agents

/** Where numbers lie, by how they begin, as their numbering plans have it. */
const places: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["+1212555", ["America/New_York"]],
  ["+1312555", ["America/Chicago"]],
  ["+1303555", ["America/Denver"]],
  ["+1415555", ["America/Los_Angeles"]],
  ["+1602555", ["America/Phoenix"]],
  ["+1808555", ["Pacific/Honolulu"]],
  ["+1907555", ["America/Anchorage", "America/Adak"]],
  ["+1208555", ["America/Boise", "America/Los_Angeles"]],
  ["+1902555", ["America/Halifax"]],
  ["+54114321", ["America/Argentina/Buenos_Aires"]],
  ["+55113234", ["America/Sao_Paulo"]],
  ["+5622345", ["America/Santiago"]],
  ["+52555201", ["America/Mexico_City"]],
  ["+576012", ["America/Bogota"]],
  ["+44207946", ["Europe/London"]],
  ["+4930221", ["Europe/Berlin"]],
  ["+3314221", ["Europe/Paris"]],
  ["+3491521", ["Europe/Madrid"]],
  ["+3906691", ["Europe/Rome"]],
  ["+4822621", ["Europe/Warsaw"]],
  ["+30210321", ["Europe/Athens"]],
  ["+351912", ["Europe/Lisbon", "Atlantic/Azores"]],
  ["+972361", ["Asia/Jerusalem"]],
  ["+202251", ["Africa/Cairo"]],
  ["+2711321", ["Africa/Johannesburg"]],
  ["+25420321", ["Africa/Nairobi"]],
  ["+97143321", ["Asia/Dubai"]],
  ["+91112612", ["Asia/Kolkata"]],
  ["+9771421", ["Asia/Kathmandu"]],
  ["+6626221", ["Asia/Bangkok"]],
  ["+656222", ["Asia/Singapore"]],
  ["+85222212", ["Asia/Hong_Kong"]],
  ["+861022223", ["Asia/Shanghai"]],
  ["+813322233", ["Asia/Tokyo"]],
  ["+822222233", ["Asia/Seoul"]],
  ["+612921", ["Australia/Sydney"]],
  ["+61882212", ["Australia/Adelaide"]],
  ["+617322", ["Australia/Brisbane"]],
  ["+649302", ["Pacific/Auckland"]],
  ["+1800555", []]
]

/** Zones that callees give, whatever their number. */
const told = [
  "Asia/Tehran",
  "Asia/Kabul",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "Pacific/Apia",
  "America/Asuncion",
  "Asia/Beirut",
  "Africa/Casablanca",
  "America/Nuuk"
]

/** How many digits a number has, by the country code where it matters. */
const lengths: ReadonlyArray<readonly [string, number]> = [
  ["+1", 11],
  ["+54", 12],
  ["+55", 12],
  ["+56", 11],
  ["+52", 12],
  ["+57", 12],
  ["+44", 12],
  ["+49", 12],
  ["+33", 11],
  ["+34", 11],
  ["+39", 12],
  ["+48", 11],
  ["+30", 12],
  ["+351", 12],
  ["+972", 11],
  ["+20", 10],
  ["+27", 11],
  ["+254", 12],
  ["+971", 11],
  ["+91", 12],
  ["+977", 11],
  ["+66", 10],
  ["+65", 10],
  ["+852", 11],
  ["+86", 12],
  ["+81", 11],
  ["+82", 11],
  ["+61", 11],
  ["+64", 10]
]

/** What becomes of a callee after the first call. */
export type Habit =
  | "once"
  /** Called again, hours after the first call has ended. */
  | "later"
  /** Called again while the first call is going on. */
  | "meanwhile"
  /** Called again as soon as may be, for as long as limits allow it. */
  | "insistent"
  /** Asks in the call not to be called again; its owner tries to. */
  | "opts_out"
  /** Added to the do-not-call list in the middle, and called again. */
  | "listed"

export interface Callee {
  readonly index: number
  readonly number: string
  readonly zones: ReadonlyArray<string>
  readonly timeZone?: string
  readonly agent: AgentName
  readonly habit: Habit
  /** When its first call is requested; those of one instant are one batch. */
  readonly firstAt: number
  readonly notBefore?: number
}

/** A number in [0, 1) that looks random, and is the same in every run. */
export const chance = (...seeds: ReadonlyArray<number>): number => {
  let state = 2_166_136_261
  for (const seed of seeds) {
    state = Math.imul(state ^ (seed + 0x9e3779b9), 16_777_619)
    state = Math.imul(state ^ (state >>> 15), 2_246_822_519)
    state ^= state >>> 13
  }
  return (state >>> 0) / 2 ** 32
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const lengthOf = (prefix: string) =>
  lengths.toSorted(([one], [other]) => other.length - one.length).find(([code]) => prefix.startsWith(code))?.[1] ?? 11

const habitOf = (index: number): Habit => {
  const roll = chance(index, 1)
  if (roll < 0.14) return "later"
  if (roll < 0.2) return "meanwhile"
  if (roll < 0.215) return "insistent"
  if (roll < 0.255) return "opts_out"
  return roll < 0.285 ? "listed" : "once"
}

const agentOf = (index: number): AgentName => {
  const roll = chance(index, 2)
  return roll < 0.6 ? "plain" : roll < 0.85 ? "twice" : "nightly"
}

const batches = ["2026-03-23T05:00:00Z", "2026-03-24T22:10:00Z", "2026-03-28T12:00:00Z", "2026-04-01T16:45:00Z"]

export const callees: ReadonlyArray<Callee> = Array.from({ length: 2000 }, (_, index) => {
  const [prefix, zones] = places[index % places.length] ?? ["", []]
  const digits = String(Math.floor(index / places.length)).padStart(lengthOf(prefix) + 1 - prefix.length, "0")
  const timeZone = chance(index, 3) < 0.15 ? told[index % told.length] : undefined
  const inBatch = index < 1280
  const firstAt = inBatch
    ? at(batches[Math.floor(index / 320)] ?? "")
    : start + Math.floor(chance(index, 4) * 12 * day)
  return {
    index,
    number: `${prefix}${digits}`,
    zones: timeZone === undefined ? zones : [timeZone],
    ...(timeZone !== undefined && { timeZone }),
    agent: agentOf(index),
    habit: habitOf(index),
    firstAt,
    ...(!inBatch && chance(index, 5) < 0.1 && {
      notBefore: firstAt + Math.floor(chance(index, 6) * 3 * day)
    })
  }
})

/** Numbers on the do-not-call list from here on, and those removed again. */
export const listedAt = at("2026-03-29T08:30:00Z")
export const unlistedAt = at("2026-04-02T09:00:00Z")

/** Pauses of the account and of the whole deployment. */
export const pauses: ReadonlyArray<{
  readonly of: "account" | "deployment"
  readonly from: number
  readonly until: number
}> = [
  { of: "account", from: at("2026-03-26T13:07:00Z"), until: at("2026-03-26T17:23:30Z") },
  { of: "deployment", from: at("2026-04-01T07:00:00Z"), until: at("2026-04-01T09:31:00Z") }
]

const hours = (start: string, end: string) => ({ start, end })
const weekdays = (windows: ReadonlyArray<Policy.CallingWindow>) => ({
  mon: windows,
  tue: windows,
  wed: windows,
  thu: windows,
  fri: windows
})

const agentPolicies: Policy.PolicyDocument["agents"] = {
  [agents.twice]: {
    callingHours: { ...weekdays([hours("09:00", "12:00"), hours("14:00", "18:30")]), sat: [hours("10:00", "13:15")] },
    recallGapSeconds: 2 * 3600
  },
  [agents.nightly]: {
    callingHours: {
      ...weekdays([hours("17:00", "00:45")]),
      sat: [hours("23:00", "02:30")],
      sun: [hours("00:00", "24:00")]
    },
    excludedDates: ["2026-03-27", "2026-03-31"],
    recallGapSeconds: 0
  }
}

/** The account's policies over time: the default hours, then tighter ones, then looser ones. */
export const policies: ReadonlyArray<{ readonly from: number; readonly policy: Policy.PolicyDocument }> = [
  {
    from: start,
    policy: {
      timeZone: accountZone,
      dailyLimit: 500,
      excludedDates: ["2026-03-25", "2026-04-03"],
      agents: agentPolicies
    }
  },
  {
    from: at("2026-03-28T10:30:00Z"),
    policy: {
      timeZone: accountZone,
      dailyLimit: 350,
      callingHours: { ...weekdays([hours("10:00", "12:15"), hours("13:30", "17:00")]), sat: [hours("11:00", "15:00")] },
      excludedDates: ["2026-03-25", "2026-03-30", "2026-04-03"],
      agents: agentPolicies
    }
  },
  {
    from: at("2026-03-31T14:00:00Z"),
    policy: {
      timeZone: accountZone,
      dailyLimit: 1500,
      callingHours: {
        ...weekdays([hours("08:00", "21:00")]),
        sat: [hours("08:00", "21:00")],
        sun: [hours("00:30", "20:00")]
      },
      excludedDates: ["2026-04-03"],
      fallbackTimeZone: "America/New_York",
      agents: agentPolicies
    }
  }
]
