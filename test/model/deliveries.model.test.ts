import { assert, it } from "@effect/vitest"
import { type Call, EventBodies, Ids, MemoryStorage, PhoneNumber, Storage } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Context, Effect, Layer, Option, Schema } from "effect"
import * as Pglite from "../support/pglite.ts"

/** What can be done to the deliveries of an account; `n` chooses among what there is. */
const Command = Schema.Struct({
  act: Schema.Literals([
    "event",
    "event",
    "claim",
    "claim",
    "claim",
    "deliver",
    "deliver",
    "fail",
    "fail",
    "fail",
    "fail",
    "give_up",
    "unsent",
    "return",
    "claim_ahead",
    "claim_ahead",
    "gone",
    "wait",
    "wait",
    "redeliver",
    "recover",
    "enable",
    "disable",
    "move",
    "remove",
    "prune"
  ]),
  n: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))
})
type Command = typeof Command.Type

type Port = Storage.Storage["Service"]

interface Claimed {
  readonly token: Ids.ClaimToken
  readonly delivery: Storage.ClaimedDelivery
}

/** The same account in a storage, and what a sender of its deliveries knows. */
class Sender {
  readonly storage: Port
  readonly accountId: Ids.AccountId
  readonly agentId: Ids.AgentId
  readonly events: Array<Ids.EventId> = []
  readonly claims: Array<Claimed> = []
  seconds = 0

  constructor(storage: Port, accountId: Ids.AccountId, agentId: Ids.AgentId) {
    this.storage = storage
    this.accountId = accountId
    this.agentId = agentId
  }

  get now() {
    return Factories.at(this.seconds)
  }

  readonly set = (enabled: boolean, path = "hook") =>
    this.storage.webhooks.set({
      accountId: this.accountId,
      url: `https://example.com/${path}`,
      enabled,
      events: ["call.completed"],
      secret: Factories.sealed("a secret"),
      previousSecrets: [],
      createdAt: this.now,
      updatedAt: this.now
    })
}

/** Of a sender that claims ahead. */
const alone = Factories.token()

const waits = [1, 5, 29, 30, 31, 60, 300, 900, 3600, 500_000]

/** Runs the command and returns its result. Ids are given, so that two storages can run the same command. */
const act = (sender: Sender, { act, n }: Command, ids: { readonly call: Ids.CallId; readonly token: Ids.ClaimToken }) =>
  Effect.gen(function*(): Effect.fn.Return<unknown, Storage.StorageError> {
    const { accountId, claims, events, now, storage } = sender
    const settle = Effect.fnUntraced(function*(result: Storage.DeliveryResult) {
      const [claimed] = claims.splice(n % Math.max(1, claims.length), 1)
      if (claimed === undefined) return undefined
      const { delivery: { cause, id }, token } = claimed
      const attempt = { at: now, cause, statusCode: 500, durationMs: n }
      const tried = result._tag === "Returned" ? {} : { attempt }
      return yield* storage.deliveries.settle({
        accountId,
        token,
        now,
        results: [{ deliveryId: id, result, ...tried }]
      })
    })
    const start = (more: Partial<Call.CallRecord>) =>
      storage.calls.start({
        accountId,
        agentId: sender.agentId,
        phoneNumber: PhoneNumber.PhoneNumber.make("+14155550100"),
        now,
        rules: Factories.rules,
        idempotency: Option.none(),
        plan: Factories.accepting({
          id: ids.call,
          phoneNumber: PhoneNumber.PhoneNumber.make("+14155550100"),
          test: true,
          createdAt: now,
          status: "completed",
          endedAt: now,
          ...more
        }),
        events: EventBodies.eventWriter(now)
      })
    const eventId = events[n % Math.max(1, events.length)]
    switch (act) {
      case "event": {
        yield* start({ outcome: Factories.outcome, outcomeState: "stored" })
        events.push(Ids.terminalEventId(ids.call))
        return
      }
      case "claim": {
        const { token } = ids
        const claimed = yield* storage.deliveries.claim({ accountId, now, limit: n + 1, token })
        claims.push(...claimed.map((delivery) => ({ token, delivery })))
        return claimed
      }
      case "claim_ahead": {
        const claimed = yield* storage.deliveries.claim({ accountId, now, limit: n + 1, ahead: n, token: alone })
        claims.push(...claimed.map((delivery) => ({ token: alone, delivery })))
        return claimed
      }
      case "return": {
        const claimed = claims[n % Math.max(1, claims.length)]
        return claimed === undefined ? undefined : yield* settle({ _tag: "Returned", at: claimed.delivery.dueAt })
      }
      case "deliver":
        return yield* settle({ _tag: "Delivered" })
      case "fail": {
        const claimed = claims[n % Math.max(1, claims.length)]
        return yield* settle(
          claimed?.delivery.cause === "probe"
            ? { _tag: "ProbeFailed" }
            : { _tag: "RetryAt", at: Factories.at(sender.seconds + n * 40) }
        )
      }
      case "give_up":
        return yield* settle({ _tag: "Exhausted" })
      case "unsent":
        return yield* settle({ _tag: "NotSent", at: Factories.at(sender.seconds + 60) })
      case "gone":
        return n < 3 ? yield* settle({ _tag: "Gone" }) : undefined
      case "wait":
        sender.seconds += waits[n] ?? 1
        return
      case "redeliver":
        return eventId === undefined ? undefined : yield* storage.deliveries.redeliver({ accountId, eventId, now })
      case "recover":
        return yield* storage.deliveries.recover({
          accountId,
          since: Factories.start,
          until: Factories.at(sender.seconds - n),
          now,
          limit: n + 1
        })
      case "enable":
        return yield* sender.set(true)
      case "disable":
        return n < 5 ? yield* sender.set(false) : undefined
      case "move":
        return yield* sender.set(true, `hook${n}`)
      case "remove":
        return n < 3 ? yield* storage.webhooks.delete(accountId) : undefined
      case "prune":
        return yield* storage.events.prune({ accountId, before: Factories.at(sender.seconds - 600_000), limit: n })
      default:
        return act satisfies never
    }
  })

/** Everything that can be seen of the account. */
const readAccount = ({ accountId, now, storage }: Sender) =>
  Effect.all({
    log: storage.deliveries.list({ accountId, filter: {}, page: { limit: 1000, after: Option.none() } }),
    held: storage.deliveries.list({
      accountId,
      filter: { states: ["held"] },
      page: { limit: 1000, after: Option.none() }
    }),
    webhook: storage.webhooks.get(accountId),
    due: Effect.map(
      storage.work.accountsDue({ kind: "delivery", now, limit: 10_000 }),
      (all) => all.includes(accountId)
    ),
    feed: storage.events.readFeed({ accountId, after: 0, limit: 5 })
  })

const runs = Number(process.env["OUTDIAL_MODEL_RUNS"] ?? 8)

class Both extends Context.Service<Both, { readonly memory: Port; readonly sql: Port }>()("test/Both") {}

const both = Layer.effect(
  Both,
  Effect.gen(function*() {
    const memory = Context.get(yield* Layer.build(MemoryStorage.layer), Storage.Storage)
    const sql = Context.get(yield* Layer.build(Layer.provide(SqlStorage.layer, Pglite.layer)), Storage.Storage)
    return { memory, sql }
  })
)

it.layer(both, { excludeTestServices: true, timeout: "180 seconds" })("Deliveries", (it) => {
  it.effect.prop(
    "have the same results in SQL as in memory, for commands in any order",
    { commands: Schema.Array(Command).check(Schema.isMinLength(20), Schema.isMaxLength(60)) },
    ({ commands }) =>
      Effect.gen(function*() {
        const { memory, sql } = yield* Both
        const accountId = Factories.accountId()
        const agent = Factories.agentDefinition()
        const senders = [memory, sql].map((storage) => new Sender(storage, accountId, agent.id))
        for (const { set, storage } of senders) {
          yield* storage.accounts.put({ id: accountId, name: "x", lines: 0, paused: false, createdAt: Factories.start })
          yield* storage.agents.put({ accountId, agent, now: Factories.start })
          yield* set(true)
        }
        for (const [index, command] of commands.entries()) {
          const ids = { call: Factories.callId(), token: Factories.token() }
          const [inMemory, inSql] = yield* Effect.forEach(senders, (sender) =>
            Effect.gen(function*() {
              return { done: yield* act(sender, command, ids), seen: yield* readAccount(sender) }
            }))
          assert.deepStrictEqual(inSql, inMemory, `after ${index}: ${JSON.stringify(command)}`)
        }
      }),
    { arbitrary: { runs }, timeout: 120_000 + runs * 5_000 }
  )
})
