/**
 * The engine for hosts that do not use Effect: promises, plain objects, `Date`s, and one kind of error. In memory and with
 * simulated phones unless layers are given. Many can live in one process.
 */
import { type Context, Effect, Exit, Layer, ManagedRuntime, Redacted, Schema } from "effect"
import { base62 } from "../domain/Base62.ts"
import { AgentDefinition } from "../domain/Agent.ts"
import { StartCall } from "../domain/Call.ts"
import { IdempotencyKey } from "../domain/Idempotency.ts"
import { AccountId, CallId } from "../domain/Ids.ts"
import { SetWebhook } from "../domain/WebhookEndpoint.ts"
import type { LineReports } from "../ports/LineReports.ts"
import * as MemoryStorage from "../ports/MemoryStorage.ts"
import { OutcomeSource } from "../ports/OutcomeSource.ts"
import { PhoneNumbers } from "../ports/PhoneNumbers.ts"
import { Recordings } from "../ports/Recordings.ts"
import * as SimulatedTelephony from "../ports/SimulatedTelephony.ts"
import type { Storage } from "../ports/Storage.ts"
import type { Telephony } from "../ports/Telephony.ts"
import { Wakeups } from "../ports/Wakeups.ts"
import { WebhookTransport } from "../ports/WebhookTransport.ts"
import { Accounts } from "./Accounts.ts"
import { Agents } from "./Agents.ts"
import { Calls } from "./Calls.ts"
import * as Crypto from "./Crypto.ts"
import { decoding } from "./Decoding.ts"
import * as Engine from "./Engine.ts"
import { type HostAgent, hostAgent, type HostCall, hostCall, type HostWebhook, hostWebhook } from "./HostForms.ts"
import * as LineReporting from "./LineReporting.ts"
import { fromCause } from "./OutdialError.ts"
import { Webhooks } from "./Webhooks.ts"

export interface Options {
  /** Put when the engine opens; one without id takes the place of the agent of the same name. */
  readonly agents?: ReadonlyArray<typeof AgentDefinition.Encoded>
  /** Lines of the default account when it is made; 5 when not given. */
  readonly lines?: number
  /** In place of memory. */
  readonly storage?: Layer.Layer<Storage, unknown>
  /** In place of the simulator. */
  readonly telephony?: Layer.Layer<Telephony, unknown, LineReports | Recordings>
  /** Divides the simulator's ringing and talking times. */
  readonly speed?: number
  /** In place of sample outcomes. */
  readonly outcomes?: Layer.Layer<OutcomeSource, unknown>
  /** In place of a transport that only keeps what it is sent; `@outdial/node` has the real one. */
  readonly transport?: Layer.Layer<WebhookTransport, unknown>
  /** In place of memory. */
  readonly recordings?: Layer.Layer<Recordings, unknown>
  /** The root under which the host serves the engine, for links to recordings. */
  readonly publicUrl?: string
  /** Signs links to recordings; without it they end with the process. */
  readonly signingKey?: string
}

/** What can be done for one account. Promises reject with `OutdialError`. */
export interface AccountEngine {
  readonly accountId: string
  readonly calls: {
    /** Queues a call. With the same `idempotencyKey` a retry never makes a second one. */
    readonly start: (
      request: typeof StartCall.Encoded,
      options?: { readonly idempotencyKey?: string }
    ) => Promise<HostCall>
    readonly get: (id: string) => Promise<HostCall>
  }
  readonly agents: {
    readonly put: (agent: typeof AgentDefinition.Encoded) => Promise<HostAgent>
    /** Newest first. */
    readonly list: () => Promise<ReadonlyArray<HostAgent>>
  }
  readonly webhook: {
    /** `secret` is in the answer only when the endpoint was first set. */
    readonly set: (request: typeof SetWebhook.Encoded) => Promise<HostWebhook>
    readonly get: () => Promise<HostWebhook>
    readonly remove: () => Promise<void>
  }
}

/** An engine that runs, seen from its default account. */
export interface Outdial extends AccountEngine, AsyncDisposable {
  /** The same engine for another account. */
  readonly account: (id: string) => AccountEngine
  /** Does everything that is due now, without waiting for time to pass. */
  readonly drain: () => Promise<void>
  /** The services, for adapters such as `@outdial/http`. */
  readonly services: Context.Context<Engine.Services>
  /** Lets what is in flight come to its end, then closes the engine. Safe to repeat. */
  readonly close: () => Promise<void>
}

/** Opens an engine and starts its loops. */
export const open = async (options: Options = {}): Promise<Outdial> => {
  const runtime = ManagedRuntime.make(layer(options))
  const run = async <A, E>(effect: Effect.Effect<A, E, Engine.Services>): Promise<A> => {
    const exit = await runtime.runPromiseExit(effect)
    if (Exit.isSuccess(exit)) return exit.value
    throw fromCause(exit.cause)
  }
  const accountId = await run(defaultAccount(options))
  runtime.runFork(Effect.flatMap(Engine.Engine, (engine) => engine.run))
  const close = () => runtime.dispose()
  return {
    ...accountEngine(run, accountId),
    account: (id) => accountEngine(run, AccountId.make(id)),
    drain: () => run(Effect.flatMap(Engine.Engine, (engine) => engine.drain)),
    services: await runtime.context(),
    close,
    [Symbol.asyncDispose]: close
  }
}

const layer = (options: Options) =>
  Layer.unwrap(Effect.map(
    Effect.provide(base62(32), Crypto.layerWebCrypto),
    (random) =>
      Engine.layer({
        publicUrl: options.publicUrl ?? "http://localhost",
        signingKey: Redacted.make(options.signingKey ?? random)
      })
  )).pipe(
    Layer.provide(
      (options.telephony ?? SimulatedTelephony.layer(options.speed === undefined ? {} : { speed: options.speed })).pipe(
        Layer.provide(LineReporting.layer)
      )
    ),
    Layer.provide([
      options.storage ?? MemoryStorage.layer,
      options.outcomes ?? OutcomeSource.layerSample,
      options.transport ?? WebhookTransport.layerMemory,
      options.recordings ?? Recordings.layerMemory,
      PhoneNumbers.layer,
      Wakeups.layerMemory,
      Crypto.layerWebCrypto
    ])
  )

const decodeAgent = decoding(AgentDefinition)
const decodeCall = decoding(StartCall)
const decodeCallId = decoding(CallId)
const decodeKey = decoding(Schema.Struct({ idempotencyKey: Schema.optionalKey(IdempotencyKey) }))
const decodeWebhook = decoding(SetWebhook)

/** The oldest account, or a new one; with the agents that were given. */
const defaultAccount = Effect.fnUntraced(function*({ agents: given = [], lines }: Options) {
  const accounts = yield* Accounts
  const agents = yield* Agents
  const [first] = yield* accounts.list
  const account = first ?? (yield* accounts.create({ name: "default", ...(lines !== undefined && { lines }) }))
  const known = yield* agents.list(account.id)
  yield* Effect.forEach(given, (agent) =>
    Effect.flatMap(decodeAgent(agent), (definition) => {
      const namesake = known.find(({ name }) => name === definition.name)
      return agents.put(account.id, { ...(namesake !== undefined && { id: namesake.id }), ...definition })
    }), { discard: true })
  return account.id
})

const accountEngine = (
  run: <A, E>(effect: Effect.Effect<A, E, Engine.Services>) => Promise<A>,
  accountId: AccountId
): AccountEngine => ({
  accountId,
  calls: {
    start: (request, options = {}) =>
      run(Effect.gen(function*() {
        const calls = yield* Calls
        const call = yield* calls.start(accountId, yield* decodeCall(request), yield* decodeKey(options))
        return hostCall(call)
      })),
    get: (id) =>
      run(Effect.gen(function*() {
        const calls = yield* Calls
        return hostCall(yield* calls.get(accountId, yield* decodeCallId(id)))
      }))
  },
  agents: {
    put: (agent) =>
      run(Effect.gen(function*() {
        const agents = yield* Agents
        return hostAgent(yield* agents.put(accountId, yield* decodeAgent(agent)))
      })),
    list: () =>
      run(Effect.gen(function*() {
        const agents = yield* Agents
        return (yield* agents.list(accountId)).map((agent) => hostAgent(agent))
      }))
  },
  webhook: {
    set: (request) =>
      run(Effect.gen(function*() {
        const webhooks = yield* Webhooks
        return hostWebhook(yield* webhooks.set(accountId, yield* decodeWebhook(request)))
      })),
    get: () => run(Effect.flatMap(Webhooks, (webhooks) => Effect.map(webhooks.get(accountId), (_) => hostWebhook(_)))),
    remove: () => run(Effect.flatMap(Webhooks, (webhooks) => webhooks.remove(accountId)))
  }
})
