/** `outdial calls hang-up` */
import { type Call, HangUps, Ids } from "@outdial/core"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Admin from "../Admin.ts"

const hangUp = Command.make(
  "hang-up",
  {
    id: Argument.String("id").pipe(Argument.withSchema(Ids.CallId), Argument.withDescription("Id of a live call")),
    account: Admin.accountFlag,
    json: Admin.json
  },
  Effect.fnUntraced(function*({ account, id, json }) {
    const hangUps = yield* HangUps.HangUps
    const { call: { status } } = yield* hangUps.request((yield* Admin.account(account)).id, id)
    yield* Admin.print(json, { id, status, hanging_up: isLive(status) }, [
      isLive(status)
        ? `${id} is ${status}; a server hangs it up within a minute`
        : `${id} has ended already: it is ${status}`
    ])
  })
).pipe(Command.withDescription("Hang up a live call; safe to repeat. A queued call must be canceled instead"))

const isLive = (status: Call.CallStatus): boolean => status === "dialing" || status === "in_progress"

export const calls = Command.make("calls").pipe(
  Command.withDescription("Manage live calls"),
  Command.withSubcommands([hangUp]),
  Command.provide(Admin.layer)
)
