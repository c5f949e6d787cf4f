/** The fixture of a contract test: an account with one agent in the storage under test, and shared steps. */
import {
  Call,
  CallLife,
  type CarrierEvent,
  type Errors,
  type Event,
  EventBodies,
  Ids,
  type Policy,
  Storage
} from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import * as Factories from "../Factories.ts"

export interface Fixture {
  readonly storage: Storage.Storage["Service"]
  readonly accountId: Ids.AccountId
  readonly agentId: Ids.AgentId
}

/** A fresh account with `lines` lines and an agent. */
export const make = Effect.fnUntraced(
  function*(options: { readonly lines?: number; readonly policy?: Policy.PolicyDocument } = {}) {
    const storage = yield* Storage.Storage
    const accountId = Factories.accountId()
    yield* storage.accounts.put({
      id: accountId,
      name: "Contract",
      lines: options.lines ?? 5,
      paused: false,
      policy: options.policy ?? Factories.openPolicy,
      createdAt: Factories.start
    })
    const agent = yield* storage.agents.put({ accountId, agent: Factories.agentDefinition(), now: Factories.start })
    const fixture: Fixture = { storage, accountId, agentId: agent.id }
    return fixture
  }
)

/** Starts a call and returns the result. */
export const startResult = (
  { accountId, agentId, storage }: Fixture,
  overrides: Partial<Call.CallRecord> = {},
  idempotency: Option.Option<Storage.Idempotency> = Option.none()
): Effect.Effect<Storage.StartResult<Errors.CallAlreadyQueued>, Storage.StorageError> => {
  const phoneNumber = overrides.phoneNumber ?? Factories.phoneNumber()
  return storage.calls.start({
    accountId,
    agentId,
    phoneNumber,
    now: overrides.createdAt ?? Factories.start,
    rules: Factories.rules,
    aliasesOf: Factories.aliasesOf,
    idempotency,
    plan: Factories.accepting({ phoneNumber, ...overrides }),
    events: EventBodies.eventWriter(overrides.createdAt ?? Factories.start)
  })
}

/** Starts a call that must be accepted. */
export const start = Effect.fnUntraced(function*(fixture: Fixture, overrides: Partial<Call.CallRecord> = {}) {
  const result = yield* startResult(fixture, overrides)
  if (result._tag !== "Started") throw new Error(`The call was not started: ${result._tag}`)
  return result.call
})

/** Claims with the real rules. */
export const claim = (
  { accountId, storage }: Fixture,
  options: {
    readonly at?: number
    readonly limit?: number
    readonly token?: Ids.ClaimToken
    readonly carrier?: Ids.CarrierName
    readonly slots?: ReadonlyMap<Ids.CarrierName, number>
  } = {}
) => {
  const now = Factories.at(options.at ?? 0)
  return storage.dispatch.claimDue({
    carrier: options.carrier ?? Factories.carrier,
    ...(options.slots !== undefined && { slots: options.slots }),
    accountId,
    now,
    limit: options.limit ?? 100,
    token: options.token ?? Factories.token(),
    rules: Factories.rules,
    events: EventBodies.eventWriter(now)
  })
}

/** Starts, claims and submits one call, `at` seconds after `start`; returns it with its token. */
export const submitted = Effect.fnUntraced(function*(
  fixture: Fixture,
  overrides: Partial<Call.CallRecord> = {},
  at = 0
) {
  const call = yield* start(fixture, overrides)
  const token = Factories.token()
  yield* claim(fixture, { token, at })
  const { accountId, storage } = fixture
  yield* storage.dispatch.submit({ accountId, callIds: [call.id], token, now: Factories.at(at) })
  return { callId: call.id, token }
})

export const report = (
  fixture: Fixture,
  callId: Ids.CallId,
  seconds: number,
  ...events: ReadonlyArray<CarrierEvent.CarrierEvent>
): ReturnType<Storage.DispatchStore["Service"]["report"]> =>
  fixture.storage.dispatch.report({
    accountId: fixture.accountId,
    now: Factories.at(seconds),
    reports: events.map((event) => ({ callId, event })),
    events: EventBodies.eventWriter(Factories.at(seconds))
  })

export const answered = (seconds: number): CarrierEvent.Answered => ({
  _tag: "Answered",
  at: Factories.at(seconds),
  by: "human"
})

/** The end of a conversation in which the callee spoke. */
export const talked = (answer: number, end: number): CarrierEvent.Ended => ({
  _tag: "Ended",
  at: Factories.at(end),
  result: "hung_up",
  answeredAt: Factories.at(answer),
  answeredBy: "human",
  transcript: Factories.outcome.transcript,
  recorded: true
})

/** The stored call, which must exist. */
export const get = (fixture: Fixture, callId: Ids.CallId) =>
  Effect.map(fixture.storage.calls.get(fixture.accountId, callId), Option.getOrThrow)

/** The call's terminal event, if it has one. */
export const terminalEvent = (fixture: Fixture, callId: Ids.CallId) =>
  fixture.storage.events.get(fixture.accountId, Ids.terminalEventId(callId))

/** Puts a call through to its completion with an outcome stored at `end`. */
export const complete = Effect.fnUntraced(function*(fixture: Fixture, overrides: Partial<Call.CallRecord> = {}) {
  const { accountId, storage } = fixture
  const { callId } = yield* submitted(fixture, overrides)
  yield* report(fixture, callId, 20, talked(5, 20))
  const token = Factories.token()
  yield* storage.outcomes.claim({ accountId, now: Factories.at(20), limit: 10, token })
  const result: CallLife.OutcomeResult = { _tag: "Stored", outcome: Factories.outcome }
  yield* storage.outcomes.settle({
    accountId,
    token,
    now: Factories.at(21),
    results: [{ callId, result }],
    events: EventBodies.eventWriter(Factories.at(21))
  })
  return callId
})

/** Sets the account's endpoint. */
export const setWebhook = (
  { accountId, storage }: Fixture,
  overrides: Partial<Parameters<Storage.WebhookStore["Service"]["set"]>[0]> = {}
) =>
  storage.webhooks.set({
    accountId,
    url: "https://example.com/hook",
    enabled: true,
    events: ["call.completed", "call.not_connected"],
    secret: Factories.sealed("a secret"),
    previousSecrets: [],
    createdAt: Factories.start,
    updatedAt: Factories.start,
    ...overrides
  })

/** Whether the account has work of the kind at that time. */
export const isDue = ({ accountId, storage }: Fixture, kind: Storage.WorkKind, seconds: number) =>
  Effect.map(
    storage.work.accountsDue({ kind, now: Factories.at(seconds), limit: 10_000 }),
    (ids) => ids.includes(accountId)
  )

/** The writer of events at that time. */
export const eventsAt = (seconds: number): Event.EventWriter => EventBodies.eventWriter(Factories.at(seconds))

export const later = (instant: DateTime.Utc, seconds: number) => DateTime.addDuration(instant, `${seconds} seconds`)
