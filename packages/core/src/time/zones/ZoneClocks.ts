/**
 * The clocks of all zones, including a deployment's replacements of the runtime's data. A zone is opened on first use;
 * instances share nothing.
 */
import { DateTime } from "effect"
import type { ZoneOffset } from "../../rules/time/ZoneOffset.ts"
import * as ZoneClock from "./ZoneClock.ts"
import { fixedOffset, type ZoneReplacement } from "./ZoneOptions.ts"

/** The clock of a zone, by any of its names; `undefined` when there is no such zone. */
export type ZoneClocks = (zone: string) => ZoneClock.ZoneClock | undefined

// More names than the time zone database has. Names are read without regard to case, so there is no end of ways to write them.
const mostNames = 2000

export const make = (replacements: Readonly<Record<string, ZoneReplacement>> = {}): ZoneClocks => {
  const replacementOf = new Map(
    Object.entries(replacements).map(([zone, replacement]) => [ZoneClock.make(zone)?.name, replacement])
  )
  const byZone = new Map<string, ZoneClock.ZoneClock>()
  const byName = new Map<string, ZoneClock.ZoneClock>()

  const open = (zone: string): ZoneClock.ZoneClock | undefined => {
    const clock = ZoneClock.make(zone)
    if (clock === undefined) return undefined
    const replacement = replacementOf.get(clock.name)
    return byZone.get(clock.name) ?? (replacement === undefined ? clock : replaced(clock, replacement))
  }

  return (zone) => {
    const known = byName.get(zone)
    if (known !== undefined) return known
    const clock = open(zone)
    if (clock === undefined) return undefined
    if (byName.size >= mostNames) byName.clear()
    byName.set(zone, clock)
    byZone.set(clock.name, clock)
    return clock
  }
}

const replaced = (clock: ZoneClock.ZoneClock, { from, use }: ZoneReplacement): ZoneClock.ZoneClock => {
  const start = from === undefined ? -ZoneClock.farthest : DateTime.toEpochMillis(from)
  const offset = offsetOf(use)
  return { name: clock.name, offset: (at) => at < start ? endingBy(start, clock.offset(at)) : offset(at) }
}

/** The clock of `use`, read from the runtime: a replacement is never replaced itself. */
const offsetOf = (use: string): ZoneClock.ZoneClock["offset"] => {
  const [, sign, hours, minutes] = fixedOffset.exec(use) ?? []
  if (sign === undefined) return ZoneClock.make(use)?.offset ?? (() => undefined)
  const size = (Number(hours) * 60 + Number(minutes)) * 60_000
  const fixed = { offsetMs: sign === "-" ? -size : size, until: ZoneClock.farthest }
  return () => fixed
}

const endingBy = (end: number, offset: ZoneOffset | undefined): ZoneOffset | undefined =>
  offset === undefined || offset.until <= end ? offset : { ...offset, until: end }
