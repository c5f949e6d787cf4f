/** Delivery of events: the endpoint and its secrets, deliveries to it and to subscribers, the feed, and the end of all. */
import { Event, Ids, type Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { DateTime, Effect, Option } from "effect"
import { type Claimed, type Knowledge, type Known, nothing, nowOf, pick, type Step, step, work } from "./Knowledge.ts"

type Make = (knowledge: Knowledge, known: Known, n: number) => Step

const kinds = Event.SubscribableKind.literals

/** Every kind, the usual ones, or some other. */
const eventsOf = (n: number): ReadonlyArray<Event.SubscribableKind> =>
  n < 4 ? kinds : n < 7 ? Event.defaultSubscription : kinds.filter((_, index) => index % 3 === n % 3)

const eventIdOf = ({ batches, calls }: Known, n: number): Ids.EventId => {
  const batchId = pick(batches, n)
  const callId = pick(calls.toReversed(), n) ?? Factories.callId()
  return n % 3 === 0 && batchId !== undefined ? Ids.completionEventId(batchId) : Ids.terminalEventId(callId)
}

const setWebhook = (enabled: boolean): Make => (knowledge, { id: accountId }, n) => {
  const now = nowOf(knowledge)
  return step((storage) =>
    storage.webhooks.set({
      accountId,
      url: `https://example.com/${n % 2}`,
      enabled,
      events: eventsOf(n),
      secret: Factories.sealed(`secret ${n}`),
      previousSecrets: [],
      createdAt: now,
      updatedAt: now
    })
  )
}

const resultOf = (seconds: number, n: number, isProbe: boolean): Storage.DeliveryResult => {
  const at = Factories.at(seconds + n * 30)
  if (n < 4) return { _tag: "Delivered" }
  if (n < 7) return isProbe ? { _tag: "ProbeFailed" } : { _tag: "RetryAt", at }
  return pick<Storage.DeliveryResult>([{ _tag: "Exhausted" }, { _tag: "NotSent", at }, { _tag: "Gone" }], n) ??
    { _tag: "Exhausted" }
}

const settle = (knowledge: Knowledge, known: Known, n: number, subscriber: string | undefined): Step => {
  const claims: ReadonlyArray<Claimed<Storage.ClaimedDelivery | Storage.SubscriberDelivery>> = subscriber === undefined
    ? known.deliveries
    : known.subscriberDeliveries
  const claimed = pick(claims.toReversed(), n % 3)
  if (claimed === undefined) return nothing
  const { token, work: delivery } = claimed
  const cause = "cause" in delivery ? delivery.cause : "schedule"
  const now = nowOf(knowledge)
  return step((storage) =>
    storage.deliveries.settle({
      accountId: known.id,
      ...(subscriber !== undefined && { subscriber }),
      token,
      now,
      results: [{
        deliveryId: delivery.id,
        result: resultOf(knowledge.seconds, n, cause === "probe"),
        ...(n !== 8 && { attempt: { at: now, cause, statusCode: 500 + n, durationMs: n } })
      }]
    })
  )
}

export const steps = {
  set_webhook: setWebhook(true),
  disable_webhook: setWebhook(false),
  delete_webhook: (_, { id }) => step((storage) => storage.webhooks.delete(id)),
  rotate_secret: (knowledge, { id: accountId }, n) => {
    const graceUntil = Factories.at(knowledge.seconds + n * 50)
    const secret = Factories.sealed(`rotated ${n}`, n === 9 ? "key_2" : "key_1")
    return step((storage) => storage.webhooks.rotateSecret({ accountId, secret, now: nowOf(knowledge), graceUntil }))
  },
  reseal_secrets: (_, { id: accountId }) =>
    step((storage) =>
      Effect.flatMap(
        storage.webhooks.get(accountId),
        (found) =>
          Option.isNone(found) ? Effect.succeed(false) : storage.secrets.replaceWebhookSecrets({
            from: found.value,
            secret: { ...found.value.secret, keyId: "key_2" },
            previousSecrets: found.value.previousSecrets
          })
      )
    ),
  sealed_otherwise: () =>
    step((storage) => storage.secrets.listWebhooksNotUnder({ keyIds: ["key_1"], after: Option.none(), limit: 10 })),
  claim_deliveries: (knowledge, known, n) => {
    const token = Factories.token()
    return step(
      (storage) => storage.deliveries.claim({ ...work(knowledge, known), limit: 1 + n % 5, token }),
      {
        learn: (claimed) => void known.deliveries.push(...claimed.map((delivery) => ({ token, work: delivery }))),
        idle: []
      }
    )
  },
  settle_delivery: (knowledge, known, n) => settle(knowledge, known, n, undefined),
  redeliver: (knowledge, known, n) => {
    const eventId = eventIdOf(known, n)
    return step((storage) => storage.deliveries.redeliver({ accountId: known.id, eventId, now: nowOf(knowledge) }))
  },
  recover_deliveries: (knowledge, { id: accountId }, n) => {
    const until = Factories.at(knowledge.seconds - n)
    const since = DateTime.subtractDuration(until, "1 day")
    return step((storage) =>
      storage.deliveries.recover({ accountId, since, until, now: nowOf(knowledge), limit: 1 + n })
    )
  },
  put_subscriber: (knowledge, { id: accountId }, n) =>
    step((storage) =>
      storage.subscriptions.put({ accountId, name: "crm", events: eventsOf(n), now: nowOf(knowledge) })
    ),
  delete_subscriber: (_, { id: accountId }) =>
    step((storage) => storage.subscriptions.delete({ accountId, name: "crm" })),
  claim_for_subscriber: (knowledge, known) => {
    const token = Factories.token()
    return step(
      (storage) => storage.subscriptions.claim({ ...work(knowledge, known), name: "crm", token }),
      {
        learn: (claimed) =>
          void known.subscriberDeliveries.push(...claimed.map((delivery) => ({ token, work: delivery }))),
        idle: []
      }
    )
  },
  settle_for_subscriber: (knowledge, known, n) => settle(knowledge, known, n % 7, "crm"),
  read_feed: (_, known, n) => {
    const after = n < 5 ? known.position : 0
    return step((storage) => storage.events.readFeed({ accountId: known.id, after, limit: 1 + n }), {
      learn: ({ items }) => known.position = items.at(-1)?.position ?? known.position
    })
  },
  prune: (knowledge, known, n) => {
    const before = Factories.at(knowledge.seconds - (n < 5 ? 30 * 86_400 : n * 600))
    return step((storage) => storage.events.prune({ accountId: known.id, before, limit: n }), { idle: 0 })
  }
} satisfies { readonly [act: string]: Make }
