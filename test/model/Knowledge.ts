/**
 * The knowledge of the runner of the model: the time, the ids, the claims. Commands are derived from it and contain their ids,
 * so that the same command can run on several storages.
 */
import { EventBodies, Ids, PhoneNumber, type Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect } from "effect"
import type { DateTime } from "effect"

export type Port = Storage.Storage["Service"]

/** A command that is ready to run on a storage. */
export interface Step {
  readonly run: (storage: Port) => Effect.Effect<Done, Storage.StorageError>
  /** Its result if it skips everything that others hold, which is also correct. */
  readonly idle?: unknown
}

export interface Done {
  readonly answer: unknown
  /** Adds to the knowledge what was answered. */
  readonly learn: (knowledge: Knowledge) => void
}

export interface Claimed<A> {
  readonly token: Ids.ClaimToken
  readonly work: A
}

/** What is known of one account. */
export interface Known {
  readonly id: Ids.AccountId
  readonly agents: Array<Ids.AgentId>
  readonly keys: Array<{ readonly id: Ids.ApiKeyId; readonly hash: string }>
  readonly calls: Array<Ids.CallId>
  readonly batches: Array<Ids.BatchId>
  readonly claims: Array<Claimed<ReadonlyArray<Ids.CallId>>>
  readonly outcomes: Array<Claimed<Ids.CallId>>
  /** Writers of logs, some of which have been taken over. */
  readonly conversations: Array<{ readonly callId: Ids.CallId; readonly generation: number }>
  readonly slots: Array<{ readonly takenAt: DateTime.Utc; readonly taken: number }>
  readonly deliveries: Array<Claimed<Storage.ClaimedDelivery>>
  readonly subscriberDeliveries: Array<Claimed<Storage.SubscriberDelivery>>
  /** How far the feed was read. */
  position: number
}

export interface Knowledge {
  readonly accounts: readonly [Known, Known]
  /** After `Factories.start`. */
  seconds: number
  /** The plan data that nodes have; the last one with routes. */
  zones: "a" | "b" | "b>1"
}

const account = (): Known => ({
  id: Factories.accountId(),
  agents: [Factories.agentId()],
  keys: [],
  calls: [],
  batches: [],
  claims: [],
  outcomes: [],
  conversations: [],
  slots: [],
  deliveries: [],
  subscriberDeliveries: [],
  position: 0
})

export const make = (): Knowledge => ({ accounts: [account(), account()], seconds: 0, zones: "a" })

/** The few numbers that are called, so that they meet. */
export const numbers = Array.from({ length: 5 }, (_, index) => PhoneNumber.PhoneNumber.make(`+1415555010${index}`))

export const numberOf = (n: number): PhoneNumber.PhoneNumber => pick(numbers, n) ?? Factories.phoneNumber()

export const pick = <A>(list: ReadonlyArray<A>, n: number): A | undefined => list[n % Math.max(1, list.length)]

export const nowOf = ({ seconds }: Knowledge): DateTime.Utc => Factories.at(seconds)

/** Arguments of most methods. */
export const work = (knowledge: Knowledge, { id: accountId }: Known) => {
  const now = nowOf(knowledge)
  return { accountId, now, events: EventBodies.eventWriter(now) }
}

export const step = <A>(
  run: (storage: Port) => Effect.Effect<A, Storage.StorageError>,
  options: { readonly learn?: (answer: A, knowledge: Knowledge) => void; readonly idle?: A } = {}
): Step => ({
  run: (storage) =>
    Effect.map(run(storage), (answer) => ({ answer, learn: (knowledge) => options.learn?.(answer, knowledge) })),
  ...("idle" in options && { idle: options.idle })
})

/** What a command comes to when there is nothing yet to do it with. */
export const nothing: Step = step(() => Effect.void)

/** A batch with what is promised of its calls; a storage may know more of them. */
export const promised = ({ batch, calls }: Storage.StoredBatch): Storage.StoredBatch => ({
  batch,
  calls: calls.map(({ batchIndex, contact, endedAt, id, phoneNumber, status }) => ({
    id,
    phoneNumber,
    contact,
    status,
    ...(batchIndex !== undefined && { batchIndex }),
    ...(endedAt !== undefined && { endedAt })
  }))
})
