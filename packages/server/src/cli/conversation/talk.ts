/** `outdial talk --agent FILE|ID|NAME`: the agent at the keyboard, in the memory of this process. */
import { Activity, type Conversation, KeyboardCall, TypedLine } from "@outdial/core"
import { Console, Effect, Fiber, Option, Stdio, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import * as Keyboard from "./Keyboard.ts"
import * as ScriptedContact from "./ScriptedContact.ts"
import * as TalkText from "./TalkText.ts"
import * as ConfigModule from "../ConfigModule.ts"
import * as ConfiguredModel from "../ConfiguredModel.ts"
import * as NamedAgent from "../account/NamedAgent.ts"
import { UsageError } from "../../config/UsageError.ts"

/** Speech at a terminal, in milliseconds for each character: 150 words a minute. */
const pace = 66

const flags = {
  ...NamedAgent.flags,
  config: ConfigModule.flag,
  contact: Flag.String("contact").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Your name, for the placeholder contact.name"),
    Flag.optional
  ),
  variables: Flag.KeyValuePair("variable").pipe(
    Flag.withDescription("A variable of the agent's texts, such as --variable clinic=Riverside; may be repeated"),
    Flag.withDefault({})
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print the log of the conversation as lines of JSON, and then the outcome and the latencies"),
    Flag.withDefault(false)
  )
}

export const talk = Command.make(
  "talk",
  flags,
  Effect.fnUntraced(function*({ account, agent: named, config, contact, json, variables }) {
    if (named === "-") {
      return yield* new UsageError({ message: "--agent needs a file: standard input is what the contact says" })
    }
    const agent = yield* NamedAgent.read({ agent: named, account })
    const module = yield* ConfigModule.load(config)
    const model = yield* ConfiguredModel.read
    const textAgent = yield* ConfiguredModel.textAgent(module, model)
    const activity = Activity.make()
    const entries: Array<Conversation.Entry> = []
    const isTyped = process.stdin.isTTY === true && !json
    const keyboard = yield* Keyboard.make(agent.name)
    const script = isTyped ? [] : yield* ScriptedContact.read(yield* standardInput)
    const line = yield* TypedLine.make({
      activity,
      pace: isTyped ? pace : 0,
      speaker: isTyped ? keyboard.speaker : json ? silent : printing(agent.name)
    })
    const contactActs = isTyped
      ? keyboard.type(line)
      : ScriptedContact.speak({
        activity,
        script,
        line,
        onLine: (text) => json ? Effect.void : Console.log(`You: ${text}`)
      })
    if (isTyped) {
      yield* Console.log(
        "Type, and press Enter to end your turn. /dtmf 12# presses digits; /hangup or Ctrl-D hangs up.\n"
      )
    }
    const acting = yield* Effect.forkScoped(Effect.andThen(Effect.raceFirst(activity.begun, line.closed), contactActs))
    const outcome = yield* KeyboardCall.hold({
      agent,
      activity,
      variables,
      contact: Option.match(contact, { onNone: () => ({}), onSome: (name) => ({ name }) }),
      line: line.line,
      tools: module.tools,
      textAgent,
      outcomes: ConfiguredModel.outcomes(module, model),
      onEntry: (entry) => {
        entries.push(entry)
        return json ? Console.log(JSON.stringify(TalkText.entryJson(entry))) : Effect.void
      }
    })
    yield* isTyped ? Fiber.interrupt(acting) : Fiber.join(acting)
    if (!json) return yield* Console.log(TalkText.summary(entries, outcome, line.latencies()).join("\n"))
    if (outcome !== null) yield* Console.log(JSON.stringify(TalkText.outcomeJson(outcome)))
    yield* Console.log(JSON.stringify(TalkText.latencyJson(line.latencies())))
  }, Effect.scoped)
).pipe(Command.withDescription(
  "Talk with an agent at the keyboard; needs no account. Reads a script if standard input is not a terminal"
))

const standardInput = Effect.gen(function*() {
  const { stdin } = yield* Stdio.Stdio
  return yield* Stream.mkString(Stream.decodeText(stdin))
})

const silent: TypedLine.Speaker = { begins: Effect.void, says: () => Effect.void, ends: () => Effect.void }

const printing = (name: string): TypedLine.Speaker => ({ ...silent, says: (text) => Console.log(`${name}: ${text}`) })
