/**
 * The prices of ended calls. Twilio shows them minutes after the end, and only in the call resource, which is asked a few times. A process
 * that ends forgets those that it has not found.
 */
import { type CarrierTokens, Cost, Ids, type LineReports } from "@outdial/core"
import { DateTime, Duration, Effect, Option } from "effect"
import type * as TwilioApi from "./TwilioApi.ts"

/** When a call is asked for after its end. Twilio says that a price comes within minutes, and sometimes later. */
const attemptsAt = [Duration.minutes(2), Duration.minutes(10), Duration.hours(1), Duration.hours(6)]

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

export const make = ({ api, report }: {
  readonly api: Pick<TwilioApi.TwilioApi, "get">
  readonly report: LineReports.LineReports["Service"]["report"]
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

  return {
    /** Asks for the price of this call from now on. Safe to repeat. */
    ended: (call: CarrierTokens.TokenCall, sid: string) =>
      Effect.map(DateTime.now, (endedAt) => {
        if (!awaited.has(sid) && awaited.size < most) {
          awaited.set(sid, {
            call: { accountId: call.accountId, callId: call.callId },
            endedAt,
            attempts: 0
          })
        }
      }),
    polling: {
      every: Duration.seconds(10),
      runOnce: Effect.gen(function*() {
        const now = yield* DateTime.now
        const due = [...awaited].filter(([, one]) => DateTime.isLessThanOrEqualTo(dueAt(one), now)).slice(0, perRound)
        yield* Effect.forEach(due, attempt, { concurrency, discard: true })
        return due.length
      }),
      nextDueAt: Effect.sync(() => Option.fromUndefinedOr([...awaited.values()].map(dueAt).sort(DateTime.Order)[0]))
    }
  }
}
