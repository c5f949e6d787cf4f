/** `outdial usage` */
import { Cost, Policy, type Usage, UsageReport } from "@outdial/core"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Admin from "../Admin.ts"
import { UsageError } from "../../config/UsageError.ts"

const day = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withSchema(Policy.LocalDate), Flag.withDescription(description))

export const usage = Command.make(
  "usage",
  {
    account: Admin.accountFlag,
    from: day("from", "First day, such as 2026-12-01, in the account's time zone"),
    to: day("to", "Last day, inclusive"),
    json: Admin.json
  },
  Effect.fnUntraced(function*({ account, from, json, to }) {
    const { perDay } = yield* UsageReport.UsageReport
    const days = yield* perDay((yield* Admin.account(account)).id, { from, to }).pipe(
      Effect.catchTag("InvalidRequest", ({ message }) => Effect.fail(new UsageError({ message: `--${message}` })))
    )
    yield* Admin.print(json, days.map(toJson), [...days.map(toLine), toLine(total(days))])
  })
).pipe(
  Command.withDescription(
    "Show calls placed, seconds talked and what carriers have charged per day, without test calls"
  ),
  Command.provide(Admin.layer)
)

const toJson = ({ callsPlaced, costs, day, secondsTalked }: Usage.DayUsage) => ({
  day,
  calls_placed: callsPlaced,
  seconds_talked: secondsTalked,
  costs
})

const toLine = ({ callsPlaced, costs, day, secondsTalked }: Usage.DayUsage): string =>
  [
    day,
    `${callsPlaced} calls placed`,
    `${secondsTalked} seconds talked`,
    ...costs.map(({ amount, currency }) => `${amount} ${currency}`)
  ].join("  ")

const total = (days: ReadonlyArray<Usage.DayUsage>): Usage.DayUsage => ({
  day: "in all",
  callsPlaced: days.reduce((sum, { callsPlaced }) => sum + callsPlaced, 0),
  secondsTalked: days.reduce((sum, { secondsTalked }) => sum + secondsTalked, 0),
  costs: Cost.summed(days.flatMap(({ costs }) => costs))
})
