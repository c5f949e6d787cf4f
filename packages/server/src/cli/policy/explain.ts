/** `outdial explain CALL` and `outdial preview NUMBER`: the result of every rule for a call. Both change nothing. */
import { Agents, Explanation, Explanations, Ids, PhoneNumber, TimeZones, Wire } from "@outdial/core"
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Admin from "../Admin.ts"
import * as ExplanationText from "./ExplanationText.ts"
import * as InputFile from "../InputFile.ts"
import { UsageError } from "../../config/UsageError.ts"

const print = Effect.fnUntraced(function*(json: boolean, explanation: Explanation.Explanation) {
  const { offset } = yield* TimeZones.TimeZones
  yield* Admin.print(json, toJson(explanation), ExplanationText.lines(explanation, offset))
})

const toJson = Schema.encodeSync(Schema.toCodecJson(Wire.ExplanationWire))

export const explain = Command.make(
  "explain",
  {
    call: Argument.String("call").pipe(Argument.withDescription("The call's id"), Argument.withSchema(Ids.CallId)),
    account: Admin.accountFlag,
    json: Admin.json
  },
  Effect.fnUntraced(function*({ account, call, json }) {
    const rules = yield* Explanations.Explanations
    yield* print(json, yield* rules.explain((yield* Admin.account(account)).id, call))
  })
).pipe(
  Command.withDescription("Explain rule by rule why a call waits and when it is due"),
  Command.provide(Admin.layer)
)

const decodeNumber = Schema.decodeUnknownOption(PhoneNumber.WrittenNumber)

const noNumber = (number: string) =>
  new UsageError({
    message: `${InputFile.quoted(number)} is no telephone number; give it in E.164 form, such as +14155550100`
  })

export const preview = Command.make(
  "preview",
  {
    number: Argument.String("number"),
    agent: Flag.String("agent").pipe(
      Flag.withSchema(Ids.AgentId),
      Flag.withDescription("The agent whose rules apply; default: the rules of the account"),
      Flag.optional
    ),
    timeZone: Flag.String("time-zone").pipe(
      Flag.withMetavar("ZONE"),
      Flag.withDescription("The callee's time zone, such as Europe/Paris; default: that of the number"),
      Flag.optional
    ),
    account: Admin.accountFlag,
    json: Admin.json
  },
  Effect.fnUntraced(function*({ account, agent, json, number, timeZone }) {
    const agents = yield* Agents.Agents
    const rules = yield* Explanations.Explanations
    const { isKnown } = yield* TimeZones.TimeZones
    const phoneNumber = decodeNumber(number)
    if (Option.isNone(phoneNumber)) {
      return yield* noNumber(number)
    }
    if (Option.isSome(timeZone) && !isKnown(timeZone.value)) {
      return yield* new UsageError({
        message: `${InputFile.quoted(timeZone.value)} is not a known time zone; use a name such as Europe/Paris`
      })
    }
    const { id } = yield* Admin.account(account)
    // An unknown agent has no rules: a misspelled id would preview the account's rules.
    if (Option.isSome(agent)) yield* agents.get(id, agent.value)
    const explanation = yield* rules.preview(id, {
      phoneNumber: phoneNumber.value,
      ...(Option.isSome(agent) && { agentId: agent.value }),
      ...(Option.isSome(timeZone) && { contact: { timeZone: timeZone.value } })
    }).pipe(Effect.catchIf(
      (error) => error._tag === "InvalidRequest" && PhoneNumber.isNational(number),
      () => Effect.fail(noNumber(number))
    ))
    return yield* print(json, explanation)
  })
).pipe(
  Command.withDescription("Show what the rules would decide for a call to a number now; queues nothing"),
  Command.provide(Admin.layer)
)
