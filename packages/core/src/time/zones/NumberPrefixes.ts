/** Zones by prefix of a number, packed in text and looked up by the longest known prefix. */

/** The zones of the longest start of a number (`+` and digits) that is known; `undefined` when none is. */
export type NumberPrefixes = (number: string) => ReadonlyArray<string> | undefined

/** Starts, as `+` and digits, with their zones. */
export type Entries = Iterable<readonly [start: string, zones: ReadonlyArray<string>]>

/** Reads text that names zones, joined by `&`, and after them the digits of all starts that have them. */
export const unpack = (text: string): ReadonlyArray<readonly [string, ReadonlyArray<string>]> => {
  let zones: ReadonlyArray<string> = []
  return text.split(/\s+/).flatMap((word) => {
    if (/^\d/.test(word)) return [[`+${word}`, zones] as const]
    zones = word.split("&")
    return []
  })
}

export const make = (entries: Entries): NumberPrefixes => {
  // A country code never begins with 0, so that the digits of a prefix are one number, which is cheaper to find than text.
  const zonesOf = new Map(Array.from(entries, ([start, zones]) => [Number(start.slice(1)), [...new Set(zones)].sort()]))
  const longest = Math.max(0, ...Array.from(zonesOf.keys(), (start) => String(start).length))
  return (number) => {
    const end = Math.min(longest + 1, number.length)
    let start = 0
    let found: ReadonlyArray<string> | undefined
    for (let i = 1; i < end; i++) {
      start = start * 10 + (number.charCodeAt(i) - 48)
      found = zonesOf.get(start) ?? found
    }
    return found
  }
}
