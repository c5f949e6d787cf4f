/**
 * How the table of zones by number is made from its source: names brought up to date, what is not tied to a place dropped, and
 * starts left out whose answer a shorter one gives. Pure, so that a test can repeat it without the source.
 */

/** Zones by the digits that a number begins with. */
export type Zones = ReadonlyMap<string, ReadonlyArray<string>>

interface Rename {
  /** The starts that it holds for: all that begin so. */
  readonly under: string
  readonly from: string
  readonly to: ReadonlyArray<string>
}

/** Names that the time zone database has given up for others. */
const legacy: ReadonlyArray<Rename> = Object.entries({
  "Africa/Asmera": "Africa/Asmara",
  "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Godthab": "America/Nuuk",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Choibalsan": "Asia/Ulaanbaatar",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk"
}).map(([from, to]) => ({ under: "", from, to: [to] }))

/** Zones of other countries that the source takes for want of the right one, and whose clocks have parted since. */
const borrowed: ReadonlyArray<Rename> = [
  // Labrador changes its clocks, Puerto Rico does not.
  { under: "1709", from: "America/Puerto_Rico", to: ["America/Goose_Bay"] },
  { under: "1709", from: "America/Halifax", to: ["America/Goose_Bay"] },
  { under: "1879", from: "America/Puerto_Rico", to: ["America/Goose_Bay"] },
  // Dutch Harbor has Alaska's time.
  { under: "1907", from: "Pacific/Honolulu", to: ["America/Anchorage"] },
  { under: "1", from: "America/North_Dakota/Center", to: ["America/Chicago"] },
  // South Sudan left East Africa's time on 2021-02-01.
  { under: "211", from: "Africa/Nairobi", to: ["Africa/Juba"] },
  { under: "212", from: "Atlantic/Canary", to: ["Africa/Casablanca"] },
  { under: "213", from: "Europe/Paris", to: ["Africa/Algiers"] },
  { under: "218", from: "Europe/Bucharest", to: ["Africa/Tripoli"] },
  { under: "505", from: "America/Chicago", to: ["America/Managua"] },
  { under: "52", from: "America/New_York", to: ["America/Cancun"] },
  { under: "7", from: "Europe/Bucharest", to: ["Europe/Kaliningrad"] },
  { under: "970", from: "Europe/Bucharest", to: ["Asia/Gaza", "Asia/Hebron"] }
]

const renamed = (start: string, zone: string): ReadonlyArray<string> =>
  [...borrowed, ...legacy].find(({ from, under }) => from === zone && start.startsWith(under))?.to ?? [zone]

const sorted = (zones: Iterable<string>): ReadonlyArray<string> => [...new Set(zones)].sort()

/** All of North America's zones at once, which the source gives where it does not know the area code. */
const isAnywhere = (start: string): boolean => start === "1"

/**
 * Area codes of North America that have several clocks: an exchange that the source does not list, be it new, may have any of
 * them.
 */
const widened = (zones: Zones): Zones => {
  const ofArea = Map.groupBy([...zones].filter(([start]) => /^1\d{3}/.test(start)), ([start]) => start.slice(0, 4))
  return new Map([
    ...zones,
    ...Array.from(ofArea, ([area, entries]) => [area, sorted(entries.flatMap(([, some]) => some))] as const)
  ])
}

/** The answer for a start, by its longest start that is there. */
const answer = (zones: Zones, start: string): ReadonlyArray<string> | undefined =>
  Array.from(start, (_, index) => zones.get(start.slice(0, start.length - index))).find((found) => found !== undefined)

/** Without the starts whose answer is that of a shorter one. */
export const compacted = (zones: Zones): Zones =>
  new Map([...zones].filter(([start, own]) => answer(zones, start.slice(0, -1))?.join() !== own.join()))

/** The table of a source. */
export const fromSource = (source: Zones): Zones =>
  compacted(widened(
    new Map(
      [...source].filter(([start]) => !isAnywhere(start))
        .map(([start, zones]) => [start, sorted(zones.flatMap((zone) => renamed(start, zone)))] as const)
    )
  ))

/** As text: the zones, joined by `&`, then the starts that have them; in order, so that a change shows as one. */
export const packed = (zones: Zones): string => {
  const startsOf = Map.groupBy(zones, ([, own]) => own.join("&"))
  const words = [...startsOf].sort(([one], [other]) => one < other ? -1 : 1)
    .flatMap(([own, entries]) => [own, ...entries.map(([start]) => start).sort()])
  return wrapped(words)
}

const width = 118

const wrapped = (words: ReadonlyArray<string>): string =>
  words.reduce<Array<string>>((lines, word) => {
    const line = lines.at(-1)
    if (line === undefined || line.length + 1 + word.length > width || /^\D/.test(word)) return [...lines, word]
    return [...lines.slice(0, -1), `${line} ${word}`]
  }, []).join("\n")
