/**
 * An explanation as people read it: a table of the rules, and below it what comes of them. Instants are shown in UTC and as the
 * callee's clocks show them.
 */
import type { Explanation, ZoneOffset } from "@outdial/core"
import { DateTime, Option, type Schema } from "effect"

export const lines = (
  explanation: Explanation.Explanation,
  offset: ZoneOffset.ZoneOffsets
): ReadonlyArray<string> => {
  const { at, callId, callStatus, phoneNumber, rules, timeZones } = explanation
  const zones = timeZones.length > 0 ? timeZones : fallbackOf(explanation)
  const local = (instant: DateTime.Utc) => localTimes(instant, zones, offset)
  return [
    ...(callId === undefined ? [] : [`${callId} is ${callStatus}`]),
    `${phoneNumber} at ${DateTime.formatIso(at)}`,
    timeZones.length > 0
      ? `The callee's clock shows ${local(at)}`
      : `The callee's time zone is not known${zones.length > 0 ? `; the account's fallback shows ${local(at)}` : ""}`,
    ...(rules.length === 0 ? [] : [
      "",
      ...table([
        ["rule", "now", "next allowed (UTC)", "in the callee's zone", "decided from"],
        ...rules.map(({ allows, data, nextAllowedAt, rule }) => [
          rule,
          allows ? "allows" : "holds",
          nextAllowedAt === undefined ? "" : DateTime.formatIso(nextAllowedAt),
          nextAllowedAt === undefined ? "" : local(nextAllowedAt),
          dataText(data)
        ])
      ])
    ]),
    "",
    ...decision(explanation, local)
  ]
}

const decision = (
  { callStatus, code, decision, reason, scheduledFor, workerAlive }: Explanation.Explanation,
  local: (instant: DateTime.Utc) => string
): ReadonlyArray<string> => {
  const why = code === undefined ? "" : `: ${code}${reason === undefined ? "" : ` (${reason})`}`
  return [
    `decision       ${verdicts[decision]}${decision === "none" ? `, it is ${callStatus}` : ""}${why}`,
    ...(scheduledFor === undefined ? [] : [
      `scheduled_for  ${[DateTime.formatIso(scheduledFor), local(scheduledFor)].filter(Boolean).join(" = ")}`
    ]),
    ...(workerAlive === false
      ? [
        "workers        none dials now: nothing is dialed until outdial serve, or an engine with workers, runs on this database with a certain clock"
      ]
      : [])
  ]
}

const verdicts: Readonly<Record<Explanation.Explanation["decision"], string>> = {
  dial: "dial now",
  wait: "wait",
  refuse: "refuse",
  none: "none, since the call does not wait"
}

/** The zone in which a callee is looked for whose own is not known. */
const fallbackOf = ({ rules }: Explanation.Explanation): ReadonlyArray<string> =>
  rules.flatMap(({ data }) => typeof data["fallback_time_zone"] === "string" ? [data["fallback_time_zone"]] : [])

/** Zones shown by name; a number that may lie in more of them is rare, and the earliest and latest are among the others. */
const zonesShown = 3

const localTimes = (instant: DateTime.Utc, zones: ReadonlyArray<string>, offset: ZoneOffset.ZoneOffsets): string => {
  const more = zones.length - zonesShown
  return [
    ...zones.slice(0, zonesShown).map((zone) => `${localTime(instant, zone, offset)} ${zone}`),
    ...(more > 0 ? [`and ${more} more`] : [])
  ].join(", ")
}

/** By the port's clocks and not by the runtime's, which the deployment may have corrected. */
const localTime = (instant: DateTime.Utc, zone: string, offset: ZoneOffset.ZoneOffsets): string => {
  const offsetMs = offset(zone, instant.epochMilliseconds)?.offsetMs
  const wall = offsetMs === undefined ? Option.none() : DateTime.make(instant.epochMilliseconds + offsetMs)
  return Option.match(wall, {
    onNone: () => "unknown",
    onSome: (wall) => `${weekday(wall)} ${DateTime.formatIso(wall).slice(0, 16).replace("T", " ")}`
  })
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
const weekday = (wall: DateTime.Utc): string => weekdays[DateTime.getPartUtc(wall, "weekDay")] ?? ""

const dataText = (data: Explanation.Verdict["data"]): string =>
  Object.entries(data).map(([name, value]) => `${name} ${typeof value === "string" ? value : short(value)}`).join(", ")

/** Items of a list shown: a number may have been dialed hundreds of times. JSON has all of them. */
const itemsShown = 3

const short = (value: Schema.Json): string => {
  if (!Array.isArray(value) || value.length <= itemsShown) return JSON.stringify(value)
  return `${JSON.stringify(value.slice(0, itemsShown))} and ${value.length - itemsShown} more`
}

/** Columns as wide as their widest cell, but for the last. */
const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd())
}
