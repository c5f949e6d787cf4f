/**
 * The campaign of `outdial demo`: a clinic that calls 300 patients in three cities on one Tuesday. The numbers are from ranges
 * reserved for fiction, and their last digits choose the callees.
 */
import { Accounts, Agents, Batches, type Errors, type Ids, Webhooks } from "@outdial/core"
import { DateTime, Effect } from "effect"

/** Calls at once. */
export const lines = 20

/** Twenty minutes before nine in New York. */
export const start = DateTime.makeUnsafe("2026-09-15T12:40:00Z")

const patientsPerCity = 100

export interface City {
  readonly name: string
  readonly timeZone: string
  /** The number without its last two digits. */
  readonly prefix: string
}

/** In the order in which their calling hours open. */
export const cities: ReadonlyArray<City> = [
  { name: "London", timeZone: "Europe/London", prefix: "+4420794600" },
  { name: "New York", timeZone: "America/New_York", prefix: "+121255501" },
  { name: "Chicago", timeZone: "America/Chicago", prefix: "+131255501" }
]

const agent = {
  name: "Ada",
  script: "Hello {{contact.name}}, this is Ada from Riverside Clinic about your appointment on Thursday.",
  questions: ["Will you be able to come?"],
  dispositions: ["confirmed", "declined"]
}

export interface Campaign {
  readonly accountId: Ids.AccountId
  readonly batches: ReadonlyArray<{ readonly city: City; readonly id: Ids.BatchId }>
  readonly webhookSecret: string
}

/** Creates the account with the default policy, and starts a batch for each city. */
export const begin = Effect.fnUntraced(function*(
  webhookUrl: string
): Effect.fn.Return<
  Campaign,
  Errors.BatchRefused | Errors.InvalidRequest | Errors.Unavailable | Errors.WebhookUrlNotAllowed,
  Accounts.Accounts | Agents.Agents | Batches.Batches | Webhooks.Webhooks
> {
  const accounts = yield* Accounts.Accounts
  const agents = yield* Agents.Agents
  const batches = yield* Batches.Batches
  const webhooks = yield* Webhooks.Webhooks
  const { id: accountId } = yield* accounts.create({ name: "Riverside Clinic", lines })
  const { secret = "" } = yield* webhooks.set(accountId, { url: webhookUrl })
  const { id: agentId } = yield* agents.put(accountId, agent)
  const started = yield* Effect.forEach(cities, (city) =>
    Effect.map(
      batches.start(accountId, {
        agentId,
        calls: Array.from({ length: patientsPerCity }, (_, index) => ({
          phoneNumber: city.prefix + String(index).padStart(2, "0"),
          contact: { name: `Patient ${index + 1} in ${city.name}` }
        }))
      }),
      ({ id }) => ({ city, id })
    ))
  const campaign: Campaign = { accountId, batches: started, webhookSecret: secret }
  return campaign
})
