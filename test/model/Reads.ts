/** Everything that can be seen of the accounts, and the lists page by page. */
import { Call, Event, Ids, type Page, type Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { DateTime, Effect, Option } from "effect"
import {
  type Knowledge,
  type Known,
  nowOf,
  numberOf,
  numbers,
  pick,
  type Port,
  promised,
  type Step,
  step
} from "./Knowledge.ts"
import { carriers, rulesOf } from "./Rules.ts"

type Make = (knowledge: Knowledge, known: Known, n: number) => Step

const kinds = [
  "dial",
  "plan",
  "expiry",
  "lease",
  "outcome",
  "delivery",
  "batch",
  "retention",
  "sweep"
] satisfies ReadonlyArray<Storage.WorkKind>

const whole: Page.PageRequest = { limit: 1000, after: Option.none() }

const deliveryStates = ["pending", "sending", "delivered", "exhausted", "held", "dropped"] as const

/** Everything that an account's owner and the loops can read. */
export const readAccount = (storage: Port, knowledge: Knowledge, { id: accountId }: Known) => {
  const now = nowOf(knowledge)
  return Effect.all({
    account: storage.accounts.get(accountId),
    facts: storage.calls.dialFacts({ accountId, phoneNumbers: numbers, now, rules: rulesOf(knowledge.zones) }),
    agents: storage.agents.list(accountId),
    keys: storage.access.listApiKeys(accountId),
    doNotCall: storage.doNotCall.list({ accountId, page: whole }),
    calls: storage.calls.list({ accountId, filter: {}, page: whole }),
    withoutCost: Effect.map(
      storage.calls.withoutCost({
        accountId,
        carrier: Factories.carrier,
        dialedAfter: DateTime.makeUnsafe(0),
        limit: 1000
      }),
      (found) => found.map(({ callId, carrierCallId }) => `${callId} ${carrierCallId}`).sort()
    ),
    batches: Effect.map(storage.calls.listBatches({ accountId, page: whole }), ({ items }) => items.map(promised)),
    webhook: storage.webhooks.get(accountId),
    events: storage.events.list({ accountId, filter: {}, page: whole }),
    deliveries: storage.deliveries.list({ accountId, filter: {}, page: whole }),
    toldAt: storage.subscriptions.due([{ accountId, name: "crm" }])
  })
}

/** What stands across accounts: who has which work, and when the next falls due. */
export const readShared = (storage: Port, knowledge: Knowledge) => {
  const now = nowOf(knowledge)
  return Effect.all({
    due: Effect.forEach(kinds, (kind) => storage.work.accountsDue({ kind, now, limit: 10 })),
    nextDueAt: storage.work.nextDueAt({}),
    carriers: storage.carriers.list,
    dueOfCarrier: storage.work.nextDueAt({ carriers: [Factories.carrier] }),
    dueOfBoth: storage.work.nextDueAt({ carriers, dialsFrom: new Map(carriers.map((carrier) => [carrier, now])) }),
    dueSince: Effect.map(storage.stats.snapshot(now), ({ dueSince }) => dueSince.get("dial")),
    stranded: storage.stats.strandedCalls(now),
    missing: storage.stats.missingCarriers(now),
    isPaused: storage.accounts.getDeployment
  })
}

/** All of both. */
export const readAll = (storage: Port, knowledge: Knowledge) =>
  Effect.all({
    accounts: Effect.forEach(knowledge.accounts, (known) => readAccount(storage, knowledge, known)),
    around: readShared(storage, knowledge)
  })

/** Every page of a list, one behind the other. */
const pages = <A extends { readonly createdAt: Page.Position["createdAt"]; readonly id: string }>(
  limit: number,
  read: (page: Page.PageRequest) => Effect.Effect<Page.Page<A>, Storage.StorageError>
): Effect.Effect<ReadonlyArray<ReadonlyArray<Ids.CallId | string>>, Storage.StorageError> =>
  Effect.gen(function*() {
    const read_: Array<ReadonlyArray<string>> = []
    let after: Page.PageRequest["after"] = Option.none()
    for (let count = 0; count < 50; count++) {
      const page: Page.Page<A> = yield* read({ limit, after })
      read_.push(page.items.map(({ id }) => id))
      const last = page.items.at(-1)
      if (!page.hasMore || last === undefined) break
      after = Option.some({ createdAt: last.createdAt, id: last.id })
    }
    return read_
  })

const callFilter = (knowledge: Knowledge, known: Known, n: number): Storage.CallFilter => {
  const agentId = pick(known.agents, n)
  const batchId = pick(known.batches, n)
  const statuses = Call.CallStatus.literals.filter((_, index) => index % 3 === n % 3)
  return pick<Storage.CallFilter>([
    { statuses },
    { phoneNumber: numberOf(n) },
    { createdAfter: Factories.at(knowledge.seconds / 2) },
    { createdBefore: Factories.at(knowledge.seconds / 2), statuses },
    { test: n % 2 === 0 },
    { externalId: "crm-7", test: false },
    agentId === undefined ? {} : { agentId },
    batchId === undefined ? {} : { batchId }
  ], n) ?? {}
}

export const steps = {
  get: (_, known, n) => {
    const callId = pick(known.calls, n) ?? Factories.callId()
    return step((storage) => storage.calls.get(known.id, callId))
  },
  get_agent: (_, known, n) => {
    const agentId = pick(known.agents, n) ?? Factories.agentId()
    return step((storage) => storage.agents.get(known.id, agentId))
  },
  get_event: (_, known, n) => {
    const eventId = Ids.terminalEventId(pick(known.calls, n) ?? Factories.callId())
    return step((storage) =>
      Effect.all([storage.events.get(known.id, eventId), storage.deliveries.get(known.id, Ids.deliveryId(eventId))])
    )
  },
  get_batch: (_, known, n) => {
    const batchId = pick(known.batches, n)
    return step((storage) =>
      batchId === undefined
        ? Effect.succeedNone
        : Effect.map(storage.calls.getBatch(known.id, batchId), Option.map(promised))
    )
  },
  list_calls: (knowledge, known, n) => {
    const filter = callFilter(knowledge, known, n)
    return step((storage) => pages(1 + n % 3, (page) => storage.calls.list({ accountId: known.id, filter, page })))
  },
  list_events: (knowledge, known, n) => {
    const callId = pick(known.calls, n)
    const type = pick(Event.SubscribableKind.literals, n)
    const filter = pick<Storage.EventFilter>([
      { createdAfter: Factories.at(knowledge.seconds / 2) },
      callId === undefined ? {} : { callId },
      type === undefined ? {} : { type }
    ], n) ?? {}
    return step((storage) => pages(1 + n % 4, (page) => storage.events.list({ accountId: known.id, filter, page })))
  },
  list_deliveries: (_, known, n) => {
    const callId = pick(known.calls, n)
    const states = deliveryStates.filter((_, index) => index % 3 === n % 3)
    const filter = n % 2 === 0 || callId === undefined ? { states } : { callId }
    return step((storage) => pages(1 + n % 4, (page) => storage.deliveries.list({ accountId: known.id, filter, page })))
  },
  list_do_not_call: (_, known, n) =>
    step((storage) =>
      pages(1 + n % 2, (page) =>
        Effect.map(
          storage.doNotCall.list({ accountId: known.id, page }),
          ({ hasMore, items }) => ({
            hasMore,
            items: items.map(({ createdAt, phoneNumber }) => ({ createdAt, id: phoneNumber }))
          })
        ))
    ),
  list_batches: (_, known, n) =>
    step((storage) =>
      pages(
        1 + n % 2,
        (page) =>
          Effect.map(storage.calls.listBatches({ accountId: known.id, page }), ({ hasMore, items }) => ({
            hasMore,
            items: items.map(({ batch }) => batch)
          }))
      )
    ),
  due: (knowledge, known, n) => {
    const kind = pick(kinds, n) ?? "dial"
    const after = n < 5 ? {} : { after: known.id }
    return step((storage) => storage.work.accountsDue({ kind, now: nowOf(knowledge), limit: 1 + n % 2, ...after }))
  }
} satisfies { readonly [act: string]: Make }
