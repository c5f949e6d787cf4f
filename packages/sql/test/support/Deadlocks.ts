/**
 * An account in which every path through storage has work, and those paths. Ids and tokens are fixed and the account
 * can be copied, so that two paths can be tested against each other at every point.
 */
import { type Call, type CarrierEvent, Event, EventBodies, Ids, Lane, PhoneNumber, Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { type DateTime, Effect, Option } from "effect"
import * as Racing from "./Races.ts"

type Port = Storage.Storage["Service"]

/** The instant of all paths. */
const seconds = 100
const now = Factories.at(seconds)
const events = EventBodies.eventWriter(now)

const id = (name: string) => name.padStart(26, "0")
const callId = (name: string) => Ids.CallId.make(`call_${id(name)}`)
const batchId = (name: string) => Ids.BatchId.make(`batch_${id(name)}`)
const tokenOf = (name: string) => Ids.ClaimToken.make(`claim_${id(name)}`)
const number = (n: number) => PhoneNumber.PhoneNumber.make(`+141555501${n + 10}`)

const agentId = Factories.agentId()
const lines = 8

/** Counts a day, and forbids nothing. */
const policy = { ...Factories.openPolicy, dailyLimit: 100 }

const start = (
  storage: Port,
  accountId: Ids.AccountId,
  overrides: Partial<Call.CallRecord> & Pick<Call.CallRecord, "id" | "phoneNumber">,
  key?: string
) =>
  storage.calls.start({
    accountId,
    agentId,
    phoneNumber: overrides.phoneNumber,
    now: overrides.createdAt ?? now,
    rules: Factories.rules,
    idempotency: Option.map(Option.fromUndefinedOr(key), (key) => ({ key, fingerprint: "f" })),
    plan: Factories.accepting(overrides),
    events
  })

const startBatch = (
  storage: Port,
  accountId: Ids.AccountId,
  name: string,
  phoneNumbers: ReadonlyArray<PhoneNumber.PhoneNumber>,
  options: { readonly key?: string; readonly createdAt?: DateTime.Utc } = {}
) => {
  const { createdAt = now } = options
  return storage.calls.startBatch({
    accountId,
    now: createdAt,
    idempotency: Option.map(Option.fromUndefinedOr(options.key), (key) => ({ key, fingerprint: "f" })),
    agentIds: [agentId],
    phoneNumbers,
    rules: Factories.rules,
    plan: ({ account, agents, numbers }) => {
      const facts = { account, agent: Option.fromUndefinedOr(agents.get(agentId)) }
      const free = phoneNumbers.filter((phoneNumber) => numbers.get(phoneNumber)?.waitingCallId === undefined)
      const calls = free.map((phoneNumber, batchIndex) =>
        Factories.queuedCall(facts, {
          id: callId(`${name}${batchIndex}`),
          batchId: batchId(name),
          batchIndex,
          phoneNumber,
          createdAt
        })
      )
      const batch = { id: batchId(name), accountId, agentId, acceptedCount: calls.length, rejected: [], test: false }
      return { batch: { ...batch, createdAt }, calls }
    },
    events
  })
}

const claim = (storage: Port, accountId: Ids.AccountId, name: string, at: DateTime.Utc, limit: number) =>
  storage.dispatch.claimDue({
    carrier: Factories.carrier,
    accountId,
    now: at,
    limit,
    token: tokenOf(name),
    rules: Factories.rules,
    events
  })

const submit = (storage: Port, accountId: Ids.AccountId, name: string, at: DateTime.Utc) =>
  storage.dispatch.submit({ accountId, callIds: [callId(name)], token: tokenOf(name), now: at })

const report = (
  storage: Port,
  accountId: Ids.AccountId,
  names: ReadonlyArray<string>,
  event: CarrierEvent.CarrierEvent
) =>
  storage.dispatch.report({
    accountId,
    reports: names.map((name) => ({ callId: callId(name), event })),
    now,
    events
  })

const settleOutcome = (storage: Port, accountId: Ids.AccountId, doNotCall: boolean) =>
  storage.outcomes.settle({
    accountId,
    token: tokenOf("HELD"),
    now,
    results: [{ callId: callId("HELD"), result: { _tag: "Stored", outcome: { ...Factories.outcome, doNotCall } } }],
    events
  })

const setWebhook = (storage: Port, accountId: Ids.AccountId, url: string, at: DateTime.Utc) =>
  storage.webhooks.set({
    accountId,
    url,
    enabled: true,
    events: Event.SubscribableKind.literals,
    secret: Factories.sealed("test"),
    previousSecrets: [],
    createdAt: at,
    updatedAt: at
  })

const settleDeliveries = (
  storage: Port,
  accountId: Ids.AccountId,
  deliveries: ReadonlyArray<Ids.DeliveryId>,
  result: Storage.DeliveryResult
) =>
  storage.deliveries.settle({
    accountId,
    token: tokenOf("SENDER"),
    now,
    results: deliveries.map((deliveryId) => ({ deliveryId, result }))
  })

/** Delivers all but the first, which is being sent. */
const deliver = Effect.fnUntraced(function*(storage: Port, accountId: Ids.AccountId) {
  const claim = storage.deliveries.claim({ accountId, now, limit: 100, ahead: 100, token: tokenOf("SENDER") })
  for (let claimed = yield* claim; claimed.length > 0; claimed = yield* claim) {
    const ids = claimed.map(({ id }) => id).filter((id) => id !== inFlight)
    yield* settleDeliveries(storage, accountId, ids, { _tag: "Delivered" })
  }
})

const inFlight = Ids.deliveryId(Ids.terminalEventId(callId("LAST0")))

const ended: CarrierEvent.Ended = { _tag: "Ended", at: now, result: "no_answer", transcript: [], recorded: false }
const talked: CarrierEvent.Ended = {
  ...ended,
  result: "hung_up",
  answeredAt: now,
  answeredBy: "human",
  transcript: Factories.outcome.transcript
}

/** The end of a call that had a conversation. */
const hungUp: CarrierEvent.Ended = { _tag: "Ended", at: Factories.at(50), result: "hung_up", recorded: false }

const words = { _tag: "Turn", speaker: "contact", text: "Yes", at: 1, endedAt: 2 } as const

/** Appends to logs in their first generation. */
const appendWords = (storage: Port, accountId: Ids.AccountId, names: ReadonlyArray<string>) =>
  storage.conversations.append({
    now,
    logs: names.map((name) => ({ accountId, callId: callId(name), generation: 1, entries: [words] }))
  })

const seal = (storage: Port, accountId: Ids.AccountId, name: string) =>
  storage.conversations.seal({ accountId, callId: callId(name), generation: 1, now, events })

/** Dials one call, under the token with its name. */
const dial = Effect.fnUntraced(
  function*(storage: Port, accountId: Ids.AccountId, name: string, at: DateTime.Utc, n: number) {
    yield* start(storage, accountId, { id: callId(name), phoneNumber: number(n), createdAt: at })
    yield* claim(storage, accountId, name, at, 1)
  }
)

/** The account: a call in each state, work of each kind, and an endpoint and a subscriber for all events. */
export const make = Effect.gen(function*() {
  const storage = yield* Storage.Storage
  const accountId = Factories.accountId()
  yield* storage.accounts.put({ id: accountId, name: "x", lines, paused: false, policy, createdAt: Factories.start })
  yield* storage.agents.put({ accountId, agent: Factories.agentDefinition({ id: agentId }), now: Factories.start })
  yield* setWebhook(storage, accountId, "https://example.com/hook", Factories.start)
  const kinds = Event.SubscribableKind.literals
  yield* storage.subscriptions.put({ accountId, name: "crm", events: kinds, now: Factories.start })
  // Two with a pending outcome, one of them claimed.
  for (const [n, name] of ["OPEN", "HELD"].entries()) {
    yield* dial(storage, accountId, name, Factories.start, n)
    yield* submit(storage, accountId, name, Factories.start)
    yield* report(storage, accountId, [name], { ...talked, at: Factories.at(2 - n) })
  }
  yield* storage.outcomes.claim({ accountId, now: Factories.at(99), limit: 1, token: tokenOf("HELD") })
  // With expired leases: one not submitted, one submitted; then one just claimed and one just submitted.
  yield* dial(storage, accountId, "LEFT", Factories.start, 2)
  yield* dial(storage, accountId, "LOST", Factories.start, 3)
  yield* submit(storage, accountId, "LOST", Factories.start)
  yield* dial(storage, accountId, "CLAIMED", Factories.at(95), 4)
  yield* dial(storage, accountId, "RINGING", Factories.at(95), 5)
  yield* submit(storage, accountId, "RINGING", Factories.at(95))
  // With open logs: a live call, one whose line has ended without words, and a completed one whose outcome is due.
  for (const [n, name] of ["TALK", "SILENT", "UNSEALED"].entries()) {
    yield* dial(storage, accountId, name, Factories.at(40), 12 + n)
    yield* submit(storage, accountId, name, Factories.at(40))
    yield* storage.conversations.acquire({ accountId, callId: callId(name), now: Factories.at(41), takesOver: false })
  }
  yield* appendWords(storage, accountId, ["UNSEALED"])
  yield* storage.dispatch.report({
    accountId,
    reports: ["SILENT", "UNSEALED"].map((name) => ({ callId: callId(name), event: hungUp })),
    now: Factories.at(50),
    events
  })
  // A batch whose last call ends, a queued one, and calls that wait for a busy number or to expire.
  yield* startBatch(storage, accountId, "LAST", [number(6)], { createdAt: Factories.start })
  yield* storage.calls.cancelBatch({ accountId, id: batchId("LAST"), now: Factories.at(50), events })
  yield* startBatch(storage, accountId, "BATCH", [number(7), number(8)], { createdAt: Factories.at(98) })
  yield* start(storage, accountId, { id: callId("WAITING"), phoneNumber: number(9), createdAt: Factories.at(98) })
  yield* start(storage, accountId, { id: callId("AGAIN"), phoneNumber: number(5), createdAt: Factories.at(98) })
  yield* start(storage, accountId, { id: callId("OPTOUT"), phoneNumber: number(1), createdAt: Factories.at(98) })
  yield* start(storage, accountId, {
    id: callId("OLD"),
    phoneNumber: number(10),
    createdAt: Factories.start,
    expiresAt: Factories.at(99)
  })
  // Half of the queued calls have this lane, and are replanned.
  yield* start(storage, accountId, {
    id: callId("STALE"),
    phoneNumber: number(11),
    createdAt: Factories.at(98),
    lane: Lane.make({ planVersion: 99, timeZones: ["Etc/UTC"] })
  })
  yield* deliver(storage, accountId)
  return accountId
})

/** A path through storage, on any account. */
export type Path = (storage: Port, accountId: Ids.AccountId) => Effect.Effect<unknown, Storage.StorageError>

/** The janitor's work on calls with expired leases. */
const janitor: Path = Effect.fnUntraced(function*(storage, accountId) {
  const stale = yield* storage.dispatch.claimStaleCalls({ carriers: [Factories.carrier], accountId, now, limit: 10 })
  for (const { callId, submittedAt, token } of stale.toSorted((a, b) => a.callId < b.callId ? -1 : 1)) {
    if (submittedAt === undefined) {
      const reason = "not_submitted"
      yield* storage.dispatch.returnToQueue({ accountId, callIds: [callId], token, now, reason, events })
    } else {
      const event = { ...ended, result: "failed", code: "carrier_lost" } as const
      yield* storage.dispatch.report({ accountId, reports: [{ callId, event }], now, events })
    }
  }
})

export const paths: { readonly [name: string]: Path } = {
  claim: (storage, accountId) => claim(storage, accountId, "ANY", now, 10),
  submit: (storage, accountId) => submit(storage, accountId, "CLAIMED", now),
  "return": (storage, accountId) =>
    storage.dispatch.returnToQueue({
      accountId,
      callIds: [callId("CLAIMED")],
      token: tokenOf("CLAIMED"),
      now,
      reason: "not_submitted",
      events
    }),
  "report of an answer": (storage, accountId) =>
    report(storage, accountId, ["RINGING", "LOST"], { _tag: "Answered", at: now, by: "human" }),
  "report of ends": (storage, accountId) => report(storage, accountId, ["RINGING", "LOST", "TALK"], ended),
  "report of talks": (storage, accountId) => report(storage, accountId, ["RINGING", "LOST"], talked),
  janitor,
  expiry: (storage, accountId) =>
    storage.dispatch.expireCalls({ accountId, now, limit: 10, rules: Factories.rules, events }),
  cancel: (storage, accountId) => storage.calls.cancel({ accountId, id: callId("WAITING"), now, events }),
  "cancel of a batch": (storage, accountId) =>
    storage.calls.cancelBatch({ accountId, id: batchId("BATCH"), now, events }),
  "closing policy": (storage, accountId) => storage.accounts.update(accountId, { policy: Racing.closedPolicy }),
  pause: (storage, accountId) => storage.accounts.update(accountId, { paused: true }),
  "do-not-call": (storage, accountId) =>
    storage.doNotCall.add({
      accountId,
      entries: [4, 7, 9].map((n) => ({ phoneNumber: number(n), source: "api" as const, createdAt: now })),
      now,
      events
    }),
  "words of conversations": (storage, accountId) => appendWords(storage, accountId, ["UNSEALED", "TALK", "SILENT"]),
  "takeover of a conversation": (storage, accountId) =>
    storage.conversations.acquire({ accountId, callId: callId("TALK"), now, takesOver: true }),
  "seals of conversations": (storage, accountId) =>
    Effect.forEach(["SILENT", "TALK", "UNSEALED"], (name) => seal(storage, accountId, name)),
  "settling of ends": (storage, accountId) => storage.conversations.settleEnds({ accountId, now, limit: 10, events }),
  "claim of outcomes": (storage, accountId) =>
    storage.outcomes.claim({ accountId, now, limit: 10, token: tokenOf("MORE") }),
  outcome: (storage, accountId) => settleOutcome(storage, accountId, false),
  "outcome with an opt-out": (storage, accountId) => settleOutcome(storage, accountId, true),
  "claim of deliveries": (storage, accountId) =>
    storage.deliveries.claim({ accountId, now, limit: 10, token: tokenOf("MORE") }),
  "failure of a delivery": (storage, accountId) =>
    settleDeliveries(storage, accountId, [inFlight], { _tag: "RetryAt", at: now }),
  "another address": (storage, accountId) => setWebhook(storage, accountId, "https://example.com/other", now),
  replanning: (storage, accountId) =>
    storage.dispatch.replanCalls({ accountId, now, limit: 100, rules: Factories.rules, events }),
  "completion of batches": (storage, accountId) =>
    storage.calls.completeBatches({
      accountId,
      now,
      limit: 10,
      event: ({ batch, calls }) => EventBodies.batchCompleted(batch, calls, now)
    }),
  "start to a number": (storage, accountId) => start(storage, accountId, { id: callId("NEW"), phoneNumber: number(9) }),
  "start with a key": (storage, accountId) =>
    start(storage, accountId, { id: callId("KEYED"), phoneNumber: number(20) }, "key"),
  "start with the same key": (storage, accountId) =>
    start(storage, accountId, { id: callId("TWIN"), phoneNumber: number(20) }, "key"),
  "starts together": (storage, accountId) =>
    Effect.all([
      start(storage, accountId, { id: callId("ONE"), phoneNumber: number(20) }, "key"),
      start(storage, accountId, { id: callId("TWO"), phoneNumber: number(9) }),
      start(storage, accountId, { id: callId("THREE"), phoneNumber: number(21) }, "another key")
    ], { concurrency: "unbounded" }),
  "batch with a key": (storage, accountId) =>
    startBatch(storage, accountId, "BATCHKEYED", [number(4), number(8), number(20)], { key: "key" }),
  "batch with the same key": (storage, accountId) =>
    startBatch(storage, accountId, "BATCHTWIN", [number(20), number(4)], { key: "key" })
}

/** Reverts what the paths may have forbidden, and lets every call end. */
export const finish = Effect.fnUntraced(function*(storage: Port, accountId: Ids.AccountId) {
  const later = Factories.at(10_000)
  const told = { accountId, now: later, events: EventBodies.eventWriter(later) }
  yield* storage.accounts.update(accountId, { paused: false, policy, lines: 50 })
  for (let round = 0;; round++) {
    if (round === 20) return yield* Effect.die(new Error("The calls do not come to their end"))
    const token = tokenOf(`ROUND${round}`)
    const { claimed, moved } = yield* storage.dispatch.claimDue({
      carrier: Factories.carrier,
      ...told,
      limit: 50,
      token,
      rules: Factories.rules
    })
    const callIds = claimed.map(({ call }) => call.id)
    yield* storage.dispatch.submit({ ...told, callIds, token })
    const { items } = yield* storage.calls.list({
      accountId,
      filter: { statuses: ["dialing", "in_progress"] },
      page: { limit: 100, after: Option.none() }
    })
    yield* storage.dispatch.report({
      ...told,
      reports: items.map((call) => ({ callId: call.id, event: { ...ended, at: later } }))
    })
    // Those that have waited for their last words since the report.
    const atLast = Factories.at(10_010)
    const settled = yield* storage.conversations.settleEnds({
      accountId,
      now: atLast,
      limit: 50,
      events: EventBodies.eventWriter(atLast)
    })
    const due = yield* storage.outcomes.claim({ ...told, now: atLast, limit: 50, token })
    const result = { _tag: "GivenUp" } as const
    yield* storage.outcomes.settle({ ...told, token, results: due.map(({ call }) => ({ callId: call.id, result })) })
    if (claimed.length + moved + items.length + settled + due.length === 0) break
  }
  yield* storage.calls.completeBatches({
    ...told,
    limit: 100,
    event: ({ batch, calls }) => EventBodies.batchCompleted(batch, calls, later)
  })
})
