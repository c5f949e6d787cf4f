/** `outdial erase` */
import { CalleeErasure } from "@outdial/core"
import { Effect, Layer } from "effect"
import { Argument, Command } from "effect/cli"
import * as Config from "../../config/Config.ts"
import * as Admin from "../Admin.ts"
import * as ConfigModule from "../ConfigModule.ts"
import * as InputFile from "../InputFile.ts"
import * as SecretKeys from "../../config/SecretKeys.ts"
import { UsageError } from "../../config/UsageError.ts"

export const erase = Command.make(
  "erase",
  {
    number: Argument.String("number").pipe(
      Argument.withDescription(
        "A number in E.164 form, such as +14155550100, or as it is dialed in the policy's default country"
      )
    ),
    account: Admin.accountFlag,
    config: ConfigModule.flag,
    json: Admin.json
  },
  Effect.fnUntraced(function*({ account, json, number }) {
    // What remains is hashed under a sealed key.
    yield* SecretKeys.required(yield* Admin.readable(Config.secretKeys))
    const callees = yield* CalleeErasure.CalleeErasure
    const { id } = yield* Admin.account(account)
    const { calls, canceled, doNotCall, events, rejectedRows } = yield* callees.erase(id, number).pipe(
      Effect.catchTag(
        "InvalidRequest",
        ({ problems: [{ message }] }) =>
          Effect.fail(new UsageError({ message: `${InputFile.quoted(number)} ${message}` }))
      )
    )
    yield* Admin.print(json, { calls, canceled, events, rejected_rows: rejectedRows, do_not_call: doNotCall }, [
      `Erased ${calls} calls (${canceled} of them were queued and are canceled), ${events} events, ${rejectedRows} rejected rows`,
      doNotCall
        ? "The number stays on the do-not-call list, as a hash"
        : "Limits and recall gap still apply to the number, by its hash"
    ])
  })
).pipe(
  Command.withDescription(
    "Erase the data of one number; limits and the do-not-call list still apply to it. Safe to repeat"
  ),
  // Recordings are erased where the server keeps them.
  Command.provide(({ config }) =>
    Layer.unwrap(Effect.map(
      ConfigModule.load(config),
      ({ recordings }) =>
        recordings === undefined ? Admin.layer : Admin.layerWith(ConfigModule.part("recordings", recordings))
    ))
  )
)
