/**
 * The engine for hosts that do not use Effect: promises, plain objects, `Date`s, and one kind of error. In memory and with
 * simulated phones unless layers are given. Many can live in one process.
 */
import { Cause, type Context, Effect, Equal, Exit, Layer, ManagedRuntime, Redacted, Schema } from "effect"
import type { Account } from "../domain/Account.ts"
import { AgentDefinition } from "../domain/Agent.ts"
import { AccountId } from "../domain/Ids.ts"
import type { LineReports } from "../telephony/LineReports.ts"
import * as MemoryStorage from "../engine/MemoryStorage.ts"
import { OutcomeSource } from "../outcome/OutcomeSource.ts"
import { type HostClient, HostTransactions } from "../storage/HostTransactions.ts"
import type { PolicyDocument } from "../domain/Policy.ts"
import { PhoneNumbers } from "../phone-number/PhoneNumbers.ts"
import { Recordings } from "../recording/Recordings.ts"
import * as SimulatedTelephony from "../simulator/SimulatedTelephony.ts"
import { SecretBox } from "../secret/SecretBox.ts"
import * as SteadyClock from "../time/SteadyClock.ts"
import { Storage } from "../engine/Storage.ts"
import { Telephony } from "../telephony/Telephony.ts"
import { TimeZones } from "../time/TimeZones.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { WebhookTransport } from "../webhook/WebhookTransport.ts"
import * as AccountClient from "./AccountClient.ts"
import { Accounts, type AccountSettings } from "../account/Accounts.ts"
import { Agents } from "../account/Agents.ts"
import * as Crypto from "../engine/WebCrypto.ts"
import { decoding } from "../domain/Decoding.ts"
import * as Engine from "../engine/Engine.ts"
import { firstAgentId } from "./FirstAgentId.ts"
import { type HostAccount, hostAccount } from "./Types.ts"
import { decodeNewAccount, decodeSettings, type HostNewAccount, written } from "./Requests.ts"
import * as CarrierReporting from "../dispatch/CarrierReporting.ts"
import { fromCause, OutdialError, refuseUnknown } from "./OutdialError.ts"
import { type NotReady, Readiness } from "../observe/Readiness.ts"
import { KeyRotation } from "../engine/KeyRotation.ts"
import { type HostWorker, hostWorker, Workers } from "../worker/Workers.ts"

// What hosts name in their own signatures: `Outdial.HostCall`, `Outdial.HostEvent` and so on.
export type * from "./Types.ts"
export type { HostHandler, HostSubscription } from "./PromiseSubscriptions.ts"

export interface Options {
  /** Put when the engine opens; one without id takes the place of the agent of the same name. */
  readonly agents?: ReadonlyArray<typeof AgentDefinition.Encoded>
  /**
   * Lines of the default account, set when the engine opens, whatever the storage has for it. When not given it keeps what it
   * has, which is 5 for a new one.
   */
  readonly lines?: number
  /**
   * The whole policy of the default account, set when the engine opens in place of what the storage has for it, before any call
   * is dialed. When not given it keeps what it has, which is to call from 09:00 to 20:00 of the callee's time for a new one:
   * leave it out where the policy is kept by `settings.set` or the command line, or each start undoes their changes.
   */
  readonly policy?: typeof PolicyDocument.Encoded
  /** In place of memory. */
  readonly storage?: Layer.Layer<Storage, unknown>
  /** In place of wake-ups within the process; with `storage` that others share, theirs are found by polling each second then. */
  readonly wakeups?: Layer.Layer<Wakeups, unknown>
  /**
   * Your carrier. When not given, phones are simulated, unless the storage outlives the process: there simulated phones have to be
   * asked for, by `SimulatedTelephony.layer()`, and without workers nothing is dialed.
   */
  readonly telephony?: Layer.Layer<Telephony, unknown, LineReports | Recordings>
  /** Divides the simulator's ringing and talking times. */
  readonly speed?: number
  /** Makes the outcomes of conversations. When not given, simulated calls have sample outcomes and all others `null`. */
  readonly outcomes?: Layer.Layer<OutcomeSource, unknown>
  /**
   * In place of one that sends nothing, and counts all as delivered, which is told in the log where there is `storage`. The real one
   * is `GatedTransport` of `@outdial/node`.
   */
  readonly transport?: Layer.Layer<WebhookTransport, unknown>
  /** In place of ours, which signs deliveries with the webhook's secret. */
  readonly signer?: Engine.EngineOptions["signer"]
  /** In place of memory. */
  readonly recordings?: Layer.Layer<Recordings, unknown>
  /** In place of the system's clock, which is guarded against being set; such as the database's, or one for tests. */
  readonly clock?: Layer.Layer<never, unknown>
  /** Lets `within` join transactions that the host opens on the storage's database. */
  readonly transactions?: Layer.Layer<never, unknown>
  /** In place of the zones that numbers lie in by our table, and of the runtime's clocks. */
  readonly timeZones?: Layer.Layer<TimeZones, unknown>
  /**
   * Seals webhook secrets, and signs links to recordings by a key derived from it: 32 bytes in base64, the same in every process.
   * Needed with `storage`, unless `secretBox` is given.
   */
  readonly secretKey?: string
  /** Keys that only open what they sealed and signed, until `reencryptSecrets` has been run and a day has passed. */
  readonly previousSecretKeys?: ReadonlyArray<string>
  /** In place of the two above, such as one over a key service. */
  readonly secretBox?: Layer.Layer<SecretBox, unknown>
  /** The root under which the host serves the engine, for links to recordings. */
  readonly publicUrl?: string
  /** Signs links to recordings in place of a key derived from `secretKey`; the same in every process. Rarely needed. */
  readonly signingKey?: string
  /**
   * What runs by itself. `true` when not given: dialing, outcomes, deliveries, and handlers of `events.subscribe`. With `false` only
   * the handlers: the engine takes requests and answers them, and the rest is left to processes that have opened theirs on the same
   * storage with workers. With `"manual"` nothing: everything happens in `drain`, as in tests.
   */
  readonly workers?: boolean | "manual"
  /** What this process is called in the list of workers, such as its host and process number. */
  readonly workerName?: string
  /** Gives up opening when it is aborted. */
  readonly signal?: AbortSignal
}

/** Secrets would be kept under a key that ends with the process. */
export class SecretKeyMissing extends Schema.TaggedError<SecretKeyMissing>()("SecretKeyMissing", {
  code: Schema.tag("secret_key_missing")
}) {
  override get message(): string {
    return "With storage, secretKey must be given: 32 bytes in base64, kept and the same on every start"
  }
}

/** Calls that wait in the storage would be completed by simulated phones. */
export class TelephonyMissing extends Schema.TaggedError<TelephonyMissing>()("TelephonyMissing", {
  code: Schema.tag("telephony_missing")
}) {
  override get message(): string {
    return "This storage outlives the process, so it is not simulated by default who answers its calls. Give Outdial.open " +
      "telephony: your carrier's layer, or SimulatedTelephony.layer() to have every call simulated; or workers: false, for a " +
      "process that dials nothing"
  }
}

/** An engine that runs, seen from its default account. */
export interface Outdial extends AccountClient.AccountClient, AsyncDisposable {
  /** The same engine for another account. */
  readonly account: (id: string) => AccountClient.AccountClient
  /** The accounts of the storage; `account(id)` acts for one of them. */
  readonly accounts: {
    /** A new account. What is not given takes its default: 5 lines, and calls from 09:00 to 20:00 of the callee's time. */
    readonly create: (account: HostNewAccount) => Promise<HostAccount>
    /** Oldest first. */
    readonly list: () => Promise<ReadonlyArray<HostAccount>>
  }
  /**
   * The emergency stop of the whole deployment: all accounts of the storage, those to come included, in every process. From its
   * return on no phone is dialed while paused; calls that go on, go on. `false` ends it, and leaves each account's own pause.
   */
  readonly pauseAll: (paused?: boolean) => Promise<void>
  /** Whether the whole deployment is stopped; each account's own pause is in its `settings`. */
  readonly allPaused: () => Promise<boolean>
  readonly workers: {
    /**
     * Processes that dial and deliver, of all on the storage, oldest first. One that was killed, or cannot reach the storage, is
     * listed for 30 seconds more.
     */
    readonly list: () => Promise<ReadonlyArray<HostWorker>>
  }
  /** Seals the webhook secrets of all accounts under `secretKey`; answers for how many endpoints. Safe to repeat. */
  readonly reencryptSecrets: () => Promise<number>
  /**
   * When a key is lost: makes new webhook secrets in place of those that none of the keys opens. Each is in the answer and can
   * never be read again; the receiver at the address must be given it. Safe to repeat.
   */
  readonly reissueLostSecrets: () => Promise<ReadonlyArray<HostReissuedSecret>>
  /**
   * What keeps this process from being sent requests, for the readiness probe of the host: nothing when it is ready. Looks at
   * the storage once a second at most, and answers within two when that does not.
   */
  readonly notReady: () => Promise<ReadonlyArray<NotReady>>
  /** Does everything that is due now, without waiting for time to pass. */
  readonly drain: (options?: { readonly signal?: AbortSignal }) => Promise<void>
  /** The services, for adapters such as `@outdial/http`. */
  readonly services: Context.Context<Engine.Services>
  /** Lets what is in flight come to its end, then closes the engine. Safe to repeat. */
  readonly close: () => Promise<void>
}

/** The new secret of an account's webhook. */
export interface HostReissuedSecret {
  readonly accountId: string
  readonly url: string
  readonly secret: string
}

/** Opens an engine and starts its loops. */
export const open = async (options: Options = {}): Promise<Outdial> => {
  refuseUnknown(options, optionNames)
  refuseUnusable(options)
  const runtime = ManagedRuntime.make(layer(options))
  let closed = false
  const run: AccountClient.Run = async (effect, { signal, within } = {}) => {
    if (closed) throw new OutdialError("engine_closed", "The engine was closed; open another", {}, undefined)
    const isAborted = () => signal?.aborted === true
    const exit = isAborted()
      ? Exit.interrupt()
      : await runtime.runPromiseExit(
        within === undefined ? effect : inTransactionOf(within, effect),
        signal === undefined ? undefined : { signal }
      )
    if (Exit.isSuccess(exit)) return exit.value
    throw isAborted() && Cause.hasInterruptsOnly(exit.cause)
      ? new OutdialError("aborted", "The signal was aborted before the engine had answered", {}, signal?.reason)
      : fromCause(exit.cause)
  }
  const { signal, workers = true } = options
  const accountId = await run(Effect.andThen(secretsOpen, defaultAccount(options)), { signal }).catch(
    async (error: unknown) => {
      await runtime.dispose()
      throw error
    }
  )
  if (workers !== "manual") {
    runtime.runFork(Effect.flatMap(Engine.Engine, (engine) => workers ? engine.run : engine.runSubscriptions))
  }
  const close = () => {
    closed = true
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
    drain: async (options = {}) => {
      refuseUnknown(options, ["signal"])
      return run(Effect.flatMap(Engine.Engine, (engine) => engine.drain), options)
    },
    services: await runtime.context(),
    close,
    [Symbol.asyncDispose]: close
  }
}

/** Every option, so that another is refused: a misspelled one would be no option. */
const optionNames = Object.keys(
  {
    agents: true,
    lines: true,
    policy: true,
    storage: true,
    wakeups: true,
    telephony: true,
    speed: true,
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
  } satisfies Record<keyof Options, true>
)

/** What would be found out only when the first phone rings, or the first link is followed. */
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
    Layer.provide((options.telephony ?? defaultTelephony(options)).pipe(Layer.provide(CarrierReporting.layer))),
    Layer.provide([
      options.storage ?? MemoryStorage.layer,
      options.outcomes ?? OutcomeSource.layerSample,
      options.transport ?? (options.storage === undefined ? WebhookTransport.layerNowhere : nowhere),
      options.recordings ?? Recordings.layerMemory,
      secretBox(options),
      PhoneNumbers.layer,
      options.timeZones ?? TimeZones.layer,
      options.wakeups ?? Wakeups.layerMemory,
      Crypto.layerWebCrypto
    ]),
    Layer.provideMerge([
      // Its timers would keep a process alive that only asks.
      options.clock ?? (options.workers === false ? Layer.empty : SteadyClock.layer()),
      options.transactions ?? Layer.empty
    ])
  )

/** Simulated phones, where that can harm nobody's calls. */
const defaultTelephony = ({ speed, workers = true }: Options) =>
  Layer.unwrap(Effect.gen(function*() {
    const { outlivesProcess } = yield* Storage
    if (!outlivesProcess) return SimulatedTelephony.layer(speed === undefined ? {} : { speed })
    return workers ? yield* new TelephonyMissing() : Telephony.layerNone
  }))

/** Events that are kept are meant to arrive somewhere. */
const nowhere = Layer.tap(
  WebhookTransport.layerNowhere,
  () =>
    Effect.logWarning(
      "No transport was given: webhooks are sent nothing, and their events count as delivered. Give Outdial.open " +
        "transport: GatedTransport.layer() of @outdial/node"
    )
)

/** In memory a key that ends with it is right; where secrets are kept, it would lose them. */
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
// Hosts in plain JavaScript may pass anything, and what is taken for false would end a stop.
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

/** The oldest account, or a new one; with the settings and agents that were given. */
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
      // An agent of another name that was put under this one once keeps its id.
      const id = namesake?.id ?? (known.some(({ id }) => id === first) ? undefined : first)
      yield* agents.put(account.id, { ...(id !== undefined && { id }), ...definition })
    }),
    { discard: true }
  )
  return account.id
})

/** The account with these settings. One that has them is left alone: each change has all waiting calls planned anew. */
const withSettings = Effect.fnUntraced(function*(account: Account, { lines, policy }: AccountSettings) {
  const accounts = yield* Accounts
  const changed: AccountSettings = {
    ...(lines !== undefined && lines !== account.lines && { lines }),
    ...(policy !== undefined && !Equal.equals(policy, account.policy) && { policy })
  }
  return Object.keys(changed).length === 0 ? account : yield* accounts.set(account.id, changed)
})
