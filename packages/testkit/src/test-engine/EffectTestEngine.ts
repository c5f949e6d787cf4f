/**
 * A whole engine in memory, for tests under Effect's test clock: simulated phones, a transport that records requests, one
 * account with an agent. Nothing happens until the test drains or moves the clock.
 */
import {
  type Agent,
  type CallingRules,
  CarrierTokens,
  type ConversationRunner,
  type Conversations,
  Engine,
  Ids,
  type LineReports,
  MemoryStorage,
  OutcomeSource,
  PhoneNumbers,
  type Policy,
  Recordings,
  ScriptedAgent,
  SecretBox,
  SimulatedTelephony,
  Storage,
  type Telephony,
  type TextAgent,
  TimeZones,
  Tool,
  type VoiceAgent,
  Wakeups,
  WebCrypto,
  WebhookTransport
} from "@outdial/core"
import { Context, DateTime, Duration, Effect, Layer, Option, Redacted, Ref, Struct } from "effect"
import { TestClock } from "effect/testing"
import * as Factories from "../Factories.ts"

export interface TestEngineOptions extends SimulatedTelephony.SimulatedTelephonyOptions {
  /** Lines of the account. Default: 5. */
  readonly lines?: number
  /** The account's policy. Default: one without restrictions. */
  readonly policy?: Policy.PolicyDocument
  /** The account's agent. Default: `Factories.agentDefinition`. */
  readonly agent?: Partial<Agent.AgentDefinition>
  /** Replaces memory. */
  readonly storage?: Layer.Layer<Storage.Storage>
  /** Replaces the default, whose key ends with the test. */
  readonly secretBox?: Layer.Layer<SecretBox.SecretBox>
  /** Replaces Web Crypto, which needs real time while the test clock stands still. */
  readonly crypto?: typeof WebCrypto.layerWebCrypto
  /** Replaces the transport that records requests in `Sent`. */
  readonly transport?: Layer.Layer<WebhookTransport.WebhookTransport, never, WebhookTransport.Sent>
  /** Replaces the simulator, whose dial log stays empty then. */
  readonly telephony?: Layer.Layer<Telephony.Telephony, never, Telephony.CarrierServices>
  /** Replaces memory. */
  readonly recordings?: Layer.Layer<Recordings.Recordings>
  /** Replaces the calling rules. */
  readonly rules?: Layer.Layer<CallingRules.CallingRules, never, PhoneNumbers.PhoneNumbers | TimeZones.TimeZones>
  /** Replaces the signer of deliveries. */
  readonly signer?: Engine.EngineOptions["signer"]
  /** Replaces the scripted agent. */
  readonly textAgent?: Layer.Layer<TextAgent.TextAgent>
  /** Holds the conversations on audio lines. Default: they are refused. */
  readonly voiceAgent?: Layer.Layer<VoiceAgent.VoiceAgent, never, TextAgent.TextAgent>
  /** Tools that agents may use. Default: not known, so that agents may name any. */
  readonly tools?: ReadonlyArray<Tool.Tool>
  /** Replaces the outcomes of the scripted agent. */
  readonly outcomes?: Layer.Layer<OutcomeSource.OutcomeSource>
}

/** The account and agent that a test engine starts with. */
export class Tenant extends Context.Service<Tenant, {
  readonly accountId: Ids.AccountId
  readonly agentId: Ids.AgentId
}>()("@outdial/testkit/TestEngine/Tenant") {}

const tenant = (options: TestEngineOptions) =>
  Layer.effect(
    Tenant,
    Effect.gen(function*() {
      const storage = yield* Storage.Storage
      const now = yield* DateTime.now
      const accountId = Factories.accountId()
      yield* storage.accounts.put({
        id: accountId,
        name: "Test",
        lines: options.lines ?? 5,
        paused: false,
        policy: options.policy ?? Factories.openPolicy,
        createdAt: now
      })
      const agent = yield* storage.agents.put({ accountId, agent: Factories.agentDefinition(options.agent), now })
      return { accountId, agentId: agent.id }
    })
  )

/** The engine with everything that tests inspect. */
export const layer = (
  options: TestEngineOptions = {}
): Layer.Layer<
  | ConversationRunner.ActiveConversations
  | CarrierTokens.CarrierTokens
  | Conversations.Conversations
  | Engine.Services
  | Engine.Ports
  | LineReports.LineReports
  | SimulatedTelephony.DialLog
  | Tenant
  | WebhookTransport.Sent,
  Storage.StorageError
> =>
  Layer.merge(
    Engine.layer({
      publicUrl: "https://outdial.test",
      signingKey: Redacted.make("test"),
      ...(options.rules !== undefined && { rules: options.rules }),
      ...(options.signer !== undefined && { signer: options.signer })
    }),
    tenant(options)
  ).pipe(
    Layer.provideMerge(
      options.telephony === undefined
        ? SimulatedTelephony.layer(
          Struct.pick(options, ["speed", "callee", "contact", "onRing", "isReachable", "isAuthorized", "journal"])
        )
        : Layer.merge(
          options.telephony,
          Layer.succeed(SimulatedTelephony.DialLog, { rings: Effect.succeed([]) })
        )
    ),
    Layer.provideMerge(Engine.layerConversations),
    Layer.provideMerge(Layer.merge(Engine.layerLineReports, CarrierTokens.CarrierTokens.layer())),
    Layer.provide(options.voiceAgent ?? Layer.empty),
    Layer.provide([
      options.textAgent ?? ScriptedAgent.layer,
      options.tools === undefined ? Layer.empty : Layer.orDie(Tool.layer(options.tools))
    ]),
    Layer.provideMerge(Layer.mergeAll(
      options.storage ?? MemoryStorage.layer,
      options.transport === undefined
        ? WebhookTransport.WebhookTransport.layerMemory
        : options.transport.pipe(
          Layer.provideMerge(Layer.effect(WebhookTransport.Sent, Ref.make<WebhookTransport.Sends>([])))
        ),
      options.outcomes ?? OutcomeSource.OutcomeSource.layerDefault,
      PhoneNumbers.PhoneNumbers.layer,
      TimeZones.TimeZones.layer,
      options.recordings ?? Recordings.Recordings.layerMemory,
      options.secretBox ?? SecretBox.SecretBox.layerMemory,
      Wakeups.Wakeups.layerMemory,
      options.crypto ?? WebCrypto.layerWebCrypto
    ))
  )

/** Does all due work. */
export const drain = Effect.flatMap(Engine.Engine, (engine) => engine.drain)

/** Moves the clock forward, and does all work that becomes due on the way. */
export const advance = Effect.fn("TestEngine.advance")(function*(duration: Duration.Input) {
  const engine = yield* Engine.Engine
  const until = DateTime.addDuration(yield* DateTime.now, duration)
  yield* engine.drain
  while (true) {
    const now = yield* DateTime.now
    const due = yield* engine.nextDueAt
    // Due work that was not done waits for something else, so the clock moves on.
    const next = Option.map(due, (at) => DateTime.max(at, DateTime.addDuration(now, Duration.millis(1))))
    if (Option.isNone(next) || DateTime.isGreaterThan(next.value, until)) break
    yield* TestClock.setTime(next.value.epochMilliseconds)
    yield* engine.drain
  }
  yield* TestClock.setTime(until.epochMilliseconds)
  yield* engine.drain
})
