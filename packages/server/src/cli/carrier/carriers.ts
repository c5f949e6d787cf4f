/** `outdial carriers list|pause|resume`: over which carriers calls are dialed. */
import { type Carrier, CarrierReason, Carriers, Ids } from "@outdial/core"
import { DateTime, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Admin from "../Admin.ts"

const name = Argument.String("name").pipe(
  Argument.withSchema(Ids.CarrierName),
  Argument.withDescription("The carrier's name, as in outdial carriers list")
)

const toJson = ({ name, pause }: Carrier.Carrier) => ({
  name,
  paused: pause === undefined ? null : {
    at: pause.at.toJSON(),
    by: pause.by,
    ...(pause.reason !== undefined && { reason: pause.reason }),
    ...(pause.checkedAt !== undefined && { checked_at: pause.checkedAt.toJSON() })
  }
})

const toLine = ({ name, pause }: Carrier.Carrier): string => {
  if (pause === undefined) return `${name}  dials`
  const since = DateTime.formatIso(pause.at)
  return pause.by === "operator"
    ? `${name}  paused by an operator since ${since}`
    : `${name}  ${
      CarrierReason.explained(`paused since ${since}: it takes no calls of this account`, pause.reason ?? {})
    }`
}

const list = Command.make(
  "list",
  { json: Admin.json },
  Effect.fnUntraced(function*({ json }) {
    const carriers = yield* Carriers.Carriers
    const all = yield* carriers.list
    yield* Admin.print(json, all.map(toJson), all.map(toLine))
  })
).pipe(Command.withDescription("List the carriers of live workers and those that were ever paused, with their pauses"))

const turn = (method: "pause" | "resume") =>
  Effect.fnUntraced(function*({ json, name }: { readonly json: boolean; readonly name: Ids.CarrierName }) {
    const carriers = yield* Carriers.Carriers
    const carrier = yield* carriers[method](name)
    yield* Admin.print(json, toJson(carrier), [toLine(carrier)])
  })

const pause = Command.make("pause", { name, json: Admin.json }, turn("pause")).pipe(
  Command.withDescription("Stop dialing over a carrier. Calls wait as carrier_paused; live calls continue")
)

const resume = Command.make("resume", { name, json: Admin.json }, turn("resume")).pipe(
  Command.withDescription("Dial over a carrier again, whatever has paused it")
)

export const carriers = Command.make("carriers").pipe(
  Command.withDescription("Manage the carriers that calls are dialed over"),
  Command.withSubcommands([list, pause, resume]),
  Command.provide(Admin.layer)
)
