/** What is to happen in a campaign, and when. */
import type { Engine } from "@outdial/core"
import type { Effect } from "effect"

export type What = Effect.Effect<void, unknown, Engine.Services>

export interface Diary {
  readonly add: (at: number, what: What) => void
  /** The next instant at which something happens; infinity when nothing is left. */
  readonly first: () => number
  /** What happens at this instant, which is crossed out. */
  readonly take: (at: number) => ReadonlyArray<What>
}

/** Happenings in order of time; those of one instant in order of insertion. */
export const make = (): Diary => {
  const pages = new Map<number, Array<What>>()
  const times: Array<number> = []
  return {
    add: (at: number, what: What) => {
      const page = pages.get(at)
      if (page !== undefined) return void page.push(what)
      pages.set(at, [what])
      const index = times.findLastIndex((time) => time < at)
      times.splice(index + 1, 0, at)
    },
    first: () => times[0] ?? Infinity,
    take: (at: number): ReadonlyArray<What> => {
      if (times[0] !== at) return []
      times.shift()
      const page = pages.get(at) ?? []
      pages.delete(at)
      return page
    }
  }
}
