/**
 * One call in the memory of this process, to the person at the keyboard: no carrier, no account and no stored data. The conversation is
 * held by the engine's own runner.
 */
import {
  Accounts,
  type Agent,
  Agents,
  Calls,
  type Conversation,
  Conversations,
  Engine,
  Ids,
  LineReports,
  MemoryStorage,
  OutcomeSource,
  PhoneNumbers,
  Recordings,
  SecretBox,
  Telephony,
  TextAgent,
  TimeZones,
  Tool,
  type Variables,
  Wakeups,
  WatchedConversations,
  WebCrypto,
  WebhookTransport
} from "@outdial/core"
import { DateTime, Duration, Effect, Layer, Stream } from "effect"
import type { Activity } from "./Activity.ts"

export interface Options {
  readonly agent: Agent.AgentDefinition
  readonly contact: { readonly name?: string }
  readonly variables: Variables.Variables
  readonly line: Conversations.TextLine
  readonly activity: Activity
  /** Default: none. */
  readonly tools?: ReadonlyArray<Tool.Tool> | undefined
  /** What answers the contact. */
  readonly textAgent: Layer.Layer<TextAgent.TextAgent, unknown>
  /** Default: from what the agent noted. */
  readonly outcomes?: Layer.Layer<OutcomeSource.OutcomeSource, unknown> | undefined
  /** Called for each entry of the log, in order. */
  readonly onEntry: (entry: Conversation.Entry) => Effect.Effect<void>
}

/** No phone rings: the number is reserved for fiction. */
const phoneNumber = "+14155550100"

/** Returns when the conversation is over, with its outcome; null if nothing was said, or the outcome could not be made at once. */
export const hold = Effect.fnUntraced(function*({ agent, contact, line, variables }: Options) {
  const accounts = yield* Accounts.Accounts
  const agents = yield* Agents.Agents
  const calls = yield* Calls.Calls
  const conversations = yield* Conversations.Conversations
  const engine = yield* Engine.Engine
  const reports = yield* LineReports.LineReports
  const { id: accountId } = yield* accounts.create({ name: "keyboard", lines: 1, policy: { callingHours: null } })
  const { id: agentId } = yield* agents.put(accountId, agent)
  const { id: callId } = yield* calls.start(accountId, { agentId, phoneNumber, contact, variables })
  yield* engine.drain
  yield* reports.report({ accountId, callId, event: { _tag: "Answered", at: yield* DateTime.now, by: "human" } })
  yield* conversations.hold({ accountId, callId, takesOver: false, line })
  const end = { _tag: "Ended", at: yield* DateTime.now, result: "hung_up", recorded: false } as const
  yield* reports.report({ accountId, callId, event: end })
  yield* engine.drain
  return (yield* calls.get(accountId, callId)).outcome
  // Layers that were built before, such as those over the database of a stored agent, are not used here.
}, (effect, options) => Effect.provide(effect, layer(options), { local: true }))

/** Takes every call, and rings nowhere. */
const telephony = Layer.succeed(Telephony.Telephony, {
  name: Ids.CarrierName.make("keyboard"),
  dial: ({ callId }) => Effect.succeed(Ids.CarrierCallId.make(callId)),
  lookUp: () => Effect.succeed({ _tag: "Live" }),
  hangUp: () => Effect.void,
  notFoundLag: Duration.seconds(1)
})

const layer = ({ activity, onEntry, outcomes, textAgent, tools }: Options) =>
  Layer.merge(
    Engine.layer({ publicUrl: "http://localhost" }),
    WatchedConversations.layer((_, entry) => onEntry(entry)).pipe(
      Layer.provide(watched(activity).pipe(Layer.provide(textAgent)))
    )
  ).pipe(
    Layer.provide(telephony),
    Layer.provideMerge(Engine.layerLineReports),
    // Also to the engine, which refuses an agent that names a model or a tool that there is not.
    Layer.provide([textAgent, tools === undefined ? Layer.empty : Tool.layer(tools)]),
    Layer.provide([
      MemoryStorage.layer,
      outcomes ?? OutcomeSource.OutcomeSource.layerScripted(),
      PhoneNumbers.PhoneNumbers.layer,
      Recordings.Recordings.layerMemory,
      SecretBox.SecretBox.layerMemory,
      TimeZones.TimeZones.layer,
      Wakeups.Wakeups.layerMemory,
      WebCrypto.layerWebCrypto,
      WebhookTransport.WebhookTransport.layerNowhere
    ])
  )

/** Shows when the agent answers. */
const watched = (activity: Activity) =>
  Layer.effect(
    TextAgent.TextAgent,
    Effect.map(TextAgent.TextAgent, (agent) => ({
      open: (brief, entries) =>
        Effect.map(agent.open(brief, entries), (talk) => ({
          ...talk,
          reply: (input, tools) =>
            Stream.unwrap(Effect.as(
              Effect.acquireRelease(Effect.sync(activity.began), () => Effect.sync(activity.ended)),
              talk.reply(input, tools)
            ))
        }))
    }))
  )
