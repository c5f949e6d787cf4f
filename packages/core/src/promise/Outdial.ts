/**
 * The engine for hosts that do not use Effect: promises, plain objects, `Date`s, and one error class. Without layers it
 * uses memory and simulated phones. One process can have many engines.
 */
import { Cause, type Context, Effect, Equal, Exit, Fiber, Layer, ManagedRuntime, Redacted, Schema } from "effect"
import type { Account } from "../domain/Account.ts"
import { AgentDefinition } from "../domain/Agent.ts"
import { AccountId } from "../domain/Ids.ts"
import * as MemoryStorage from "../engine/MemoryStorage.ts"
import { ActiveConversations } from "../conversation/ConversationRunner.ts"
import * as ScriptedAgent from "../conversation/ScriptedAgent.ts"
import type { TextAgent } from "../conversation/TextAgent.ts"
import { AgentPorts } from "../talk/AgentPorts.ts"
import type { VoiceAgent } from "../conversation/VoiceAgent.ts"
import { layer as layerTools, type Tool } from "../conversation/Tool.ts"
import { OutcomeSource } from "../outcome/OutcomeSource.ts"
import { type HostClient, HostTransactions } from "../storage/HostTransactions.ts"
import type { DayUsage } from "../domain/Usage.ts"
import type { WebhookTest } from "../domain/WebhookEndpoint.ts"
import type { Imported } from "../do-not-call/DoNotCallList.ts"
import type { Erased } from "../privacy/CalleeErasure.ts"
import { PhoneNumbers } from "../phone-number/PhoneNumbers.ts"
import { Recordings } from "../recording/Recordings.ts"
import * as SimulatedTelephony from "../simulator/SimulatedTelephony.ts"
import { SecretBox } from "../secret/SecretBox.ts"
import * as SteadyClock from "../time/SteadyClock.ts"
import { CarrierTokens } from "../telephony/CarrierTokens.ts"
import { type CarrierServices, Telephony } from "../telephony/Telephony.ts"
import { TimeZones } from "../time/TimeZones.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { WebhookTransport } from "../webhook/WebhookTransport.ts"
import * as AccountClient from "./AccountClient.ts"
import * as PromiseCarriers from "./PromiseCarriers.ts"
import { Accounts, type AccountSettings } from "../account/Accounts.ts"
import { Agents } from "../account/Agents.ts"
import * as WebCrypto from "../engine/WebCrypto.ts"
import { decoding } from "../domain/Decoding.ts"
import type * as OptionNames from "../domain/OptionNames.ts"
import * as Engine from "../engine/Engine.ts"
import { firstAgentId } from "./FirstAgentId.ts"
import { type HostAccount, hostAccount } from "./Types.ts"
import {
  decodeNewAccount,
  decodeSettings,
  type HostAgentDefinition,
  type HostNewAccount,
  type HostPolicy,
  written
} from "./Requests.ts"
import { fromCause, OutdialError, refuseUnknown } from "./OutdialError.ts"
import { type NotReady, Readiness } from "../observe/Readiness.ts"
import { KeyRotation } from "../engine/KeyRotation.ts"
import { type HostWorker, hostWorker, Workers } from "../worker/Workers.ts"
import { Storage } from "../engine/Storage.ts"

// The types that hosts name in their own signatures: `Outdial.HostCall`, `Outdial.HostEvent` and so on.
export type * from "./Types.ts"
export type { HostCarrier, HostCarriers } from "./PromiseCarriers.ts"
export type { HostHandler, HostSubscription, SubscribeOptions } from "./PromiseSubscriptions.ts"
export type { AccountClient, HostBatchRequest, WithinEngine } from "./AccountClient.ts"
export type { AccountRules } from "./AccountRules.ts"
export type { HostPage } from "./Pages.ts"
export type * from "./Requests.ts"
export type { DayUsage, Erased, HostClient, HostWorker, Imported, NotReady, WebhookTest }

/** Options of `Outdial.open`. */
export interface Options {
  /** Agents to create or update when the engine opens. One without `id` replaces the agent of the same name. Default: none. */
  readonly agents?: ReadonlyArray<HostAgentDefinition>
  /** How many calls the default account makes at once, 0 to 10,000. It overwrites the stored value. Default: the stored value, 5 at first. */
  readonly lines?: number
  /**
   * The whole policy of the default account. It overwrites the stored one before any call is dialed: leave it out where the policy is
   * changed by `settings.set` or the command line. Default: the stored policy, at first calls from 09:00 to 20:00 of the callee's time.
   */
  readonly policy?: HostPolicy
  /** Where calls are stored: `postgres(…)`, `postgresOn(…)` or `embedded(…)` of `@outdial/sql`. Default: memory. */
  readonly storage?: Layer.Layer<Storage, unknown>
  /** Wakes loops of other processes when there is work; part of `postgres(…)`. Default: within the process; others poll every second. */
  readonly wakeups?: Layer.Layer<Wakeups, unknown>
  /**
   * Your carrier: `Telephony.Telephony.layerOf(…)`, or `SimulatedTelephony.layer()` for simulated phones. Required with `storage`, unless
   * `workers` is `false`. Default: simulated phones.
   */
  readonly telephony?: Layer.Layer<Telephony, unknown, CarrierServices>
  /** How many times faster than life simulated calls are; above 0. Ignored when `telephony` is given. Default: 1. */
  readonly speed?: number
  /** Answers the contact in conversations: `TextAgent.TextAgent.layerOf(…)`. Default: the scripted agent. */
  readonly textAgent?: Layer.Layer<TextAgent, unknown>
  /** Hears and speaks on lines that exchange sound: `SpokenAgent.layer`, with your speech services. Default: such calls are hung up. */
  readonly voiceAgent?: Layer.Layer<VoiceAgent, unknown, TextAgent>
  /** Tools that agents may use in conversations, each by `Tool.make(…)`. Give them to every process. Default: not known here. */
  readonly tools?: ReadonlyArray<Tool>
  /**
   * Makes the outcomes of conversations: `OutcomeSource.OutcomeSource.layerOf(…)`. Default: from what the agent noted; `null` for calls
   * whose carrier brings its own transcript.
   */
  readonly outcomes?: Layer.Layer<OutcomeSource, unknown>
  /**
   * Sends webhooks: `GatedTransport.layer()` of `@outdial/node`. Default: sends nothing and counts each event as delivered; with `storage`
   * the log says so.
   */
  readonly transport?: Layer.Layer<WebhookTransport, unknown>
  /** Signs webhook deliveries. Default: with the webhook's secret. */
  readonly signer?: Engine.EngineOptions["signer"]
  /** Stores recordings: `FileRecordings.layer(…)` of `@outdial/node`, or `Recordings.Recordings.layerOf(…)`. Default: memory. */
  readonly recordings?: Layer.Layer<Recordings, unknown>
  /** The clock; part of `postgres(…)` and `embedded(…)`. Default: the system's clock, guarded against being set. */
  readonly clock?: Layer.Layer<never, unknown>
  /** Lets `within` join your own transactions; part of `postgres(…)`. Default: `within` is refused. */
  readonly transactions?: Layer.Layer<never, unknown>
  /** The time zones of telephone numbers, and their rules. Default: our table, and the runtime's time zone data. */
  readonly timeZones?: Layer.Layer<TimeZones, unknown>
  /**
   * 32 bytes in base64, the same in every process. It encrypts webhook secrets, and a key derived from it signs links to recordings.
   * Required with `storage`, unless `secretBox` is given. Default: in memory, a random key.
   */
  readonly secretKey?: string
  /** Earlier keys, which only decrypt and verify. Drop them a day after `reencryptSecrets` has been called. Default: none. */
  readonly previousSecretKeys?: ReadonlyArray<string>
  /** Encrypts secrets in place of the two keys above, such as by a key service. Default: made of `secretKey`. */
  readonly secretBox?: Layer.Layer<SecretBox, unknown>
  /** Where you serve the engine, such as `https://calls.example.com`, for links to recordings. Default: `http://localhost`. */
  readonly publicUrl?: string
  /** Signs links to recordings; the same in every process. Default: derived from `secretKey`. */
  readonly signingKey?: string
  /**
   * What runs in the background. `true`: dialing, outcomes, deliveries and handlers of `events.subscribe`. `false`: only the handlers;
   * another process dials and delivers. `"manual"`: nothing; call `drain`, as tests do. Default: `true`.
   */
  readonly workers?: boolean | "manual"
  /** The name of this process in `workers.list`, such as its host and process id. Default: no name. */
  readonly workerName?: string
  /** Aborts opening. Default: none. */
  readonly signal?: AbortSignal
}

/** The stored secrets could not be decrypted after the process ends. */
export class SecretKeyMissing extends Schema.TaggedError<SecretKeyMissing>()("SecretKeyMissing", {
  code: Schema.tag("secret_key_missing")
}) {
  override get message(): string {
    return "With storage, secretKey is required: 32 bytes in base64, the same on every start"
  }
}

/** Calls that wait in the storage would be completed by simulated phones. */
export class TelephonyMissing extends Schema.TaggedError<TelephonyMissing>()("TelephonyMissing", {
  code: Schema.tag("telephony_missing")
}) {
  override get message(): string {
    return "This storage outlives the process, so that its calls are not simulated by default. Give Outdial.open " +
      "telephony: your carrier's layer, or SimulatedTelephony.layer() to simulate every call; or workers: false, for a " +
      "process that dials nothing"
  }
}

/** A running engine. Its own `calls`, `agents`, `webhook` and so on act for the default account. */
export interface Outdial extends AccountClient.AccountClient, AsyncDisposable {
  /** The same engine for another account. Whether the account exists is checked by each method. */
  readonly account: (id: string) => AccountClient.AccountClient
  /** The accounts of the storage; `account(id)` acts for one of them. */
  readonly accounts: {
    /** Creates an account. Default settings: 5 lines, and calls from 09:00 to 20:00 of the callee's time. */
    readonly create: (account: HostNewAccount) => Promise<HostAccount>
    /** Oldest first. */
    readonly list: () => Promise<ReadonlyArray<HostAccount>>
  }
  /**
   * Emergency stop: pauses all accounts of the storage, including future ones, in every process. Once it has resolved no call is dialed;
   * live calls continue. `pauseAll(false)` ends it; accounts that are paused by themselves stay paused.
   */
  readonly pauseAll: (paused?: boolean) => Promise<void>
  /** Whether `pauseAll` is in effect. An account's own pause is in its `settings`. */
  readonly allPaused: () => Promise<boolean>
  /** Over which carriers calls are dialed. A carrier that refuses your account is paused by itself. */
  readonly carriers: PromiseCarriers.HostCarriers
  readonly workers: {
    /**
     * The processes on this storage that run background work, oldest first. One that was killed or lost its connection stays listed
     * for 30 seconds.
     */
    readonly list: () => Promise<ReadonlyArray<HostWorker>>
  }
  /** Encrypts the webhook secrets of all accounts again under `secretKey`. Resolves with the number of endpoints. Safe to repeat. */
  readonly reencryptSecrets: () => Promise<number>
  /**
   * After a secret key was lost: replaces the webhook secrets that no key decrypts. Each new secret is returned only here; give it to the
   * receiver at its `url`. Safe to repeat.
   */
  readonly reissueLostSecrets: () => Promise<ReadonlyArray<HostReissuedSecret>>
  /**
   * For your readiness probe: why this process should get no requests; empty when it is ready. Asks the storage at most once a second,
   * and resolves within two seconds even when the storage does not answer. Never rejects with a storage error.
   */
  readonly notReady: () => Promise<ReadonlyArray<NotReady>>
  /**
   * Announces a shutdown: `notReady` reports `draining`, streams of transcripts end, and connections close after their next response. Call
   * it before you close your server, because a stream would keep the server open. It cannot be undone.
   */
  readonly prepareToClose: () => Promise<void>
  /** Does all work that is due now, then resolves. For `workers: "manual"`. */
  readonly drain: (options?: { readonly signal?: AbortSignal }) => Promise<void>
  /** The services of the engine, for `NodeHandler.over`, `WebHandler.over` and programs with Effect. */
  readonly services: Context.Context<Engine.Services>
  /**
   * Graceful shutdown: with `storage`, conversations move to other processes or end politely, for at most 10 seconds. Then waits for
   * requests and work in flight, and closes the engine. Safe to repeat.
   */
  readonly close: () => Promise<void>
}

/** The new secret of an account's webhook. */
export interface HostReissuedSecret {
  readonly accountId: string
  readonly url: string
  readonly secret: string
}

/**
 * Opens an engine and starts its background work. Rejects with `invalid_request` for an option that is unknown or wrong, with
 * `secret_key_missing`, `secret_key_invalid` or `secret_key_unknown` for its key, with `telephony_missing`, and with
 * `database_unavailable` when Postgres cannot be reached.
 */
export const open = async (options: Options = {}): Promise<Outdial> => {
  refuseUnknown(options, optionNames)
  refuseUnusable(options)
  const runtime = ManagedRuntime.make(layer(options))
  let closed = false
  const run: AccountClient.Run = async (effect, { signal, within } = {}) => {
    const engineClosed = () => new OutdialError("engine_closed", "The engine is closed; open another", {}, undefined)
    if (closed) throw engineClosed()
    const isAborted = () => signal?.aborted === true
    const exit = isAborted()
      ? Exit.interrupt()
      : await runtime.runPromiseExit(
        within === undefined ? effect : inTransactionOf(within, effect),
        signal === undefined ? undefined : { signal }
      )
    if (Exit.isSuccess(exit)) return exit.value
    if (!Cause.hasInterruptsOnly(exit.cause)) throw fromCause(exit.cause)
    if (!isAborted()) throw closed ? engineClosed() : fromCause(exit.cause)
    throw new OutdialError("aborted", "The signal was aborted before the engine responded", {}, signal?.reason)
  }
  const { signal, workers = true } = options
  const accountId = await run(Effect.andThen(secretsOpen, defaultAccount(options)), { signal }).catch(
    async (error: unknown) => {
      await runtime.dispose()
      throw error
    }
  )
  const loops = workers === "manual"
    ? undefined
    : runtime.runFork(Effect.flatMap(Engine.Engine, (engine) => workers ? engine.run : engine.runSubscriptions))
  const endConversations = Effect.gen(function*() {
    if (loops !== undefined) yield* Fiber.interrupt(loops)
    const { pollCarrier } = yield* Engine.Engine
    const { stop } = yield* ActiveConversations
    // The loop may have been interrupted when it reported an answer.
    yield* pollCarrier
    yield* Effect.timeoutOption(stop, conversationsTimeout)
    yield* pollCarrier
  })
  const close = async () => {
    if (closed) return runtime.dispose()
    closed = true
    // In memory nothing continues, and a clock of tests stands still.
    if (options.storage !== undefined && workers === true) await runtime.runPromise(endConversations)
    return runtime.dispose()
  }
  return {
    ...AccountClient.make(run, accountId),
    account: (id) =>
      AccountClient.make(
        (effect, options) => run(Effect.andThen(existing(id), effect), options),
        // Checked before anything is done with it.
        id as AccountId
      ),
    accounts: {
      create: (account) =>
        run(Effect.gen(function*() {
          const accounts = yield* Accounts
          const { policy, ...others } = yield* decodeNewAccount(account)
          return hostAccount(yield* accounts.create({ ...others, ...written(policy) }))
        })),
      list: () => run(Effect.map(Effect.flatMap(Accounts, ({ list }) => list), (accounts) => accounts.map(hostAccount)))
    },
    pauseAll: (paused = true) =>
      run(Effect.gen(function*() {
        const accounts = yield* Accounts
        yield* accounts.pauseAll(yield* decodePaused(paused))
      })),
    allPaused: () => run(Effect.flatMap(Accounts, ({ allPaused }) => allPaused)),
    carriers: PromiseCarriers.make(run),
    workers: {
      list: () => run(Effect.map(Effect.flatMap(Workers, ({ list }) => list), (live) => live.map(hostWorker)))
    },
    reencryptSecrets: () => run(Effect.flatMap(KeyRotation, ({ reencrypt }) => reencrypt)),
    reissueLostSecrets: () =>
      run(Effect.gen(function*() {
        const reissued: Array<HostReissuedSecret> = []
        const { reissueLost } = yield* KeyRotation
        yield* reissueLost(({ accountId, secret, url }) =>
          Effect.sync(() => reissued.push({ accountId, url, secret: Redacted.value(secret) }))
        )
        return reissued
      })),
    notReady: () => run(Effect.flatMap(Readiness, ({ reasons }) => reasons)),
    prepareToClose: () => run(Effect.flatMap(Readiness, ({ drain }) => drain)),
    drain: async (options = {}) => {
      refuseUnknown(options, { signal: true })
      return run(Effect.flatMap(Engine.Engine, (engine) => engine.drain), options)
    },
    services: await runtime.context(),
    close,
    [Symbol.asyncDispose]: close
  }
}

/** How long `close` lets conversations end politely. Another process may continue those that last longer. */
const conversationsTimeout = "10 seconds"

const optionNames: OptionNames.Names<Options> = {
  agents: true,
  lines: true,
  policy: true,
  storage: true,
  wakeups: true,
  telephony: true,
  speed: true,
  textAgent: true,
  voiceAgent: true,
  tools: true,
  outcomes: true,
  transport: true,
  signer: true,
  recordings: true,
  clock: true,
  transactions: true,
  timeZones: true,
  secretKey: true,
  previousSecretKeys: true,
  secretBox: true,
  publicUrl: true,
  signingKey: true,
  workers: true,
  workerName: true,
  signal: true
}

/** Checks options that would otherwise fail only at the first call, or the first link. */
const refuseUnusable = ({ publicUrl, speed }: Options) => {
  const refused = (message: string) => new OutdialError("invalid_request", message, {}, undefined)
  if (speed !== undefined && !(Number.isFinite(speed) && speed > 0)) throw refused("speed must be a number above 0")
  if (publicUrl !== undefined && !/^https?:\/\/[^\s/]/.test(publicUrl)) {
    throw refused("publicUrl must be an address such as https://calls.example.com")
  }
}

const layer = (options: Options) =>
  Engine.layer({
    publicUrl: options.publicUrl ?? "http://localhost",
    ...(options.signingKey !== undefined && { signingKey: Redacted.make(options.signingKey) }),
    ...(options.signer !== undefined && { signer: options.signer }),
    ...(options.workerName !== undefined && { workerName: options.workerName })
  }).pipe(
    Layer.provide(telephonyOf(options)),
    Layer.provideMerge(Engine.layerConversations),
    Layer.provide([
      Engine.layerLineReports,
      CarrierTokens.layer({
        signingKey: options.signingKey === undefined ? undefined : Redacted.make(options.signingKey)
      })
    ]),
    Layer.provide(options.voiceAgent ?? Layer.empty),
    Layer.provide([
      options.textAgent ?? ScriptedAgent.layer,
      options.tools === undefined ? Layer.empty : layerTools(options.tools)
    ]),
    Layer.provide([
      options.storage ?? MemoryStorage.layer,
      options.outcomes ?? OutcomeSource.layerDefault,
      options.transport ?? (options.storage === undefined ? WebhookTransport.layerNowhere : nowhere),
      options.recordings ?? Recordings.layerMemory,
      secretBox(options),
      PhoneNumbers.layer,
      options.timeZones ?? TimeZones.layer,
      options.wakeups ?? Wakeups.layerMemory,
      WebCrypto.layerWebCrypto
    ]),
    Layer.provideMerge([
      // For the console, whose users talk with the agents.
      Layer.succeed(AgentPorts, {
        textAgent: options.textAgent ?? ScriptedAgent.layer,
        tools: options.tools,
        outcomes: options.outcomes
      }),
      // Its timers would keep a process alive that only sends requests.
      options.clock ?? (options.workers === false ? Layer.empty : SteadyClock.layer()),
      options.transactions ?? Layer.empty
    ])
  )

/** The given carrier; by default simulated phones, but only where no real calls can be affected. */
const telephonyOf = (
  { speed, telephony, workers = true }: Options
): Layer.Layer<Telephony, unknown, CarrierServices | Storage> =>
  telephony ?? Layer.unwrap(Effect.gen(function*() {
    const { outlivesProcess } = yield* Storage
    if (!outlivesProcess) return SimulatedTelephony.layer(speed === undefined ? {} : { speed })
    return workers ? yield* new TelephonyMissing() : Telephony.layerNone
  }))

/** Stored events are meant for a receiver. */
const nowhere = Layer.tap(
  WebhookTransport.layerNowhere,
  () =>
    Effect.logWarning(
      "No transport was given: no webhook is sent, and events count as delivered. Give Outdial.open " +
        "transport: GatedTransport.layer() of @outdial/node"
    )
)

/** A random key is fine in memory. With a storage its secrets would be lost. */
const secretBox = ({ previousSecretKeys = [], secretBox, secretKey, storage }: Options) => {
  if (secretBox !== undefined) return secretBox
  if (secretKey !== undefined) {
    return SecretBox.layer({
      key: Redacted.make(secretKey),
      previous: previousSecretKeys.map((key) => Redacted.make(key))
    })
  }
  return storage === undefined ? SecretBox.layerMemory : Layer.effect(SecretBox, new SecretKeyMissing())
}

const inTransactionOf = Effect.fnUntraced(function*<A, E, R>(client: HostClient, work: Effect.Effect<A, E, R>) {
  const { within } = yield* HostTransactions
  return yield* within(yield* decodeClient(client), work)
})

const decodeClient = decoding(
  Schema.declare(
    (client: unknown): client is HostClient =>
      typeof client === "object" && client !== null && "query" in client && typeof client.query === "function",
    { message: "must be a client that has `query(text, values)`" }
  ),
  { at: "client" }
)
const decodeAgents = decoding(Schema.Array(AgentDefinition), { at: "agents" })
const decodeAccountId = decoding(AccountId, { at: "accountId" })
// Hosts in plain JavaScript may pass any value, and one that counts as false would end a stop.
const decodePaused = decoding(Schema.Boolean, { at: "paused" })

/** Better to refuse the start than to find out when the first event cannot be signed. */
const secretsOpen = Effect.flatMap(KeyRotation, ({ check }) => check)

/** The account of that id, which must be there. */
const existing = Effect.fnUntraced(function*(id: string) {
  const accounts = yield* Accounts
  return yield* accounts.get(yield* decodeAccountId(id))
})

/** Of processes that open on new storage at the same time, all make the same account and the same agents. */
const defaultAccountId = AccountId.make("acct_default")

/** The oldest account, or a new one, with the given settings and agents. */
const defaultAccount = Effect.fnUntraced(function*({ agents: given = [], lines, policy }: Options) {
  const accounts = yield* Accounts
  const agents = yield* Agents
  const [first] = yield* accounts.list
  const { policy: document, ...others } = yield* decodeSettings({ lines, policy })
  const settings = { ...others, ...written(document) }
  const account = yield* withSettings(
    first ?? (yield* accounts.create({ id: defaultAccountId, name: "default", ...settings })),
    settings
  )
  const known = yield* agents.list(account.id)
  yield* Effect.forEach(
    yield* decodeAgents(given),
    Effect.fnUntraced(function*(definition) {
      const namesake = known.find(({ name }) => name === definition.name)
      const first = yield* firstAgentId(account.id, definition.name)
      // An agent that was once put under this name keeps its id after it is renamed.
      const id = namesake?.id ?? (known.some(({ id }) => id === first) ? undefined : first)
      yield* agents.put(account.id, { ...(id !== undefined && { id }), ...definition })
    }),
    { discard: true }
  )
  return account.id
})

/** The account with these settings. It is written only if they differ, because each change replans all waiting calls. */
const withSettings = Effect.fnUntraced(function*(account: Account, { lines, policy }: AccountSettings) {
  const accounts = yield* Accounts
  const changed: AccountSettings = {
    ...(lines !== undefined && lines !== account.lines && { lines }),
    ...(policy !== undefined && !Equal.equals(policy, account.policy) && { policy })
  }
  return Object.keys(changed).length === 0 ? account : yield* accounts.set(account.id, changed)
})
