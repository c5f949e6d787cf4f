/**
 * The nodes that have the same carrier at one Asterisk. Each has an application of its own, and counts in a global variable of Asterisk that has the same name: a node whose
 * count stands still is dead, or as good as dead. Applications do not tell, because they outlive the sockets of their nodes.
 */
import { Clock, Duration, Effect, Option } from "effect"
import type { Application, AriApi } from "./AriApi.ts"

export interface Nodes {
  /** Counts, and sees which of the others do. Returns the applications of all, also of those that are gone. */
  readonly runOnce: Effect.Effect<ReadonlyArray<Application>, unknown>
  /** The other nodes of this Asterisk that live, as of the last run. */
  readonly others: () => ReadonlyArray<string>
}

/** How long a count may stand still: it is raised every five seconds. */
const deadAfter = Duration.seconds(15)

export const make = (
  { api, app, appPrefix }: { readonly api: AriApi; readonly app: string; readonly appPrefix: string }
): Nodes => {
  const seen = new Map<string, { readonly count: string; readonly at: number }>()
  let live: ReadonlyArray<string> = []
  let count = 0

  const runOnce = Effect.gen(function*() {
    count += 1
    yield* api.setVariable(app, String(count))
    const applications = (yield* api.applications).filter(({ name }) => name.startsWith(appPrefix))
    const now = yield* Clock.currentTimeMillis
    for (const { name } of applications) {
      const count = yield* api.variable(name)
      if (seen.get(name)?.count !== count) seen.set(name, { count, at: now })
    }
    const isLive = ({ name }: Application) => now - (seen.get(name)?.at ?? 0) < Duration.toMillis(deadAfter)
    live = applications.filter((one) => one.name !== app && isLive(one)).map(({ name }) => name)
    return applications
  })

  return { runOnce, others: () => live }
}

/** The node that takes a call whose node is gone, so that one does: each call goes to another of them. */
export const heirOf = (callId: string, apps: ReadonlyArray<string>): Option.Option<string> => {
  const sorted = apps.toSorted()
  const sum = Array.from(callId).reduce((total, one) => total + (one.codePointAt(0) ?? 0), 0)
  return Option.fromUndefinedOr(sorted[sum % sorted.length])
}
