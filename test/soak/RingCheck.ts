/**
 * Holds the phones that rang against the promises, by rules of its own. What it tolerates: a submission that committed before a
 * stop may ring after it, and dials are counted by the instant of their claim, which is by the node's clock and at most the
 * dial deadline old.
 */
import type { LineCall } from "./Carrier.ts"
import type { Breach, Evidence, Step } from "./Evidence.ts"

/** How long after its claim a call may be handed to the carrier, in milliseconds. */
const dialDeadline = 10_000

/** How far off the database's the clock of a node may be that claims, in milliseconds; its own may be off by any time. */
export const clockUncertainty = 2000

/** A claim that led to a ring. */
export interface Dial {
  readonly ring: LineCall
  readonly claim: Step & { readonly dialedAt: number }
  /** The fence that it passed. */
  readonly submission: Step
}

export const breach = (promise: string, what: string): ReadonlyArray<Breach> => [{ promise, what }]

export const groups = <A>(all: ReadonlyArray<A>, key: (one: A) => string): ReadonlyArray<ReadonlyArray<A>> => [
  ...Map.groupBy(all, key).values()
]

/** Most of the intervals that hold at one instant; one that ends when another begins is over. */
export const most = (intervals: ReadonlyArray<{ readonly from: number; readonly to: number }>): number => {
  const changes = intervals.flatMap(({ from, to }) => from < to ? [[from, 1] as const, [to, -1] as const] : [])
  let [now, highest] = [0, 0]
  for (
    const [, change] of changes.toSorted(([at, change], [other, otherChange]) => at - other || change - otherChange)
  ) {
    now += change
    highest = Math.max(highest, now)
  }
  return highest
}

const twice = ({ rings }: Evidence) =>
  groups(rings, ({ callId }) => callId).flatMap(([first, ...others]) =>
    first === undefined || others.length === 0
      ? []
      : breach("no phone rings twice for one call", `${first.callId} rang ${others.length + 1} times`)
  )

/** Each ring with the claim and the fence behind it; what has none is a breach. */
export const dialsOf = ({ calls, rings, steps }: Evidence) => {
  const known = new Map(calls.map((call) => [call.id, call]))
  const stepsOf = Map.groupBy(steps, ({ callId }) => callId)
  const dials: Array<Dial> = []
  const breaches: Array<Breach> = []
  for (const ring of rings) {
    const call = known.get(ring.callId)
    const before = (stepsOf.get(ring.callId) ?? []).filter(({ at }) => at <= ring.at)
    const submission = before.findLast(({ submitted }) => submitted)
    const claim = before.find(({ claimToken }) => claimToken !== null && claimToken === submission?.claimToken)
    if (call?.phoneNumber !== ring.phoneNumber || call.accountId !== ring.accountId) {
      breaches.push(...breach("only accepted calls ring", `${ring.callId} rang ${ring.phoneNumber}`))
    } else if (submission === undefined || claim === undefined || claim.dialedAt === null) {
      breaches.push(...breach("a fence is passed before the carrier is asked", `${ring.callId} rang without`))
    } else dials.push({ ring, submission, claim: { ...claim, dialedAt: claim.dialedAt } })
  }
  return { dials, breaches }
}

const stopped = ({ canceled, pauses, stops }: Evidence, dials: ReadonlyArray<Dial>) =>
  dials.flatMap(({ ring, submission: { at } }) => [
    ...stops.filter((stop) =>
      stop.accountId === ring.accountId && stop.phoneNumber === ring.phoneNumber && stop.at < at
    ).flatMap(() => breach("no number rings that is on the do-not-call list", `${ring.callId} of ${ring.accountId}`)),
    ...pauses.filter(({ accountId, from, to }) => accountId === ring.accountId && from < at && at < to)
      .flatMap(() => breach("no phone rings during a pause", `${ring.callId} of ${ring.accountId}`)),
    ...canceled.filter(({ callId }) => callId === ring.callId)
      .flatMap(() => breach("a canceled call never rings", ring.callId))
  ])

/** The claims' own dates are true, so that the rules below may go by them. */
const dated = (dials: ReadonlyArray<Dial>) =>
  dials.flatMap(({ claim, ring, submission }) => [
    ...claim.dialedAt - claim.at > clockUncertainty
      ? breach("no node is ahead of the database", `${ring.callId}, ${claim.dialedAt - claim.at} ms`)
      : [],
    ...submission.at - claim.dialedAt > dialDeadline + clockUncertainty + slack
      ? breach("a call is handed over soon after its claim", `${ring.callId}, ${submission.at - claim.dialedAt} ms`)
      : []
  ])

/** What a statement may take on a machine that is busy, in milliseconds of the timeline. */
export const slack = 5000

const rules = ({ accounts }: Evidence, dials: ReadonlyArray<Dial>) =>
  accounts.flatMap(({ callsPerSecond, id, lines, numberLimits, recallGapSeconds }) => {
    const own = dials.filter(({ ring }) => ring.accountId === id)
    const live = own.map(({ ring }) => ({ from: ring.at, to: ring.endedAt }))
    return [
      ...(most(live) > lines ? breach("no line over the plan", `${id} had ${most(live)} of ${lines}`) : []),
      ...tooMany(own, { max: callsPerSecond, windowSeconds: 1 }, "no more calls in a second than allowed"),
      ...groups(own, ({ ring }) => ring.phoneNumber).flatMap((toOne) => [
        ...tooMany(toOne, { max: 1, windowSeconds: recallGapSeconds }, "the recall gap is kept"),
        ...numberLimits.flatMap((limit) => tooMany(toOne, limit, "the limits of a number are kept")),
        ...(most(toOne.map(({ ring }) => ({ from: ring.at, to: ring.endedAt }))) > 1
          ? breach("no number rings that is talking", `${toOne[0]?.ring.phoneNumber} of ${id}`)
          : [])
      ])
    ]
  })

const tooMany = (
  dials: ReadonlyArray<Dial>,
  { max, windowSeconds }: { readonly max: number; readonly windowSeconds: number },
  promise: string
) => {
  const sorted = dials.toSorted((one, other) => one.claim.dialedAt - other.claim.dialedAt)
  return sorted.flatMap((dial, index) => {
    const before = sorted[index - max]
    const apart = before === undefined ? Infinity : dial.claim.dialedAt - before.claim.dialedAt
    return apart < windowSeconds * 1000
      ? breach(promise, `${dial.ring.callId}, ${apart} ms after ${before?.ring.callId}; ${max} in ${windowSeconds} s`)
      : []
  })
}

/** What the engine says of calls that the carrier knows better. */
const reported = ({ calls, rings, steps }: Evidence) => {
  const endOf = new Map(steps.filter(({ status }) => final.has(status)).map(({ at, callId }) => [callId, at]))
  const ringOf = new Map(rings.map((ring) => [ring.callId, ring]))
  return calls.flatMap(({ id, status }) => {
    const ring = ringOf.get(id)
    if (ring === undefined) {
      return connected.has(status) ? breach("what did not ring did not connect", `${id} is ${status}`) : []
    }
    return [
      ...((endOf.get(id) ?? Infinity) < Math.floor(ring.endedAt)
        ? breach(
          "a call is ended when the carrier has ended it",
          `${id}, ${ring.endedAt - (endOf.get(id) ?? 0)} ms early`
        )
        : []),
      ...(ring.answeredBy === "human" && !ring.isHungUp && status !== "completed"
        ? breach("a conversation is completed", `${id} is ${status}`)
        : [])
    ]
  })
}

export const final: ReadonlySet<string> = new Set(["completed", "no_answer", "busy", "failed", "canceled", "expired"])

/** Ends that only a phone that rang can have. */
const connected: ReadonlySet<string> = new Set(["completed", "no_answer", "busy"])

export const check = (evidence: Evidence): ReadonlyArray<Breach> => {
  const { breaches, dials } = dialsOf(evidence)
  return [
    ...twice(evidence),
    ...breaches,
    ...stopped(evidence, dials),
    ...dated(dials),
    ...rules(evidence, dials),
    ...reported(evidence)
  ]
}
