/** `outdial pause` and `outdial resume`: the emergency stop of one account or of all. Calls that have started continue. */
import { type Account, Accounts, Workers } from "@outdial/core"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as AccountForms from "./AccountForms.ts"
import * as Admin from "../Admin.ts"
import { UsageError } from "../../config/UsageError.ts"
import * as WorkerText from "../worker/WorkerText.ts"

const flags = {
  account: Admin.accountFlag,
  all: Flag.Boolean("all").pipe(
    Flag.withDescription("All accounts of the deployment, including future ones"),
    Flag.withDefault(false)
  ),
  json: Admin.json
}

/** The accounts that the flags name; without flags, the only account. */
const named = Effect.fnUntraced(function*(
  { account, all }: { readonly account: Option.Option<Account.Account["id"]>; readonly all: boolean }
) {
  if (all && Option.isSome(account)) {
    return yield* new UsageError({ message: "Give --account ID or --all, not both" })
  }
  if (all) return Option.none<Account.Account>()
  const accounts = yield* Accounts.Accounts
  const known = yield* accounts.list
  if (Option.isNone(account) && known.length > 1) {
    return yield* new UsageError({
      message: "There are several accounts: name one with --account ID (outdial accounts list), or all with --all"
    })
  }
  return Option.some(yield* Admin.account(account))
})

/** Sets the switch and prints what is stopped. */
const turn = (paused: boolean) =>
  Effect.fnUntraced(function*(
    { account, all, json }: {
      readonly account: Option.Option<Account.Account["id"]>
      readonly all: boolean
      readonly json: boolean
    }
  ) {
    const accounts = yield* Accounts.Accounts
    const one = yield* named({ account, all })
    const done = Option.isSome(one)
      ? yield* Effect.map(accounts.set(one.value.id, { paused }), (account) => [sentence(account)])
      : yield* Effect.as(
        accounts.pauseAll(paused),
        paused ? [] : ["Calling is resumed for all accounts that are not paused individually"]
      )
    const allPaused = yield* accounts.allPaused
    const known = yield* accounts.list
    const pausedAccounts = known.filter((account) => account.paused)
    const reached = all ? known.length : 1
    const workers = yield* Effect.flatMap(Workers.Workers, ({ list }) => list)
    yield* Admin.print(
      json,
      {
        all_paused: allPaused,
        paused_accounts: pausedAccounts.map(({ id, name }) => ({ id, name })),
        accounts: reached,
        live_workers: workers.length
      },
      [...done, ...stopped(allPaused, pausedAccounts), ...WorkerText.reached(reached, workers)]
    )
  })

const sentence = ({ id, name, paused }: Account.Account): string =>
  paused
    ? `${name} (${id}) is paused: queued calls wait until outdial resume; calls in progress continue`
    : `${name} (${id}) is no longer paused`

const stopped = (allPaused: boolean, paused: ReadonlyArray<Account.Account>): ReadonlyArray<string> => [
  ...(allPaused ? [AccountForms.allPausedLine] : []),
  ...(paused.length === 0 ? [] : [`Paused: ${paused.map(({ id, name }) => `${name} (${id})`).join(", ")}`]),
  ...(allPaused || paused.length > 0 ? [] : ["Nothing is stopped"])
]

export const pause = Command.make("pause", flags, turn(true)).pipe(
  Command.withDescription(
    "Stop calling. Once this returns, no call of the account, or of any account with --all, is dialed"
  ),
  Command.provide(Admin.layer)
)

export const resume = Command.make("resume", flags, turn(false)).pipe(
  Command.withDescription("Resume calling. Accounts paused individually stay paused with --all"),
  Command.provide(Admin.layer)
)
