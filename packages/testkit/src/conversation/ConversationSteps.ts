/** Steps of conversations, in seconds after the start. */
import { type Call, type CarrierEvent, type Conversation, EventBodies, type Ids, type Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import * as Fixture from "../storage/Fixture.ts"

export const said = (
  speaker: "agent" | "contact",
  text: string,
  at = 1000
): Extract<Conversation.Entry, { readonly _tag: "Turn" }> => ({ _tag: "Turn", speaker, text, at, endedAt: at + 500 })

export const hello = said("agent", "Hello")
export const yes = said("contact", "Yes, gladly", 2000)

export const acquire = (
  { accountId, storage }: Fixture.Fixture,
  callId: Ids.CallId,
  seconds: number,
  { takesOver = false } = {}
): Effect.Effect<Option.Option<Storage.Acquired>, Storage.StorageError> =>
  storage.conversations.acquire({ accountId, callId, now: Factories.at(seconds), takesOver })

/** Of one log: whether the entries were appended. */
export const append = (
  { accountId, storage }: Fixture.Fixture,
  { callId, generation }: Writer,
  seconds: number,
  ...entries: ReadonlyArray<Conversation.Entry>
): Effect.Effect<boolean, Storage.StorageError> =>
  Effect.map(
    storage.conversations.append({ now: Factories.at(seconds), logs: [{ accountId, callId, generation, entries }] }),
    ([appended = false]) => appended
  )

export const seal = (
  { accountId, storage }: Fixture.Fixture,
  { callId, generation }: Writer,
  seconds: number
): Effect.Effect<boolean, Storage.StorageError> =>
  storage.conversations.seal({
    accountId,
    callId,
    generation,
    now: Factories.at(seconds),
    events: EventBodies.eventWriter(Factories.at(seconds))
  })

/** Settles ends that no seal has settled. */
export const settleEnds = (
  { accountId, storage }: Fixture.Fixture,
  seconds: number
): Effect.Effect<number, Storage.StorageError> =>
  storage.conversations.settleEnds({
    accountId,
    now: Factories.at(seconds),
    limit: 10,
    events: EventBodies.eventWriter(Factories.at(seconds))
  })

export const read = (
  { accountId, storage }: Fixture.Fixture,
  callId: Ids.CallId,
  { after = 0, limit = 100 } = {}
): ReturnType<Storage.ConversationStore["Service"]["read"]> =>
  storage.conversations.read({ accountId, callId, after, limit })

/** A writer of a log. */
export interface Writer {
  readonly callId: Ids.CallId
  readonly generation: number
}

/** A call that was answered at 5 s, with a log that this process writes. */
export const talking = Effect.fnUntraced(function*(
  fixture: Fixture.Fixture,
  overrides: Parameters<typeof Fixture.submitted>[1] = {}
): Effect.fn.Return<Writer, Storage.StorageError> {
  const { callId } = yield* Fixture.submitted(fixture, overrides)
  yield* Fixture.report(fixture, callId, 5, Fixture.answered(5))
  const { generation } = Option.getOrThrow(yield* acquire(fixture, callId, 5))
  return { callId, generation }
})

/** The end of an answered call, of which the carrier knows no words. */
export const hungUp = (seconds: number, overrides: Partial<CarrierEvent.Ended> = {}): CarrierEvent.Ended => ({
  _tag: "Ended",
  at: Factories.at(seconds),
  result: "hung_up",
  answeredAt: Factories.at(5),
  answeredBy: "human",
  recorded: false,
  ...overrides
})

/** How a call stands. */
export interface Standing {
  readonly status: Call.CallStatus
  readonly statusCode: Call.CallRecord["statusCode"] | undefined
  readonly endedAt: Call.CallRecord["endedAt"] | undefined
}

export const statusOf = (
  fixture: Fixture.Fixture,
  callId: Ids.CallId
): Effect.Effect<Standing, unknown> =>
  Effect.map(Fixture.get(fixture, callId), ({ endedAt, status, statusCode }) => ({ status, statusCode, endedAt }))

/** An outcome that is claimed, with what it is made from. */
export interface ClaimedOutcome {
  readonly callId: Ids.CallId
  readonly said: ReadonlyArray<string>
  readonly notes: ReadonlyArray<Conversation.Note>
}

export const claimOutcomes = (
  { accountId, storage }: Fixture.Fixture,
  seconds: number
): Effect.Effect<ReadonlyArray<ClaimedOutcome>, Storage.StorageError> =>
  Effect.map(
    storage.outcomes.claim({ accountId, now: Factories.at(seconds), limit: 10, token: Factories.token() }),
    (claimed) =>
      claimed.map(({ call }) => ({
        callId: call.id,
        said: (call.transcript ?? []).map(({ text }) => text),
        notes: call.notes ?? []
      }))
  )
