/**
 * Looks back on a campaign that is over: whether each call came to one end, no more phones rang at once than there are
 * lines, and no call waited while its own rules allowed it and the account had room.
 */
import type { Call, Event } from "@outdial/core"
import type { Accepted, Campaign } from "./Campaign.ts"
import * as Plan from "./CampaignPlan.ts"

const minute = 60_000
/** One per line, and no more than ten. */
const callsPerSecond = 10

export interface Verdict {
  readonly wrong: ReadonlyArray<string>
  /** How many calls ended in each status. */
  readonly ends: Readonly<Record<string, number>>
  /** How many calls were dialed at the very instant that had been shown. */
  readonly onTheDot: number
}

const iso = (at: number | undefined): string => at === undefined ? "never" : new Date(at).toISOString()

export const make = (
  { accepted, oracle, rings, shown }: Campaign,
  records: ReadonlyMap<string, Call.CallRecord>,
  events: ReadonlyArray<Event.EventRecord>
): Verdict => {
  const wrong: Array<string> = []
  const ends: Record<string, number> = {}
  const placedAt = new Map(oracle.placed.map(({ at, callId }) => [callId, at]))
  const ended = new Map<string, number>()
  for (const { callId, createdAt } of events) {
    if (callId === undefined) continue
    if (ended.has(callId)) wrong.push(`${callId} has two terminal events`)
    ended.set(callId, createdAt.epochMilliseconds)
    if (placedAt.has(callId)) oracle.released(callId, createdAt.epochMilliseconds)
  }

  const hasRung = new Set<string>()
  for (const { at, callId } of rings) {
    if (hasRung.has(callId)) wrong.push(`${callId} rang twice`)
    hasRung.add(callId)
    if (records.get(callId)?.dialedAt?.epochMilliseconds !== at) wrong.push(`${callId} rang when it says it did not`)
  }

  // Lines in use and calls of the last second, after all that happened at each change.
  const changes = [...new Set(oracle.changes())]
  const steps = [
    ...oracle.placed.map(({ at }) => ({ at, line: 1 })),
    ...oracle.placed.map(({ callId }) => ({ at: ended.get(callId) ?? Infinity, line: -1 }))
  ].toSorted((one, other) => one.at - other.at)
  let inUse = 0
  let step = 0
  let [oldest, newest] = [0, 0]
  const hasRoom = changes.map((at) => {
    for (let next = steps[step]; next !== undefined && next.at <= at; next = steps[++step]) inUse += next.line
    while ((oracle.placed[newest]?.at ?? Infinity) <= at) newest += 1
    while ((oracle.placed[oldest]?.at ?? Infinity) <= at - 1000) oldest += 1
    if (inUse > Plan.lines) wrong.push(`${iso(at)} ${inUse} lines are in use`)
    if (newest - oldest > callsPerSecond) wrong.push(`${iso(at)} ${newest - oldest} calls were placed in a second`)
    return inUse < Plan.lines && newest - oldest < callsPerSecond && !oracle.isPaused(at) &&
      oracle.placedOnDayOf(at) < oracle.dailyLimit(at)
  })
  const indexAt = (at: number): number => {
    let [low, high] = [0, changes.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((changes[middle] ?? Infinity) <= at) low = middle + 1
      else high = middle
    }
    return low - 1
  }
  const hadRoomAt = (at: number): boolean => hasRoom[indexAt(at)] ?? false
  const hadRoomIn = (from: number, until: number): number | undefined => {
    for (let index = indexAt(from); (changes[index] ?? Infinity) < until; index++) {
      if (hasRoom[index] === true) return changes[index]
    }
    return undefined
  }

  /** Whole minutes at which the call could have been dialed and was not. */
  const missed = (call: Accepted, until: number): number | undefined => {
    for (let at = Math.ceil(call.createdAt / minute) * minute; at < until; at += minute) {
      if (
        oracle.isOpen(call, at) && hadRoomAt(at) && oracle.against(call, at).length === 0 &&
        !oracle.isBusy(call.number, at)
      ) return at
    }
    return undefined
  }

  let seen = 0
  for (const call of accepted.values()) {
    const { callId, expiresAt, number } = call
    const record = records.get(callId)
    const end = ended.get(callId)
    if (record === undefined || end === undefined) {
      wrong.push(`${number} never came to an end`)
      continue
    }
    ends[record.status] = (ends[record.status] ?? 0) + 1
    const dialedAt = placedAt.get(callId)
    if (dialedAt !== undefined) {
      if (record.dialedAt?.epochMilliseconds !== dialedAt) wrong.push(`${number} was dialed at ${iso(dialedAt)}`)
      if (oracle.isBusy(number, dialedAt - 1)) {
        const other = oracle.placed.find((one) =>
          one.number === number && one.callId !== callId && one.at < dialedAt &&
          dialedAt < (ended.get(one.callId) ?? Infinity)
        )
        if (other !== undefined) wrong.push(`${number} was dialed at ${iso(dialedAt)} while a call to it was going on`)
      }
      const since = oracle.allowedSince(call, dialedAt)
      const room = hadRoomIn(since, dialedAt)
      if (room !== undefined) {
        wrong.push(`${number} might have been dialed at ${iso(Math.max(room, since))}, and was at ${iso(dialedAt)}`)
      }
      // Going through all their minutes takes long, so that is done for some.
      if (seen++ % 5 > 0) continue
      const at = missed(call, since)
      if (at !== undefined) wrong.push(`${number} might have been dialed at ${iso(at)}, and was at ${iso(dialedAt)}`)
      continue
    }
    if (record.status === "expired" ? end !== expiresAt : record.status !== "canceled") {
      wrong.push(`${number} was never dialed and is ${record.status} at ${iso(end)}`)
    }
    if (record.status === "canceled" && !oracle.isForbidden(number, end)) {
      wrong.push(`${number} was canceled for nothing`)
    }
    const at = missed(call, end)
    if (at !== undefined) wrong.push(`${number} was never dialed, and might have been at ${iso(at)}`)
  }

  let onTheDot = 0
  for (const { at, call, scheduledFor } of shown) {
    const dialedAt = placedAt.get(call.callId)
    if (dialedAt === undefined) continue
    if (dialedAt === scheduledFor) onTheDot += 1
    if (oracle.hasChanged(at, dialedAt) || oracle.wasPlacedAfter(call, at)) continue
    if (dialedAt < scheduledFor) wrong.push(`${call.number} was to ring at ${iso(scheduledFor)}, not ${iso(dialedAt)}`)
    const couldRing = hadRoomAt(scheduledFor) && (accepted.get(call.callId)?.notBefore ?? 0) <= scheduledFor
    if (dialedAt > scheduledFor && couldRing) {
      wrong.push(`${call.number} was to ring at ${iso(scheduledFor)}, and rang at ${iso(dialedAt)}`)
    }
  }
  return { wrong, ends, onTheDot }
}
