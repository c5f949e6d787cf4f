/**
 * The live streams of the pages in this process. One poll of the storage in a second serves all of them, and there is none while nothing is
 * watched. A stream says what to read again, so a page that was away needs no more than all topics. It ends when the process drains.
 */
import { type Call, Errors, type Ids, Overviews, Readiness } from "@outdial/core"
import { Cause, Clock, Deferred, Duration, Effect, Latch, Option, type Scope } from "effect"
import { Topic } from "./LiveApi.ts"

/** How often marks are compared. */
const pollEvery = Duration.seconds(1)

/** Streams that one session, or one user of the host, may have at once: a screen full of tabs, each of which holds a connection. */
export const streamsPerSession = 20

/**
 * A stream of which nothing is taken for this long gives its place back, and ends for its reader. Comments go out every 15 seconds, so its client
 * does not read, or its host has forgotten the response: a web-standard host need not say that the client has gone.
 */
const unreadFor = Duration.minutes(2)

/** Calls that one event names: beyond them a page reads its lists again. */
const namedCalls = 100

/** What a page gets. After `isClosed` nothing follows. */
export interface Update {
  readonly topics: ReadonlyArray<Topic>
  readonly callIds: ReadonlyArray<Ids.CallId>
  readonly isClosed?: true
}

export interface Follower {
  /** Waits for changes or for the end, at most that long; then there are no topics. */
  readonly next: (within: Duration.Duration) => Effect.Effect<Update>
  /** Waits until the stream was closed. */
  readonly closed: Effect.Effect<void>
}

export interface FollowOptions {
  readonly accountId: Ids.AccountId
  /** Streams with the same owner share a limit. */
  readonly owner: string
  /** Whether the page was away: everything may have changed. */
  readonly isResumed: boolean
}

interface Following extends Pick<FollowOptions, "accountId" | "owner"> {
  readonly closed: Deferred.Deferred<void>
  /** Open while something has changed. */
  readonly ready: Latch.Latch
  topics: Set<Topic>
  callIds: Set<Ids.CallId>
  /** When something was last taken, in milliseconds; `undefined` while the reader waits for more. */
  takenAt: number | undefined
}

/** What a page reads again when a mark of the kind has changed. */
const topicsOf: Readonly<Record<Overviews.MarkedKind, ReadonlyArray<Topic>>> = {
  queue: ["overview", "calls", "batches"],
  events: ["overview", "calls", "batches", "deliveries"],
  batches: ["batches"],
  agents: ["agents"],
  account: ["overview", "policy"],
  doNotCall: ["do_not_call"],
  webhook: ["overview", "webhook"],
  deliveries: ["overview", "deliveries"],
  keys: ["keys"],
  carriers: ["overview", "carriers"]
}

// The keys are the kinds.
const kinds = Object.keys(topicsOf) as ReadonlyArray<Overviews.MarkedKind>

interface Changes {
  readonly topics: ReadonlySet<Topic>
  readonly callIds: ReadonlySet<Ids.CallId>
}

const changes = (before: Overviews.AccountMarks, after: Overviews.AccountMarks): Changes => {
  const topics = new Set(
    kinds.filter((kind) => before.marks[kind] !== after.marks[kind]).flatMap((kind) => topicsOf[kind])
  )
  const callIds = new Set([
    ...differing(before.live, after.live),
    ...differing(after.live, before.live)
  ])
  if (callIds.size > 0) { for (const topic of ["overview", "calls", "batches"] as const) topics.add(topic) }
  return { topics, callIds }
}

type Live = ReadonlyMap<Ids.CallId, Call.CallStatus>

const differing = (one: Live, other: Live): ReadonlyArray<Ids.CallId> =>
  [...one].flatMap(([id, status]) => other.get(id) === status ? [] : [id])

export const make = Effect.gen(function*() {
  const overviews = yield* Overviews.Overviews
  const { awaitDraining } = yield* Readiness.Readiness
  const followings = new Set<Following>()
  const seen = new Map<Ids.AccountId, Overviews.AccountMarks>()
  const hasFollowers = Latch.makeUnsafe(false)
  let isClosed = false

  const leave = (following: Following): void => {
    followings.delete(following)
    if (![...followings].some(({ accountId }) => accountId === following.accountId)) seen.delete(following.accountId)
    if (followings.size === 0) hasFollowers.closeUnsafe()
  }

  const endUnread = Effect.gen(function*() {
    const before = (yield* Clock.currentTimeMillis) - Duration.toMillis(unreadFor)
    for (const following of followings) {
      if (following.takenAt === undefined || following.takenAt > before) continue
      Deferred.doneUnsafe(following.closed, Effect.void)
      leave(following)
    }
  })

  const pollMarks = Effect.gen(function*() {
    yield* endUnread
    if (followings.size === 0) return
    const marks = yield* overviews.marks([...new Set([...followings].map(({ accountId }) => accountId))])
    for (const [accountId, after] of marks) {
      const before = seen.get(accountId)
      seen.set(accountId, after)
      if (before === undefined) continue
      const { callIds, topics } = changes(before, after)
      if (topics.size === 0) continue
      for (const following of followings) {
        if (following.accountId !== accountId) continue
        for (const topic of topics) following.topics.add(topic)
        for (const id of callIds) if (following.callIds.size < namedCalls) following.callIds.add(id)
        following.ready.openUnsafe()
      }
    }
  })

  // Failures of the storage are counted there. The next poll reads the same again.
  const poll = Effect.ignore(pollMarks).pipe(
    Effect.catchCause((cause) =>
      // At the end of the process nothing has failed.
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : Effect.logError("The poll for the console's pages failed; it continues", cause)
    )
  )
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(hasFollowers.await, Effect.andThen(Effect.sleep(pollEvery), poll)))
  )

  const close = Effect.sync(() => {
    isClosed = true
    for (const { closed } of followings) Deferred.doneUnsafe(closed, Effect.void)
  })
  yield* Effect.addFinalizer(() => close)
  yield* Effect.forkScoped(Effect.andThen(awaitDraining, close))

  const follow = Effect.fnUntraced(function*(
    { accountId, isResumed, owner }: FollowOptions
  ): Effect.fn.Return<Follower | "full", Errors.Unavailable, Scope.Scope> {
    if (isClosed) return yield* new Errors.Unavailable({ cause: new Error("The process is about to end") })
    const own = [...followings].filter((other) => other.owner === owner)
    if (own.length >= streamsPerSession) return "full"
    const following: Following = {
      accountId,
      owner,
      closed: Deferred.makeUnsafe(),
      ready: Latch.makeUnsafe(isResumed),
      topics: new Set(isResumed ? Topic.literals : []),
      callIds: new Set(),
      takenAt: yield* Clock.currentTimeMillis
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        followings.add(following)
        hasFollowers.openUnsafe()
      }),
      () => Effect.sync(() => leave(following))
    )
    // What changes from here on is seen by the next poll.
    if (!seen.has(accountId)) {
      const marks = (yield* overviews.marks([accountId])).get(accountId)
      if (marks !== undefined && !seen.has(accountId)) seen.set(accountId, marks)
    }
    return { next: nextOf(following), closed: Deferred.await(following.closed) }
  })

  return { follow, watched: () => followings.size }
})

const nextOf = (following: Following): Follower["next"] => (within) =>
  Effect.sync(() => {
    following.takenAt = undefined
  }).pipe(
    Effect.andThen(waited(following, within)),
    Effect.ensuring(Effect.map(Clock.currentTimeMillis, (now) => {
      following.takenAt = now
    }))
  )

const waited = (following: Following, within: Duration.Duration) =>
  Effect.raceFirst(
    Effect.as(Deferred.await(following.closed), "closed" as const),
    Effect.timeoutOption(following.ready.await, within)
  ).pipe(Effect.map((ready): Update => {
    if (ready === "closed") return { topics: [], callIds: [], isClosed: true }
    if (Option.isNone(ready)) return { topics: [], callIds: [] }
    const update = { topics: [...following.topics], callIds: [...following.callIds] }
    following.topics = new Set()
    following.callIds = new Set()
    following.ready.closeUnsafe()
    return update
  }))
