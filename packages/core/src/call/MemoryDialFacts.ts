/** The facts for the calling rules, read from memory. */
import { DateTime, Duration } from "effect"
import { countsAsDial } from "../domain/Call.ts"
import type { CarrierName } from "../domain/Ids.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import * as DialFacts from "../rules/policy/DialFacts.ts"
import { type Aliases, known } from "../privacy/MemoryAliases.ts"
import { isDialingPaused, isPaused, pausedCarriers, runningCarriers } from "../storage/MemoryCarrierPauses.ts"
import { callsOf, type Database, type Tables } from "../storage/MemoryTables.ts"
import type { DialFactsOptions } from "./CallStore.ts"

export const accountFacts = (
  db: Database,
  tables: Tables,
  { carrier, now, rules }: Pick<DialFactsOptions, "now" | "rules"> & { readonly carrier?: CarrierName }
): DialFacts.AccountFacts => {
  const dayStart = rules.dayStart(tables.account, now)
  const aSecondAgo = DateTime.subtractDuration(now, Duration.seconds(1))
  const since = dayStart === undefined ? aSecondAgo : DateTime.min(dayStart, aSecondAgo)
  let placedToday = 0
  const placedLastSecond: Array<DateTime.Utc> = []
  // Newest first. Calls before the day and the second do not count.
  for (let index = tables.placed.length - 1; index >= 0; index--) {
    const placed = tables.placed[index]
    if (placed === undefined || DateTime.isLessThan(placed.at, since)) break
    const { at, id } = placed
    if (tables.calls.get(id)?.dialedAt !== at) continue
    if (dayStart !== undefined && DateTime.isGreaterThanOrEqualTo(at, dayStart)) placedToday += 1
    if (DateTime.isGreaterThan(at, aSecondAgo)) placedLastSecond.push(at)
  }
  return {
    now,
    account: tables.account,
    deploymentPaused: db.deploymentPaused,
    carrierPaused: carrier === undefined ? isDialingPaused(db, now) : isPaused(db, carrier),
    pausedCarriers: pausedCarriers(db),
    runningCarriers: carrier === undefined ? runningCarriers(db, now) : new Set(),
    linesInUse: tables.live.size,
    placedToday,
    placedLastSecond: placedLastSecond.sort(DateTime.Order),
    placedNow: 0
  }
}

/** Includes the facts under the alias of a number that was erased. */
export const numberFacts = (
  tables: Tables,
  number: PhoneNumber,
  now: DateTime.Utc,
  aliases: Aliases = known(tables)
): DialFacts.NumberFacts => {
  const alias = aliases.get(number)
  const facts = factsOf(tables, number, now)
  if (alias === undefined) return facts
  return DialFacts.withAlias(facts, factsOf(tables, alias, now), DialFacts.history(tables.account, now).most)
}

const factsOf = (tables: Tables, number: PhoneNumber, now: DateTime.Utc): DialFacts.NumberFacts => {
  const { most, since } = DialFacts.history(tables.account, now)
  const calls = callsOf(tables, tables.byNumber.get(number) ?? [])
  const dials = calls.flatMap((call) => call.dialedAt !== undefined && countsAsDial(call) ? [call.dialedAt] : [])
  const waitingCallId = tables.waiting.get(number)
  return {
    ...(waitingCallId !== undefined && { waitingCallId }),
    isBusy: calls.some(({ id }) => tables.live.has(id)),
    doNotCall: tables.doNotCall.has(number),
    dials: dials.filter((at) => DateTime.isGreaterThan(at, since)).sort((a, b) => DateTime.Order(b, a)).slice(0, most)
  }
}

export const accountSnapshot = (
  db: Database,
  tables: Tables,
  options: DialFactsOptions,
  aliases: Aliases
): DialFacts.AccountSnapshot => ({
  ...accountFacts(db, tables, options),
  numbers: new Map(options.phoneNumbers.map((number) => [number, numberFacts(tables, number, options.now, aliases)]))
})
