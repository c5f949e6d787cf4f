/** Finds the known name that was probably meant by an unknown one. Imports nothing, for programs without Effect. */

/** The known name nearest to `name`, or `undefined` when none is near. Case, hyphens and underscores do not count. */
export const nearestName = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const written = folded(name)
  let nearest: { readonly name: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const distance = distanceBetween(written, folded(candidate))
    if (distance !== undefined && (nearest === undefined || distance < nearest.distance)) {
      nearest = { name: candidate, distance }
    }
  }
  return nearest?.name
}

/** The message for an unknown name. */
export const unknownName = (name: string, known: ReadonlyArray<string>, noun: string): string => {
  const nearest = nearestName(name, known)
  if (nearest !== undefined) return `is not a known ${noun}; did you mean ${nearest}?`
  return `is not a known ${noun}; known are ${known.join(", ")}`
}

/** The problems of an object whose names must all be known: each unknown name, with a message that follows the name. */
export const unknownNames = (
  options: object,
  names: object,
  noun: string
): ReadonlyArray<{ readonly path: ReadonlyArray<string>; readonly message: string }> => {
  const isObject = typeof options === "object" && options !== null && !Array.isArray(options)
  if (!isObject) return [{ path: [`${noun}s`], message: "must be an object" }]
  const known = Object.keys(names)
  return Object.keys(options).filter((name) => !known.includes(name)).map((name) => ({
    path: [name],
    message: unknownName(name, known, noun)
  }))
}

const folded = (name: string): string => name.slice(0, longest).toLowerCase().replace(/[-_\s]/g, "")

/** Names are shorter by far; a longer text is compared by its beginning. */
const longest = 64

/** The distance of two names; `undefined` if it is too large for a typing error. */
const distanceBetween = (a: string, b: string): number | undefined => {
  const edits = Math.abs(a.length - b.length) > maxEdits(a, b) ? Infinity : editsBetween(a, b)
  if (edits <= maxEdits(a, b)) return edits
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a]
  // Such as `monday` for `mon` and `zone` for `timeZone`; any misspelling is nearer.
  const contained = shorter.length >= 3 && (longer.startsWith(shorter) || longer.endsWith(shorter))
  return contained ? longest + longer.length - shorter.length : undefined
}

/** One character in three may be wrong. */
const maxEdits = (a: string, b: string): number => Math.floor(Math.max(a.length, b.length) / 3)

/** Characters omitted, inserted, replaced, or swapped with their neighbour. */
const editsBetween = (a: string, b: string): number => {
  let before: ReadonlyArray<number> = []
  let row: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next.push(Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity
      ))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
