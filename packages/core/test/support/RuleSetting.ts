/** A test engine on one evening, and what tests of calling rules do with it. */
import {
  Accounts,
  Call,
  Calls,
  DoNotCallList,
  Explanations,
  type Ids,
  type Policy,
  SimulatedTelephony
} from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { DateTime, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"

/** Eight o'clock in the evening of a Monday in London, which is three in the afternoon in New York. */
export const monday = "2026-03-02T20:00:00.000Z"
export const london = "+442079460000"
export const newYork = "+12125550100"
export const tollFree = "+18005550100"
export const usual: Policy.PolicyDocument = { fallbackTimeZone: "UTC" }

/** An engine at that moment, with the defaults of a policy but for what is given. */
export const on =
  (policy: Policy.PolicyDocument, options: TestEngine.TestEngineOptions = {}) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.andThen(TestClock.setTime(Date.parse(monday)), effect).pipe(
      Effect.provide(TestEngine.layer({ policy, ...options }))
    )

export const open: Policy.PolicyDocument = { callingHours: null, recallGapSeconds: 0, numberLimits: [] }

export const start = Effect.fnUntraced(function*(phoneNumber: string, more: object = {}) {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  const request = { agentId, phoneNumber, variables: { topic: "your visit" }, ...more }
  return yield* calls.start(accountId, yield* Schema.decodeUnknownEffect(Call.StartCall)(request))
})

/** Why a call is refused. */
export const refusal = (phoneNumber: string, more: object = {}) =>
  Effect.map(Effect.flip(start(phoneNumber, more)), (error) => error._tag === "CallRefused" ? error.reason : error)

export const get = Effect.fnUntraced(function*({ id }: { readonly id: Ids.CallId }) {
  const { accountId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  return yield* calls.get(accountId, id)
})

/** What a call shows of what it waits for. */
export const shown = ({ scheduledFor, status, statusCode }: Call.Call) => [
  status,
  statusCode,
  scheduledFor && DateTime.formatIso(scheduledFor)
]

export const waits = (call: { readonly id: Ids.CallId }) => Effect.map(get(call), shown)

export const rings = Effect.gen(function*() {
  const log = yield* SimulatedTelephony.DialLog
  return (yield* log.rings).map(({ at }) => DateTime.formatIso(at))
})

export const set = Effect.fnUntraced(function*(settings: Accounts.AccountSettings) {
  const { accountId } = yield* TestEngine.Tenant
  const accounts = yield* Accounts.Accounts
  return yield* accounts.set(accountId, settings)
})

export const pauseAll = (paused: boolean) => Effect.flatMap(Accounts.Accounts, (accounts) => accounts.pauseAll(paused))

export const listed = Effect.fnUntraced(function*(number: string) {
  const { accountId } = yield* TestEngine.Tenant
  const list = yield* DoNotCallList.DoNotCallList
  return yield* list.add(accountId, [number])
})

export const explain = Effect.fnUntraced(function*({ id }: { readonly id: Ids.CallId }) {
  const { accountId } = yield* TestEngine.Tenant
  const rules = yield* Explanations.Explanations
  return yield* rules.explain(accountId, id)
})
