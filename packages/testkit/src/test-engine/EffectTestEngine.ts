/**
 * A whole engine in memory, for tests under Effect's test clock: simulated phones, a transport that keeps what it is sent,
 * one account with an agent. Nothing happens until the test drains or moves the clock.
 */
import {
  type Agent,
  type CallingRules,
  Engine,
  Ids,
  type LineReports,
  MemoryStorage,
  OutcomeSource,
  PhoneNumbers,
  type Policy,
  Recordings,
  SecretBox,
  SimulatedTelephony,
  Storage,
  type Telephony,
  TimeZones,
  Wakeups,
  WebCrypto,
  WebhookTransport
} from "@outdial/core"
import { Context, DateTime, Duration, Effect, Layer, Option, Redacted, Ref, Struct } from "effect"
import { TestClock } from "effect/testing"
import * as Factories from "../Factories.ts"

export interface TestEngineOptions extends SimulatedTelephony.SimulatedTelephonyOptions {
  /** Lines of the account; 5 when not given. */
  readonly lines?: number
  /** The account's policy; one that forbids nothing when not given. */
  readonly policy?: Policy.PolicyDocument
  /** The account's agent; `Factories.agentDefinition` when not given. */
  readonly agent?: Partial<Agent.AgentDefinition>
  /** In place of memory. */
  readonly storage?: Layer.Layer<Storage.Storage>
  /** In place of one whose key ends with the test. */
  readonly secretBox?: Layer.Layer<SecretBox.SecretBox>
  /** In place of Web Crypto, which takes real time while the clock of a test stands still. */
  readonly crypto?: typeof WebCrypto.layerWebCrypto
  /** In place of the transport that keeps what it is sent; may keep it in `Sent` itself. */
  readonly transport?: Layer.Layer<WebhookTransport.WebhookTransport, never, WebhookTransport.Sent>
  /** In place of the simulator; its dial log stays empty. */
  readonly telephony?: Layer.Layer<Telephony.Telephony, never, LineReports.LineReports | Recordings.Recordings>
  /** In place of memory. */
  readonly recordings?: Layer.Layer<Recordings.Recordings>
  /** In place of our calling rules. */
  readonly rules?: Layer.Layer<CallingRules.CallingRules, never, PhoneNumbers.PhoneNumbers | TimeZones.TimeZones>
  /** In place of our signer of deliveries. */
  readonly signer?: Engine.EngineOptions["signer"]
  /** In place of the sample outcomes. */
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

/** The engine with all that tests look into. */
export const layer = (
  options: TestEngineOptions = {}
): Layer.Layer<
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
        ? SimulatedTelephony.layer(Struct.pick(options, ["speed", "callee", "onRing", "isReachable", "journal"]))
        : Layer.merge(
          options.telephony,
          Layer.succeed(SimulatedTelephony.DialLog, { rings: Effect.succeed([]) })
        )
    ),
    Layer.provideMerge(Engine.layerLineReports),
    Layer.provideMerge(Layer.mergeAll(
      options.storage ?? MemoryStorage.layer,
      options.transport === undefined
        ? WebhookTransport.WebhookTransport.layerMemory
        : options.transport.pipe(
          Layer.provideMerge(Layer.effect(WebhookTransport.Sent, Ref.make<WebhookTransport.Sends>([])))
        ),
      options.outcomes ?? OutcomeSource.OutcomeSource.layerSample,
      PhoneNumbers.PhoneNumbers.layer,
      TimeZones.TimeZones.layer,
      options.recordings ?? Recordings.Recordings.layerMemory,
      options.secretBox ?? SecretBox.SecretBox.layerMemory,
      Wakeups.Wakeups.layerMemory,
      options.crypto ?? WebCrypto.layerWebCrypto
    ))
  )

/** Does everything that is due now. */
export const drain = Effect.flatMap(Engine.Engine, (engine) => engine.drain)

/** Moves the clock on, stopping at every instant at which work falls due to do it. */
export const advance = Effect.fn("TestEngine.advance")(function*(duration: Duration.Input) {
  const engine = yield* Engine.Engine
  const until = DateTime.addDuration(yield* DateTime.now, duration)
  yield* engine.drain
  while (true) {
    const now = yield* DateTime.now
    const due = yield* engine.nextDueAt
    // What is due already and was not done waits for something else; the clock moves on all the same.
    const next = Option.map(due, (at) => DateTime.max(at, DateTime.addDuration(now, Duration.millis(1))))
    if (Option.isNone(next) || DateTime.isGreaterThan(next.value, until)) break
    yield* TestClock.setTime(next.value.epochMilliseconds)
    yield* engine.drain
  }
  yield* TestClock.setTime(until.epochMilliseconds)
  yield* engine.drain
})
