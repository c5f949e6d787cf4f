/**
 * An explanation as text: a table of the rules, and the decision below it. Instants are shown in UTC and as the callee's clocks
 * show them.
 */
import type { Explanation, ZoneOffset } from "@outdial/core"
import { DateTime, Option, type Schema } from "effect"

export const lines = (
  explanation: Explanation.Explanation,
  offset: ZoneOffset.ZoneOffsets
): ReadonlyArray<string> => {
  const { at, callId, callStatus, decidedAt, phoneNumber, rules, timeZones } = explanation
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
      ...(decidedAt === undefined ? [] : [`When the rules decided, at ${DateTime.formatIso(decidedAt)}:`]),
      ...table([
        [
          "rule",
          decidedAt === undefined ? "now" : "then",
          "next allowed (UTC)",
          "in the callee's zone",
          "decided from"
        ],
        ...rules.map(({ allows, data, nextAllowedAt, rule }) => [
          rule,
          verdict(allows, decidedAt !== undefined),
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
        "workers        no worker can dial now: start outdial serve, or an engine with workers, on this database, and check its clock"
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

const verdict = (allows: boolean, isPast: boolean): string => {
  if (isPast) return allows ? "allowed" : "held"
  return allows ? "allows" : "holds"
}

/** The fallback zone of callees whose own zone is unknown. */
const fallbackOf = ({ rules }: Explanation.Explanation): ReadonlyArray<string> =>
  rules.flatMap(({ data }) => typeof data["fallback_time_zone"] === "string" ? [data["fallback_time_zone"]] : [])

/** How many zones are shown by name. Few numbers may lie in more. */
const zonesShown = 3

const localTimes = (instant: DateTime.Utc, zones: ReadonlyArray<string>, offset: ZoneOffset.ZoneOffsets): string => {
  const more = zones.length - zonesShown
  return [
    ...zones.slice(0, zonesShown).map((zone) => `${localTime(instant, zone, offset)} ${zone}`),
    ...(more > 0 ? [`and ${more} more`] : [])
  ].join(", ")
}

/** Uses the port's time zone data, which the deployment may have corrected, and not the runtime's. */
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

/** How many items of a list are shown; `--json` prints all. */
const itemsShown = 3

const short = (value: Schema.Json): string => {
  if (!Array.isArray(value) || value.length <= itemsShown) return JSON.stringify(value)
  return `${JSON.stringify(value.slice(0, itemsShown))} and ${value.length - itemsShown} more`
}

/** Pads each column but the last to its widest cell. */
const table = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd())
}
