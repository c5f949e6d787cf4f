/** What the rules are asked with, and the do-not-call list. */
import { DateTime, Duration, Effect, Option } from "effect"
import { countsAsDial } from "../domain/Call.ts"
import { isErased, type PhoneNumber } from "../domain/PhoneNumber.ts"
import * as Page from "../domain/Page.ts"
import * as CallLife from "../rules/call/CallLife.ts"
import * as DialFacts from "../rules/policy/DialFacts.ts"
import type { AddDoNotCallOptions, DialFactsOptions, DoNotCallAdded, Standing, Storage } from "../engine/Storage.ts"
import { type Aliases, known, withAliases } from "../privacy/MemoryAliases.ts"
import { callsOf, type Database, save, type Tables, tablesOf } from "../storage/MemoryTables.ts"

export const accountFacts = (
  db: Database,
  tables: Tables,
  { now, rules }: Pick<DialFactsOptions, "now" | "rules">
): DialFacts.AccountFacts => {
  const dayStart = rules.dayStart(tables.account, now)
  const aSecondAgo = DateTime.subtractDuration(now, Duration.seconds(1))
  const since = dayStart === undefined ? aSecondAgo : DateTime.min(dayStart, aSecondAgo)
  let placedToday = 0
  const placedLastSecond: Array<DateTime.Utc> = []
  // The newest first: what lies before the day and the second does not count.
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
    linesInUse: tables.live.size,
    placedToday,
    placedLastSecond: placedLastSecond.sort(DateTime.Order),
    placedNow: 0
  }
}

/** With what stands under its alias, where it was erased once. */
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

export const standing = (
  db: Database,
  tables: Tables,
  options: DialFactsOptions,
  aliases: Aliases
): Standing => ({
  ...accountFacts(db, tables, options),
  numbers: new Map(options.phoneNumbers.map((number) => [number, numberFacts(tables, number, options.now, aliases)]))
})

export const addDoNotCall = (
  tables: Tables,
  { entries, events, now }: Pick<AddDoNotCallOptions, "entries" | "events" | "now">
): DoNotCallAdded => {
  const fresh = entries.filter(({ phoneNumber }) => !tables.doNotCall.has(phoneNumber))
  for (const entry of fresh) tables.doNotCall.set(entry.phoneNumber, entry)
  const waiting = callsOf(
    tables,
    entries.flatMap(({ phoneNumber }) => {
      const id = tables.waiting.get(phoneNumber)
      return id === undefined ? [] : [id]
    })
  )
  for (const call of new Set(waiting)) save(tables, call, CallLife.canceled(call, now, "do_not_call"), events)
  tables.account = { ...tables.account, epoch: tables.account.epoch + 1 }
  return { added: new Set(fresh.map(({ phoneNumber }) => phoneNumber)).size, canceled: new Set(waiting).size }
}

const position = <A extends { readonly phoneNumber: PhoneNumber; readonly createdAt: DateTime.Utc }>(entry: A) => ({
  id: entry.phoneNumber,
  createdAt: entry.createdAt,
  entry
})

export const methods = (db: Database) =>
  ({
    dialFacts: (options) => {
      const facts = (aliases: Aliases) => standing(db, tablesOf(db, options.accountId), options, aliases)
      return options.aliasesOf === undefined
        ? Effect.sync(() => facts(known(tablesOf(db, options.accountId))))
        : withAliases(db, options, facts)
    },
    addDoNotCall: (options) => Effect.sync(() => addDoNotCall(tablesOf(db, options.accountId), options)),
    removeDoNotCall: (accountId, number) => Effect.sync(() => tablesOf(db, accountId).doNotCall.delete(number)),
    getDoNotCall: (accountId, number) =>
      Effect.sync(() => Option.fromUndefinedOr(db.accounts.get(accountId)?.doNotCall.get(number))),
    listDoNotCall: ({ accountId, page }) =>
      Effect.sync(() => {
        const entries = [...tablesOf(db, accountId).doNotCall.values()].filter((entry) => !isErased(entry.phoneNumber))
        const all = entries.map(position).sort(Page.compare)
        const { hasMore, items } = Page.cut(all, page)
        return { hasMore, items: items.map(({ entry }) => entry) }
      })
  }) satisfies Partial<Storage["Service"]>
