/** The usage of accounts by calendar date in their own time zones, for invoices and monitoring. */
import { Context, Effect, Layer, Option } from "effect"
import { InvalidRequest, NotFound, type Unavailable } from "../domain/Errors.ts"
import type { AccountId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import * as Policy from "../domain/Policy.ts"
import type { DayUsage, UsageRange } from "../domain/Usage.ts"
import { TimeZones } from "../time/TimeZones.ts"
import * as LocalDate from "../rules/time/LocalDate.ts"
import { dayOf } from "../rules/time/LocalDays.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { AccountStore } from "./AccountStore.ts"
import { UsageStore } from "./UsageStore.ts"

export class UsageReport extends Context.Service<UsageReport, {
  /**
   * Every day of the range, including days without usage. Days follow the account's present time zone. Days whose calls
   * have been deleted follow the time zone that the account had at deletion.
   */
  readonly perDay: (
    accountId: AccountId,
    range: UsageRange
  ) => Effect.Effect<ReadonlyArray<DayUsage>, InvalidRequest | NotFound | Unavailable>
}>()("@outdial/core/account/UsageReport") {
  static readonly layer = Layer.effect(
    UsageReport,
    Effect.gen(function*() {
      const accountStore = yield* AccountStore
      const usageStore = yield* UsageStore
      const { offset } = yield* TimeZones
      return UsageReport.of({
        perDay: Effect.fn("UsageReport.perDay")(function*(accountId, { from, to }) {
          const first = LocalDate.parseUnsafe(from)
          const count = LocalDate.parseUnsafe(to) - first + 1
          if (count < 1) return yield* wrong("to", "must not be before from")
          if (count > Limits.usageDays) {
            return yield* wrong("to", `must be at most ${Limits.usageDays - 1} days after from; ask for less at a time`)
          }
          const account = yield* orUnavailable(accountStore.get(accountId))
          if (Option.isNone(account)) return yield* new NotFound({ what: `account ${accountId}` })
          const { timeZone } = Policy.complete(account.value.policy ?? {})
          const days = Array.from({ length: count }, (_, index) => dayOf(first + index, timeZone, offset))
            .filter((day) => day !== undefined)
          if (days.length < count) {
            return yield* wrong("from", `cannot be computed in ${timeZone}, which is not a known time zone`)
          }
          return yield* orUnavailable(usageStore.read({ accountId, days }))
        })
      })
    })
  )
}

const wrong = (field: keyof UsageRange, message: string) =>
  Effect.fail(new InvalidRequest({ problems: [{ path: [field], message }] }))
