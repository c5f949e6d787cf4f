/**
 * The streams of transcripts in this process. Each holds at most one page for its reader: a slow reader finds the rest in storage. A
 * second has one poll, of two statements at most, for all that have read everything.
 */
import { Cause, DateTime, Deferred, type Duration, Effect, Latch, Option, type Scope } from "effect"
import { AccessStore } from "../access/AccessStore.ts"
import type { ApiKeyId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import type { NumberedTurn } from "../domain/Transcript.ts"
import * as Metrics from "../observe/Metrics.ts"
import { ConversationStore } from "../conversation/ConversationStore.ts"
import { type Position, type ReadNext, readPage } from "./TranscriptReader.ts"

/** What a follower gets. After an `end` nothing follows. */
export interface Update {
  readonly turns: ReadonlyArray<NumberedTurn>
  /** `sealed`: the transcript is final. `closed`: the process drains or its engine closes, or the key cannot be used any more. */
  readonly end?: "sealed" | "closed"
}

export interface Follower {
  /** Waits for the next turns or for the end, at most that long; then it has no turns. */
  readonly next: (within: Duration.Duration) => Effect.Effect<Update>
  /** Waits until the stream was closed before its end. */
  readonly closed: Effect.Effect<void>
}

interface Following {
  readonly apiKeyId: ApiKeyId | undefined
  readonly closed: Deferred.Deferred<void>
  /** Open while there is something to read. */
  readonly ready: Latch.Latch
  position: Position
  /** Turns that the poll has read. */
  unread: ReadonlyArray<NumberedTurn>
  /** Whether everything in storage was read when it was last asked. Only then the poll asks for more. */
  hasReadAll: boolean
}

export interface NewFollower {
  readonly position: Position
  /** The sequence number of the last turn that is known. */
  readonly known: number
  readonly apiKeyId: ApiKeyId | undefined
  /** Those with the same name share a limit. */
  readonly place: string | undefined
}

export const make = Effect.fnUntraced(function*(readNext: ReadNext) {
  const access = yield* AccessStore
  const conversations = yield* ConversationStore
  const followings = new Set<Following>()
  const places = new Map<string, number>()
  const hasFollowers = Latch.makeUnsafe(false)
  let isClosed = false

  const pollLogs = Effect.gen(function*() {
    const waiting = [...followings].filter(({ hasReadAll, unread }) => hasReadAll && unread.length === 0)
    const logs = new Map(waiting.map(({ position }) => [keyOf(position), position]))
    if (logs.size === 0) return
    const pages = yield* conversations.readMany({ logs: [...logs.values()], limit: Limits.transcriptPage })
    const pageOf = new Map([...logs.keys()].map((key, index) => [key, pages[index]]))
    for (const following of waiting) {
      const page = pageOf.get(keyOf(following.position))
      if (page === undefined) continue
      const { position, turns } = readPage(following.position, page)
      following.position = position
      following.unread = turns
      following.hasReadAll = !page.isFinal && page.entries.length < Limits.transcriptPage
      if (turns.length > 0 || !following.hasReadAll) following.ready.openUnsafe()
    }
  })

  const pollKeys = Effect.gen(function*() {
    const keys = new Map(
      [...followings].flatMap(({ apiKeyId, position: { accountId } }) =>
        apiKeyId === undefined ? [] : [[apiKeyId, { accountId, id: apiKeyId }] as const]
      )
    )
    if (keys.size === 0) return
    const usable = yield* access.usableApiKeys({ keys: [...keys.values()], now: yield* DateTime.now })
    for (const { apiKeyId, closed } of followings) {
      if (apiKeyId !== undefined && keys.has(apiKeyId) && !usable.has(apiKeyId)) {
        Deferred.doneUnsafe(closed, Effect.void)
      }
    }
  })

  // Failures of the storage are counted there. The next poll reads the same again.
  const poll = Effect.andThen(Effect.ignore(pollLogs), Effect.ignore(pollKeys)).pipe(
    Effect.catchCause((cause) =>
      // A storage that is closed interrupts what it was asked. Nothing has failed then.
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : Effect.logError("The poll for transcripts failed; it continues", cause)
    )
  )
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(hasFollowers.await, Effect.andThen(Effect.sleep(Limits.transcriptPoll), poll)))
  )

  const close = Effect.sync(() => {
    isClosed = true
    for (const { closed } of followings) Deferred.doneUnsafe(closed, Effect.void)
  })
  yield* Effect.addFinalizer(() => close)

  const leave = (following: Following, place: string | undefined) =>
    Effect.suspend(() => {
      followings.delete(following)
      if (followings.size === 0) hasFollowers.closeUnsafe()
      const counted = Metrics.transcriptStreams(followings.size)
      if (place === undefined) return counted
      const taken = (places.get(place) ?? 1) - 1
      if (taken === 0) places.delete(place)
      else places.set(place, taken)
      return counted
    })

  const add = ({ apiKeyId, known, place, position }: NewFollower): Effect.Effect<
    Follower | "full" | "closed",
    never,
    Scope.Scope
  > =>
    Effect.uninterruptible(Effect.gen(function*() {
      if (isClosed) return "closed"
      const taken = place === undefined ? 0 : places.get(place) ?? 0
      if (taken >= Limits.followedTranscripts) return "full"
      const following: Following = {
        apiKeyId,
        closed: Deferred.makeUnsafe(),
        ready: Latch.makeUnsafe(true),
        position,
        unread: [],
        hasReadAll: false
      }
      if (place !== undefined) places.set(place, taken + 1)
      followings.add(following)
      hasFollowers.openUnsafe()
      yield* Metrics.transcriptStreams(followings.size)
      yield* Effect.addFinalizer(() => leave(following, place))
      return { next: nextOf(following, known), closed: Deferred.await(following.closed) }
    }))

  /** What follows for the reader, and undefined while storage fails. Only here the place of the reader changes. */
  const take = Effect.fnUntraced(function*(following: Following): Effect.fn.Return<Update | undefined> {
    const { unread } = following
    if (unread.length > 0) {
      following.unread = []
      if (following.hasReadAll) following.ready.closeUnsafe()
      return { turns: unread }
    }
    const found = yield* orClosed(following, Effect.option(readNext(following.position)))
    if (found === "closed") return closedUpdate
    if (Option.isNone(found)) return undefined
    const { position, state, turns } = found.value
    if (state === "sealed") return { turns, end: "sealed" }
    following.position = position
    following.hasReadAll = state === "waiting"
    if (following.hasReadAll) following.ready.closeUnsafe()
    return { turns }
  })

  const nextOf = (following: Following, known: number): Follower["next"] =>
    Effect.fnUntraced(function*(within) {
      while (true) {
        // A race may drop the result of its loser, so that what is raced changes nothing.
        const isReady = yield* orClosed(following, Effect.timeoutOption(following.ready.await, within))
        if (isReady === "closed") return closedUpdate
        if (Option.isNone(isReady)) return { turns: [] }
        const found = yield* take(following)
        if (found === undefined) yield* orClosed(following, Effect.sleep(Limits.transcriptPoll))
        const turns = (found?.turns ?? []).filter(({ sequence }) => sequence > known)
        if (turns.length > 0 || found?.end !== undefined) return { ...found, turns }
      }
    })

  return { add, close }
})

const closedUpdate: Update = { turns: [], end: "closed" }

const orClosed = <A>({ closed }: Following, effect: Effect.Effect<A>): Effect.Effect<A | "closed"> =>
  Effect.raceFirst(Effect.as(Deferred.await(closed), "closed" as const), effect)

const keyOf = ({ accountId, after, callId }: Position) => `${accountId} ${callId} ${after}`
