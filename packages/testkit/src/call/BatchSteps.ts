/** Steps with batches that several suites share. */
import { type Batch, type Call, EventBodies, Ids, type PhoneNumber, type Storage } from "@outdial/core"
import { Option } from "effect"
import * as Factories from "../Factories.ts"
import type * as Fixture from "../storage/Fixture.ts"

export const batchId = () => Ids.BatchId.make(Factories.callId().replace("call_", "batch_"))

export const rejectedRow: Batch.RejectedRow = {
  index: 1,
  phoneNumber: "x",
  code: "number_limit_reached",
  message: "not yet",
  retryAt: Factories.at(60)
}

export interface BatchOptions {
  readonly id?: Ids.BatchId
  readonly numbers?: ReadonlyArray<PhoneNumber.PhoneNumber>
  readonly key?: string
  readonly fingerprint?: string
  readonly overrides?: Partial<Call.CallRecord>
  /** Default: a rejected one. */
  readonly rejected?: ReadonlyArray<Batch.RejectedRow>
}

/** Starts a batch of one call per number, without numbers that have queued calls, as the engine does. */
export const startBatch = ({ accountId, agentId, storage }: Fixture.Fixture, options: BatchOptions = {}) => {
  const { fingerprint = "f", id = batchId(), key, numbers = [], overrides = {}, rejected = [rejectedRow] } = options
  return storage.calls.startBatch({
    accountId,
    now: Factories.start,
    idempotency: Option.map(Option.fromUndefinedOr(key), (key) => ({ key, fingerprint })),
    agentIds: [agentId],
    phoneNumbers: numbers,
    rules: Factories.rules,
    aliasesOf: Factories.aliasesOf,
    plan: ({ account, agents, numbers: known }) => {
      const agent = Option.fromUndefinedOr(agents.get(agentId))
      const calls = numbers.flatMap((phoneNumber, batchIndex) =>
        known.get(phoneNumber)?.waitingCallId !== undefined
          ? []
          : [Factories.queuedCall({ account, agent }, { ...overrides, phoneNumber, batchId: id, batchIndex })]
      )
      return {
        calls,
        batch: {
          id,
          accountId,
          agentId,
          test: false,
          acceptedCount: calls.length,
          rejected,
          createdAt: Factories.start
        }
      }
    },
    events: EventBodies.eventWriter(Factories.start)
  })
}

export const phoneNumbers = (count: number) => Array.from({ length: count }, () => Factories.phoneNumber())

export const started = (result: Storage.StartBatchResult): Storage.StoredBatch => {
  if (!("stored" in result)) throw new Error(`The batch was not started: ${result._tag}`)
  return result.stored
}
