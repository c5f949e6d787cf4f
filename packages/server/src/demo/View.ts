/** Prints a campaign: a live table on terminals, a line elsewhere, and a summary at the end. */
import { DateTime, Option } from "effect"
import * as Campaign from "./Campaign.ts"
import type { BatchProgress, Progress } from "./Progress.ts"

const width = 24

const bar = (part: number, whole: number) => {
  const full = whole === 0 ? 0 : Math.round((part / whole) * width)
  return "█".repeat(full) + "░".repeat(width - full)
}

/** The local time of the city. */
const clock = (timeZone: string, at: DateTime.Utc) =>
  DateTime.formatIntl(at, new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone }))

const state = ({ city, ended, live, total, waiting }: BatchProgress): string => {
  const talking = live === 0 ? [] : [`${live} on the phone`]
  if (ended === total) return "done"
  if (Option.isNone(waiting)) return talking.join("")
  const { code, until } = waiting.value
  const why = code === "outside_calling_hours" && until !== undefined
    ? `waits for ${clock(city.timeZone, until)} there`
    : `${total - ended - live} waiting`
  return [...talking, why].join(", ")
}

const outcomes = ({ ends }: Progress): string => {
  const parts = [...ends].filter(([, count]) => count > 0).map(([status, count]) => `${count} ${status}`)
  return parts.length === 0 ? "none yet" : parts.join(" · ")
}

/** The live table, line by line. */
export const picture = (progress: Progress): ReadonlyArray<string> => [
  ...progress.batches.map((batch) =>
    [
      batch.city.name.padEnd(9),
      clock(batch.city.timeZone, progress.at),
      bar(batch.ended, batch.total),
      `${String(batch.ended).padStart(3)}/${batch.total}`,
      state(batch)
    ].join("  ")
  ),
  "",
  `lines     ${bar(progress.linesInUse, Campaign.lines)}  ${progress.linesInUse} of ${Campaign.lines} in use`,
  `outcomes  ${outcomes(progress)}`,
  `events    ${progress.events.received} received, each signature verified`
]

/** The same in one line. */
export const line = (progress: Progress): string =>
  [
    ...progress.batches.map((batch) =>
      `${batch.city.name} ${clock(batch.city.timeZone, progress.at)} ${batch.ended}/${batch.total}`
    ),
    `lines ${progress.linesInUse}/${Campaign.lines}`,
    `events ${progress.events.received}`
  ].join(" | ")

/** The guarantees that a campaign checks. */
export const faults = ({ batches, events, rings }: Progress): ReadonlyArray<string> => {
  const rung = rings.map(({ callId }) => callId)
  const early = rings.filter(({ at, phoneNumber }) => {
    const city = Campaign.cities.find(({ prefix }) => phoneNumber.startsWith(prefix))
    const time = clock(city?.timeZone ?? "UTC", at)
    return time < "09:00" || time >= "20:00"
  })
  const calls = batches.reduce((sum, { total }) => sum + total, 0)
  return [
    ...(new Set(rung).size < rung.length ? ["a phone rang twice for one call"] : []),
    ...(early.length > 0 ? [`${early.length} phones rang outside calling hours`] : []),
    ...(events.refused > 0 ? [`${events.refused} deliveries did not verify`] : []),
    ...(events.received !== calls ? [`${events.received} of ${calls} calls were reported`] : [])
  ]
}

export const summary = (progress: Progress, seconds: number): ReadonlyArray<string> => {
  const { batches, events, rings } = progress
  const calls = batches.reduce((sum, { total }) => sum + total, 0)
  const found = faults(progress)
  return [
    "",
    `${calls} calls in ${batches.length} cities ended: ${outcomes(progress)}`,
    `${rings.length} phones rang, ${events.received} events arrived (${events.repeated} of them more than once), in ${seconds} seconds`,
    ...(found.length === 0
      ? [
        "No phone rang twice for one call, none outside 09:00 to 20:00 of its own clocks, and every call was reported."
      ]
      : found.map((fault) => `✗ ${fault}`))
  ]
}
