/**
 * The prices of ended calls. Twilio shows them minutes after the end, and only in the call resource, which is asked a few times. What a process
 * forgets when it ends is on record as a call without a cost: processes ask for those when they start, and once more hours later.
 */
import { type CarrierTokens, Cost, Ids, type LineReports } from "@outdial/core"
import { DateTime, Duration, Effect, Option } from "effect"
import type * as TwilioApi from "./TwilioApi.ts"

/** When a call is asked for after its end. Twilio says that a price comes within minutes, and sometimes later. */
const attemptsAt = [Duration.minutes(2), Duration.minutes(10), Duration.hours(1), Duration.hours(6)]

/** Calls that were dialed so long ago are not looked for: their price will not come. */
const lookedFor = Duration.hours(24)

/** How often calls are looked for whose process has ended without another one that started. */
const lookEvery = Duration.hours(1)

/** By then the process of a call has asked for the last time. */
const leftAfter = Duration.hours(7)

/** Beyond so many no further calls are asked for: a process that cannot reach Twilio must not fill its memory. */
const most = 10_000

/** Asked for at once, beside the calls that are placed. */
const concurrency = 2
const perRound = 20

interface Awaited {
  readonly call: CarrierTokens.TokenCall
  readonly endedAt: DateTime.Utc
  readonly attempts: number
}

export const make = ({ api, carrier, reports: { report, uncharged } }: {
  readonly api: Pick<TwilioApi.TwilioApi, "get">
  readonly carrier: Ids.CarrierName
  readonly reports: Pick<LineReports.LineReports["Service"], "report" | "uncharged">
}) => {
  /** By Twilio's ids. */
  const awaited = new Map<string, Awaited>()

  const dueAt = ({ attempts, endedAt }: Awaited) => DateTime.addDuration(endedAt, attemptsAt[attempts] ?? Duration.zero)

  const costOf = (found: Option.Option<TwilioApi.CallResource>) =>
    Option.flatMap(found, ({ price, price_unit }) => Cost.read(price ?? "", price_unit ?? ""))

  /** Asks once. A price that is not there, or whose report is not stored, is asked for again. */
  const attempt = Effect.fnUntraced(function*([sid, one]: readonly [string, Awaited]) {
    const isKnown = yield* api.get(sid).pipe(
      Effect.flatMap((found) => {
        const cost = costOf(found)
        return Option.isNone(cost)
          ? Effect.succeed(false)
          : Effect.as(
            report({
              ...one.call,
              carrierCallId: Ids.CarrierCallId.make(sid),
              event: { _tag: "Charged", cost: cost.value }
            }),
            true
          )
      }),
      Effect.orElseSucceed(() => false)
    )
    const attempts = one.attempts + 1
    if (isKnown || attempts >= attemptsAt.length) awaited.delete(sid)
    else awaited.set(sid, { ...one, attempts })
  })

  const add = (
    { accountId, callId }: CarrierTokens.TokenCall,
    sid: string,
    { attempts, endedAt }: Omit<Awaited, "call">
  ) => {
    if (!awaited.has(sid) && awaited.size < most) awaited.set(sid, { call: { accountId, callId }, endedAt, attempts })
  }

  let lookAt: DateTime.Utc | undefined

  /** The calls on record that nobody may ask for: at the start all of them, and then those that were left for hours. */
  const look = Effect.gen(function*() {
    const now = yield* DateTime.now
    if (lookAt !== undefined && DateTime.isLessThan(now, lookAt)) return
    const found = yield* uncharged({ carrier, dialedAfter: DateTime.subtractDuration(now, lookedFor) })
    for (const { carrierCallId, endedAt, ...call } of found) {
      const age = DateTime.distance(endedAt, now)
      const isLeft = Duration.isGreaterThanOrEqualTo(age, leftAfter) &&
        Duration.isLessThan(age, Duration.sum(leftAfter, lookEvery))
      if (lookAt !== undefined && !isLeft) continue
      const past = attemptsAt.filter((at) => Duration.isLessThanOrEqualTo(at, age)).length
      add(call, carrierCallId, { endedAt, attempts: Math.min(past, attemptsAt.length - 1) })
    }
    lookAt = DateTime.addDuration(now, lookEvery)
  }).pipe(Effect.catch((error) => Effect.logWarning("Calls without a price could not be looked for", error)))

  return {
    /** Asks for the price of this call from now on. Safe to repeat. */
    ended: (call: CarrierTokens.TokenCall, sid: string) =>
      Effect.map(DateTime.now, (endedAt) => add(call, sid, { attempts: 0, endedAt })),
    polling: {
      every: Duration.seconds(10),
      runOnce: Effect.gen(function*() {
        yield* look
        const now = yield* DateTime.now
        const due = [...awaited].filter(([, one]) => DateTime.isLessThanOrEqualTo(dueAt(one), now)).slice(0, perRound)
        yield* Effect.forEach(due, attempt, { concurrency, discard: true })
        return due.length
      }),
      nextDueAt: Effect.sync(() => {
        const all = [...lookAt === undefined ? [] : [lookAt], ...[...awaited.values()].map(dueAt)]
        return Option.fromUndefinedOr(all.sort(DateTime.Order)[0])
      })
    }
  }
}
