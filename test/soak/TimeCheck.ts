/** Holds the phones that rang against the clock: the hours and the days of the accounts, and what was asked for each call. */
import type { Breach, Evidence, Wish } from "./Evidence.ts"
import { breach, clockUncertainty, type Dial, dialsOf, groups, slack } from "./RingCheck.ts"
import { minuteOf, type Rules } from "./Tenants.ts"

/** A moment before the fence was passed: that goes by the clock of the node, and takes its time. */
const passed = ({ claim, submission }: Dial) => Math.max(claim.dialedAt, submission.at - clockUncertainty - slack)

const asked = ({ calls, sent }: Evidence, dials: ReadonlyArray<Dial>) => {
  const wishes = new Map(sent.flatMap(({ body, key }): ReadonlyArray<readonly [string, Wish]> => [
    [key, body],
    ...(body.calls ?? []).map((row, index) => [`${key}/${index}`, row] as const)
  ]))
  const wishOf = new Map(calls.map(({ id, key }) => [id, wishes.get(key)]))
  return dials.flatMap((dial) => {
    const { claim, ring: { callId } } = dial
    const { expires_at: expiresAt, not_before: notBefore } = wishOf.get(callId) ?? {}
    return [
      ...(notBefore !== undefined && claim.dialedAt < Date.parse(notBefore)
        ? breach("no call rings before its time", `${callId}, wanted at ${notBefore}`)
        : []),
      ...(expiresAt !== undefined && passed(dial) >= Date.parse(expiresAt)
        ? breach("no call rings that has expired", `${callId}, wanted until ${expiresAt}`)
        : [])
    ]
  })
}

const hours = ({ accounts }: Evidence, dials: ReadonlyArray<Dial>) => {
  const windowsOf = new Map(accounts.map(({ id, windows }) => [id, windows]))
  return dials.flatMap((dial) => {
    const { claim, ring: { accountId, callId }, submission } = dial
    const isOpenAt = (at: number) => isOpen(windowsOf.get(accountId) ?? [], at)
    return isOpenAt(claim.dialedAt) && (isOpenAt(submission.at) || isOpenAt(passed(dial)))
      ? []
      : breach("no phone rings outside the calling hours", `${callId} of ${accountId}`)
  })
}

/** Whether it is within the windows; an end that is not after its start is on the next day. */
const isOpen = (windows: Rules["windows"], at: number): boolean => {
  const now = minuteOf(at)
  return windows.length === 0 || windows.some((window) => {
    const [start, end] = [minutes(window.start), minutes(window.end)]
    return start < end ? start <= now && now < end : start <= now || now < end
  })
}

const minutes = (time: string): number => {
  const [hour = 0, minute = 0] = time.split(":").map(Number)
  return hour * 60 + minute
}

const days = ({ accounts }: Evidence, dials: ReadonlyArray<Dial>) =>
  accounts.flatMap(({ dailyLimit, id }) =>
    groups(
      dials.filter(({ ring }) => ring.accountId === id),
      ({ claim }) => new Date(claim.dialedAt).toISOString().slice(0, 10)
    ).flatMap((day) =>
      dailyLimit !== null && day.length > dailyLimit
        ? breach("no more calls in a day than allowed", `${id} placed ${day.length} of ${dailyLimit}`)
        : []
    )
  )

export const check = (evidence: Evidence): ReadonlyArray<Breach> => {
  const { dials } = dialsOf(evidence)
  return [...asked(evidence, dials), ...hours(evidence, dials), ...days(evidence, dials)]
}
