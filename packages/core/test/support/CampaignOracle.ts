/**
 * A second opinion on every dial of a campaign, made without any of the code that it judges: local time is `Intl`'s, the
 * defaults are written down again, and what has been dialed is kept in books of its own. Instants are milliseconds.
 */
import type { Policy } from "@outdial/core"

const minute = 60_000
const quarter = 15 * minute
const hour = 60 * minute
const day = 24 * hour

/** A call as its owner knows it. */
export interface Wish {
  readonly number: string
  /** Every zone that the callee may be in; none when unknown. */
  readonly zones: ReadonlyArray<string>
  readonly agentId: string
  readonly createdAt: number
  readonly notBefore: number
  /** Whether `notBefore` is when the carrier is tried again. */
  readonly wasUnavailable?: boolean
}

/** A call that was handed to the carrier, which took it or refused it. */
export interface Placed {
  readonly at: number
  readonly callId: string
  readonly number: string
  /** Whether it counts for the number: not when the carrier refused it before anything rang. */
  readonly counts: boolean
}

/** When the rules about time first allow a call, and which of them forbids it a millisecond before. */
export interface Due {
  readonly at: number | undefined
  readonly code: string | undefined
}

/** The policy of an account from an instant on. */
interface Version {
  readonly from: number
  readonly policy: Policy.PolicyDocument
}

const offsets = new Map<string, Map<number, number>>()
const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (zone: string) => {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric"
  })
  formats.set(zone, format)
  return format
}

/** How far the zone's clocks are ahead; clocks change at quarters of an hour, so that one answer holds for a quarter. */
const offset = (zone: string, at: number): number => {
  const from = Math.floor(at / quarter) * quarter
  const known = offsets.get(zone) ?? new Map<number, number>()
  offsets.set(zone, known)
  const seen = known.get(from)
  if (seen !== undefined) return seen
  const parts = new Map(formatOf(zone).formatToParts(from).map(({ type, value }) => [type, Number(value)]))
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? NaN
  const shown = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"))
  known.set(from, shown - from)
  return shown - from
}

/** Days since 1970 on the zone's calendar. */
const dateIn = (zone: string, at: number): number => Math.floor((at + offset(zone, at)) / day)

const dates = new Map<number, string>()

const dateText = (date: number): string => {
  const text = dates.get(date) ?? new Date(date * day).toISOString().slice(0, 10)
  dates.set(date, text)
  return text
}

const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const
// 1970 began on a Thursday.
const weekdayOf = (date: number) => weekdays[(date + 4) % 7] ?? "sun"

const clocks = new Map<string, number>()

const clock = (text: string): number => {
  const time = clocks.get(text) ?? Number(text.slice(0, 2)) * hour + Number(text.slice(3)) * minute
  clocks.set(text, time)
  return time
}

const usual = [{ start: "09:00", end: "20:00" }]
const usualHours: Policy.CallingHours = {
  mon: usual,
  tue: usual,
  wed: usual,
  thu: usual,
  fri: usual,
  sat: usual,
  sun: usual
}
const usualLimits = [{ max: 3, windowSeconds: 86_400 }, { max: 7, windowSeconds: 604_800 }]
const usualGapSeconds = 14_400

export interface CampaignOracle {
  readonly placed: ReadonlyArray<Placed>
  readonly policyFrom: (from: number, policy: Policy.PolicyDocument) => void
  readonly paused: (from: number, until: number) => void
  readonly forbid: (number: string, from: number) => void
  readonly allow: (number: string, from: number) => void
  readonly place: (call: Placed) => void
  /** The call ended, and its line is free. */
  readonly released: (callId: string, at: number) => void
  readonly isForbidden: (number: string, at: number) => boolean
  readonly isPaused: (at: number) => boolean
  /** Whether the policy changed after `from`, up to `until`. */
  readonly hasChanged: (from: number, until: number) => boolean
  /** When the number may be dialed again as far as its limits go; `at` when now. */
  readonly limitsAllow: (number: string, at: number) => number
  /** Whether the calling hours of every zone allow a dial. */
  readonly isOpen: (wish: Wish, at: number) => boolean
  /** Whether another call to the number was placed later. */
  readonly wasPlacedAfter: (call: Wish & { readonly callId: string }, at: number) => boolean
  /** The rules that forbid a dial at this instant. */
  readonly against: (wish: Wish, at: number) => ReadonlyArray<string>
  /** The first instant that the rules about time allow, by what is known at `at`. */
  readonly due: (wish: Wish, at: number) => Due
  /** The start of the stretch up to `at` in which the call's own rules allowed it all along. */
  readonly allowedSince: (wish: Wish, at: number) => number
  readonly isBusy: (number: string, at: number) => boolean
  readonly placedOnDayOf: (at: number) => number
  readonly dailyLimit: (at: number) => number
  /** Every instant at which the account's room for a call may have changed, in order. */
  readonly changes: () => ReadonlyArray<number>
}

export const make = (accountZone: string): CampaignOracle => {
  const versions: Array<Version> = []
  const pauses: Array<readonly [number, number]> = []
  const placed: Array<Placed> = []
  const dials = new Map<string, Array<Placed>>()
  const releases = new Map<string, number>()
  const firstOfDay = new Map<number, number>()
  const forbidden = new Map<string, Array<{ readonly from: number; readonly isForbidden: boolean }>>()

  const policyAt = (at: number): Policy.PolicyDocument => {
    for (let index = versions.length - 1; index >= 0; index--) {
      const version = versions[index]
      if (version !== undefined && version.from <= at) return version.policy
    }
    throw new Error("There is no policy yet")
  }

  const own = (at: number, agentId: string) => {
    const policy = policyAt(at)
    const agent = policy.agents?.[agentId]
    return {
      hours: agent?.callingHours ?? policy.callingHours ?? usualHours,
      excluded: agent?.excludedDates ?? policy.excludedDates ?? [],
      gap: (agent?.recallGapSeconds ?? policy.recallGapSeconds ?? usualGapSeconds) * 1000
    }
  }

  const zonesOf = ({ zones }: Wish, at: number): ReadonlyArray<string> => {
    const fallback = policyAt(at).fallbackTimeZone
    return zones.length > 0 || fallback === undefined ? zones : [fallback]
  }

  /** For each policy, agent and zone the minutes that are known: 1 is closed, 2 is open. */
  const minutes = new Map<Policy.PolicyDocument, Map<string, Map<string, Uint8Array>>>()

  const minutesOf = (policy: Policy.PolicyDocument, agentId: string, zone: string): Uint8Array => {
    const byAgent = minutes.get(policy) ?? new Map<string, Map<string, Uint8Array>>()
    minutes.set(policy, byAgent)
    const byZone = byAgent.get(agentId) ?? new Map<string, Uint8Array>()
    byAgent.set(agentId, byZone)
    const made = byZone.get(zone) ?? new Uint8Array((35 * day) / minute)
    byZone.set(zone, made)
    return made
  }

  const isOpenIn = (zone: string, at: number, agentId: string): boolean => {
    // One answer for a minute: windows begin and end with minutes.
    const known = minutesOf(policyAt(at), agentId, zone)
    const index = Math.floor((at - (versions[0]?.from ?? 0)) / minute)
    if (known[index] !== 0) return known[index] === 2
    known[index] = computeOpenIn(zone, at, agentId) ? 2 : 1
    return known[index] === 2
  }

  const computeOpenIn = (zone: string, at: number, agentId: string): boolean => {
    const { excluded, hours } = own(at, agentId)
    const date = dateIn(zone, at)
    const time = at + offset(zone, at) - date * day
    const isExcluded = excluded.includes(dateText(date))
    const today = (hours[weekdayOf(date)] ?? []).some(({ end, start }) =>
      clock(start) <= time && (clock(end) <= clock(start) || time < clock(end))
    )
    const sinceYesterday = !excluded.includes(dateText(date - 1)) &&
      (hours[weekdayOf(date - 1)] ?? []).some(({ end, start }) => clock(end) <= clock(start) && time < clock(end))
    return !isExcluded && (today || sinceYesterday)
  }

  const isOpen = (wish: Wish, at: number): boolean => {
    const zones = zonesOf(wish, at)
    return zones.length > 0 && zones.every((zone) => isOpenIn(zone, at, wish.agentId))
  }

  const dialsUntil = (number: string, at: number) => (dials.get(number) ?? []).filter((dial) => dial.at <= at)

  const gapEnds = ({ agentId, number }: Wish, at: number): number => {
    const last = dialsUntil(number, at).at(-1)
    return last === undefined ? 0 : last.at + own(at, agentId).gap
  }

  const limitsAllow = (number: string, at: number): number =>
    Math.max(
      at,
      ...(policyAt(at).numberLimits ?? usualLimits).map(({ max, windowSeconds }) => {
        const counted = dialsUntil(number, at).filter((dial) => dial.at > at - windowSeconds * 1000)
        const leaving = counted[counted.length - max]
        return leaving === undefined ? at : leaving.at + windowSeconds * 1000
      })
    )

  /** When a limit of the number last ended. */
  const limitsEnded = (number: string, at: number): number => {
    const known = dialsUntil(number, at - 1)
    return Math.max(
      0,
      ...(policyAt(at).numberLimits ?? usualLimits).flatMap(({ max, windowSeconds }) =>
        known.flatMap((dial, index) => {
          const end = dial.at + windowSeconds * 1000
          const full = known[index + max - 1]
          return full !== undefined && full.at < end && end <= at ? [end] : []
        })
      )
    )
  }

  const placedBy = (at: number): number => {
    let [low, high] = [0, placed.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((placed[middle]?.at ?? Infinity) <= at) low = middle + 1
      else high = middle
    }
    return low
  }

  const placedOnDayOf = (at: number): number => {
    const first = firstOfDay.get(dateIn(accountZone, at))
    return first === undefined ? 0 : Math.max(0, placedBy(at) - first)
  }

  const dailyLimit = (at: number): number => policyAt(at).dailyLimit ?? Infinity

  const dayAfter = (at: number): number => {
    const today = dateIn(accountZone, at)
    let next = Math.floor(at / quarter) * quarter
    while (dateIn(accountZone, next) <= today) next += quarter
    return next
  }

  const isBusy = (number: string, at: number): boolean =>
    (dials.get(number) ?? []).some((dial) => dial.at <= at && at < (releases.get(dial.callId) ?? Infinity))

  const isForbidden = (number: string, at: number): boolean =>
    forbidden.get(number)?.findLast(({ from }) => from <= at)?.isForbidden ?? false

  const isPaused = (at: number): boolean => pauses.some(([from, until]) => from <= at && at < until)

  /** By what is known at `known`, whether the rules about time forbid a dial at `at`. */
  const reasons = (wish: Wish, at: number, known: number): ReadonlyArray<string> => {
    const newDay = dateIn(accountZone, at) > dateIn(accountZone, known)
    return [
      ...(isOpen(wish, at) ? [] : [zonesOf(wish, at).length === 0 ? "unknown_time_zone" : "outside_calling_hours"]),
      ...(gapEnds(wish, known) <= at ? [] : ["recall_gap"]),
      ...(limitsAllow(wish.number, known) <= at ? [] : ["number_limit"]),
      ...(newDay || placedOnDayOf(known) < dailyLimit(known) ? [] : ["daily_limit"]),
      ...(wish.notBefore <= at ? [] : [wish.wasUnavailable === true ? "carrier_unavailable" : "not_before"])
    ]
  }

  const due = (wish: Wish, at: number): Due => {
    if (zonesOf(wish, at).length === 0) return { at: undefined, code: "unknown_time_zone" }
    const least = Math.max(
      at,
      wish.notBefore,
      gapEnds(wish, at),
      limitsAllow(wish.number, at),
      placedOnDayOf(at) >= dailyLimit(at) ? dayAfter(at) : at
    )
    let first = least
    while (!isOpen(wish, first)) {
      first = Math.floor(first / minute) * minute + minute
      if (first > at + 20 * day) return { at: undefined, code: "never" }
    }
    return { at: first, code: first === at ? undefined : reasons(wish, first - 1, at)[0] }
  }

  return {
    placed,
    policyFrom: (from, policy) => void versions.push({ from, policy }),
    paused: (from, until) => void pauses.push([from, until]),
    forbid: (number, from) => void forbidden.set(number, [...forbidden.get(number) ?? [], { from, isForbidden: true }]),
    allow: (number, from) => void forbidden.set(number, [...forbidden.get(number) ?? [], { from, isForbidden: false }]),
    place: (call) => {
      const date = dateIn(accountZone, call.at)
      if (!firstOfDay.has(date)) firstOfDay.set(date, placed.length)
      placed.push(call)
      if (call.counts) dials.set(call.number, [...dials.get(call.number) ?? [], call])
    },
    released: (callId, at) => void releases.set(callId, at),
    isForbidden,
    isPaused,
    hasChanged: (from, until) => versions.some((version) => from < version.from && version.from <= until),
    limitsAllow,
    isOpen,
    wasPlacedAfter: ({ callId, number }, at) =>
      (dials.get(number) ?? []).some((dial) => dial.callId !== callId && dial.at > at),
    against: (wish, at) => [
      ...(isForbidden(wish.number, at) ? ["do_not_call"] : []),
      ...(isPaused(at) ? ["account_paused"] : []),
      ...reasons(wish, at, at)
    ],
    due,
    allowedSince: (wish, at) => {
      const least = Math.max(
        wish.createdAt,
        wish.notBefore,
        gapEnds(wish, at - 1),
        limitsEnded(wish.number, at),
        ...dialsUntil(wish.number, at - 1).map(({ callId }) => releases.get(callId) ?? 0),
        ...versions.map(({ from }) => from <= at ? from : 0),
        ...pauses.map(([, until]) => until <= at ? until : 0)
      )
      let since = at
      for (let before = Math.ceil(at / minute) * minute - minute; since > least; before -= minute) {
        if (!isOpen(wish, before)) break
        since = Math.max(least, before)
      }
      return since
    },
    isBusy,
    placedOnDayOf,
    dailyLimit,
    changes: () =>
      [
        ...placed.flatMap(({ at }) => [at, at + 1000]),
        ...releases.values(),
        ...versions.map(({ from }) => from),
        ...pauses.flat(),
        ...[...firstOfDay.values()].map((index) => dayAfter(placed[index]?.at ?? 0))
      ].toSorted((one, other) => one - other)
  }
}
