/**
 * The seed data of `outdial dev`: an account without calling restrictions, an agent, an API key, and the inbox as webhook.
 * Created on the first start. Later changes by the user stay.
 */
import {
  type Account,
  Accounts,
  Agents,
  ApiKey,
  ApiKeys,
  type Errors,
  type Ids,
  type Policy,
  SecretBox,
  Storage,
  Webhooks
} from "@outdial/core"
import { Effect, Option, Redacted } from "effect"
import { DevFolder } from "./DevFolder.ts"

export interface SeedAccount {
  readonly account: Account.Account
  readonly agentId: Ids.AgentId
  readonly apiKey: string
  readonly webhookSecret: Redacted.Redacted
  /** Whether events go to the inbox, or to an address that the user set. */
  readonly webhookUrl: string
}

/** Calls at once. */
const lines = 20

/** Open at all hours, without recall gap and limits, so that calls are dialed at any time of day. */
const policy: Policy.PolicyDocument = {
  callingHours: null,
  recallGapSeconds: 0,
  numberLimits: [],
  callsPerSecond: lines
}

/** The agent of the demo: a script with placeholders, questions and dispositions. */
const agent = {
  name: "Ada",
  script:
    "Hello {{contact.name}}, this is Ada from the {{clinic}}. I am calling about your appointment on {{appointment}}.",
  language: "en",
  variables: [{ key: "clinic", default: "Riverside Clinic" }],
  questions: ["Will you be able to come?", "Have your symptoms changed since your last visit?"],
  dispositions: ["confirmed", "reschedule", "declined"],
  voicemailMessage: "This is Ada from Riverside Clinic about your appointment. Please call us back."
}

/** Creates the seed data, or finds it. */
export const ensure: (
  inboxUrl: string
) => Effect.Effect<
  SeedAccount,
  Errors.InvalidRequest | Errors.Unavailable | Errors.WebhookUrlNotAllowed | Storage.StorageError,
  | Accounts.Accounts
  | Agents.Agents
  | ApiKeys.ApiKeys
  | DevFolder
  | SecretBox.SecretBox
  | Storage.Storage
  | Webhooks.Webhooks
> = Effect.fn("SeedAccount.ensure")(function*(inboxUrl) {
  const folder = yield* DevFolder
  const apiKeys = yield* ApiKeys.ApiKeys
  const account = yield* ensureAccount(folder.saved.accountId)
  const accountId = account.id
  const agentId = yield* ensureAgent(accountId, folder.saved.agentId)
  const apiKey = yield* ensureKey(apiKeys, accountId, folder.saved.apiKey)
  const inboxUrls = [...new Set([...folder.saved.inboxUrls ?? [], inboxUrl])]
  // Saved first: otherwise the address of the inbox could be mistaken for one that the user set.
  yield* folder.save({ accountId, agentId, apiKey, inboxUrls })
  const { secret, url } = yield* ensureWebhook(accountId, inboxUrl, inboxUrls)
  const seedAccount: SeedAccount = { account, agentId, apiKey, webhookSecret: secret, webhookUrl: url }
  return seedAccount
})

const ensureAccount = Effect.fnUntraced(function*(saved: Ids.AccountId | undefined) {
  const accounts = yield* Accounts.Accounts
  const all = yield* accounts.list
  const found = all.find(({ id }) => id === saved) ?? all[0]
  return found ?? (yield* accounts.create({ name: "Demo", lines, policy }))
})

const ensureAgent = Effect.fnUntraced(function*(accountId: Ids.AccountId, saved: Ids.AgentId | undefined) {
  const agents = yield* Agents.Agents
  const all = yield* agents.list(accountId)
  const found = all.find(({ id }) => id === saved) ?? all[0]
  return (found ?? (yield* agents.put(accountId, agent))).id
})

const ensureKey = Effect.fnUntraced(function*(
  apiKeys: ApiKeys.ApiKeys["Service"],
  accountId: Ids.AccountId,
  saved: string | undefined
) {
  const usable = saved === undefined
    ? Option.none()
    : yield* apiKeys.authenticate(Redacted.make(saved)).pipe(
      Effect.asSome,
      Effect.catchTag("Unauthenticated", () => Effect.succeedNone)
    )
  if (saved !== undefined && Option.isSome(usable) && usable.value.key.accountId === accountId) return saved
  const { secret } = yield* apiKeys.create(accountId, { name: "dev", scopes: ApiKey.Scope.literals })
  return Redacted.value(secret)
})

const renewedSecret = (webhooks: Webhooks.Webhooks["Service"], accountId: Ids.AccountId) =>
  webhooks.rotateSecret(accountId, { gracePeriodSeconds: 0 }).pipe(
    // There is an endpoint, and a rotation without grace period is never rejected.
    Effect.catchTag(["NotFound", "RotationLimitReached"], Effect.die),
    Effect.map(({ secret = "" }) => Redacted.make(secret))
  )

const ensureWebhook = Effect.fnUntraced(function*(
  accountId: Ids.AccountId,
  inboxUrl: string,
  inboxUrls: ReadonlyArray<string>
) {
  const storage = yield* Storage.Storage
  const webhooks = yield* Webhooks.Webhooks
  const existing = yield* storage.webhooks.get(accountId)
  const isOurs = Option.isNone(existing) ||
    (inboxUrls.includes(existing.value.url) && existing.value.url !== inboxUrl)
  if (isOurs) {
    // The inbox shows the whole life of a call, so it also subscribes to opt-in events.
    yield* webhooks.set(accountId, {
      url: inboxUrl,
      events: ["call.dialing", "call.in_progress", "call.completed", "call.not_connected"]
    })
  }
  const { secret: sealed, url } = Option.getOrThrow(yield* storage.webhooks.get(accountId))
  const box = yield* SecretBox.SecretBox
  const secret = yield* box.open(accountId, sealed).pipe(
    // The folder has lost the previous secret key, so the webhook needs a new secret.
    Effect.catchTag("SecretBoxError", () => renewedSecret(webhooks, accountId))
  )
  return { secret, url }
})
