/**
 * One call in the memory of this process, to the person at the keyboard: no carrier, no account and no stored data. The conversation is
 * held by the engine's own runner.
 */
import { DateTime, Duration, Effect, Layer, Stream } from "effect"
import { Accounts } from "../account/Accounts.ts"
import { Agents } from "../account/Agents.ts"
import { Calls } from "../call/Calls.ts"
import { Conversations, type TextLine } from "../conversation/Conversations.ts"
import { TextAgent } from "../conversation/TextAgent.ts"
import { layer as layerTools, type Tool } from "../conversation/Tool.ts"
import type { AgentDefinition } from "../domain/Agent.ts"
import type { Entry } from "../domain/Conversation.ts"
import { CarrierCallId, CarrierName } from "../domain/Ids.ts"
import type { Variables } from "../domain/Variables.ts"
import * as Engine from "../engine/Engine.ts"
import * as MemoryStorage from "../engine/MemoryStorage.ts"
import * as WatchedConversations from "../engine/WatchedConversations.ts"
import * as WebCrypto from "../engine/WebCrypto.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { OutcomeSource } from "../outcome/OutcomeSource.ts"
import { PhoneNumbers } from "../phone-number/PhoneNumbers.ts"
import { Recordings } from "../recording/Recordings.ts"
import { SecretBox } from "../secret/SecretBox.ts"
import { LineReports } from "../telephony/LineReports.ts"
import { Telephony } from "../telephony/Telephony.ts"
import { TimeZones } from "../time/TimeZones.ts"
import { WebhookTransport } from "../webhook/WebhookTransport.ts"
import type { Activity } from "./Activity.ts"

export interface Options {
  readonly agent: AgentDefinition
  readonly contact: { readonly name?: string }
  readonly variables: Variables
  readonly line: TextLine
  readonly activity: Activity
  /** Default: none. */
  readonly tools?: ReadonlyArray<Tool> | undefined
  /** What answers the contact. */
  readonly textAgent: Layer.Layer<TextAgent, unknown>
  /** Default: from what the agent noted. */
  readonly outcomes?: Layer.Layer<OutcomeSource, unknown> | undefined
  /** Called for each entry of the log, in order. */
  readonly onEntry: (entry: Entry) => Effect.Effect<void>
}

/** No phone rings: the number is reserved for fiction. */
const phoneNumber = "+14155550100"

/** Returns when the conversation is over, with its outcome; null if nothing was said, or the outcome could not be made at once. */
export const hold = Effect.fnUntraced(function*({ agent, contact, line, variables }: Options) {
  const accounts = yield* Accounts
  const agents = yield* Agents
  const calls = yield* Calls
  const conversations = yield* Conversations
  const engine = yield* Engine.Engine
  const reports = yield* LineReports
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
const telephony = Layer.succeed(Telephony, {
  name: CarrierName.make("keyboard"),
  dial: ({ callId }) => Effect.succeed(CarrierCallId.make(callId)),
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
    Layer.provide([textAgent, tools === undefined ? Layer.empty : layerTools(tools)]),
    Layer.provide([
      MemoryStorage.layer,
      outcomes ?? OutcomeSource.layerScripted(),
      PhoneNumbers.layer,
      Recordings.layerMemory,
      SecretBox.layerMemory,
      TimeZones.layer,
      Wakeups.layerMemory,
      WebCrypto.layerWebCrypto,
      WebhookTransport.layerNowhere
    ])
  )

/** Shows when the agent answers. */
const watched = (activity: Activity) =>
  Layer.effect(
    TextAgent,
    Effect.map(TextAgent, (agent) => ({
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
