/** Spans of time as people write them into forms: `4 h`, `90 min`, `1 d`. */

const units = [["d", 86_400], ["h", 3_600], ["min", 60], ["s", 1]] as const

/** Such as `4 h`, in the largest unit that leaves no rest. */
export const durationText = (seconds: number): string => {
  const [unit, length] = seconds === 0 ? units[3] : units.find(([, length]) => seconds % length === 0) ?? units[3]
  return `${seconds / length} ${unit}`
}

/** Seconds of `4 h`, `90 min`, `1 d` or `30`; other text as it is, so that the server says what is wrong. */
export const durationOf = (text: string): number | string => {
  const match = /^([0-9]+)\s*(d|h|m|min|s|)$/i.exec(text.trim())
  if (match === null) return text.trim()
  const unit = match[2]?.toLowerCase() === "m" ? "min" : match[2]?.toLowerCase()
  return Number(match[1]) * (units.find(([name]) => name === unit)?.[1] ?? 1)
}
