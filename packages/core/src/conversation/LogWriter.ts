/**
 * Commits the log entries of all conversations of a process together: within 250 ms after they were written, and at once where
 * something waits for it. A log whose generation is no longer the latest is lost: another process has taken the conversation over. So is
 * one whose lease runs out.
 */
import { Clock, DateTime, Duration, Effect, Fiber, Latch, type Scope, Semaphore } from "effect"
import type { Entry } from "../domain/Conversation.ts"
import type { AccountId, CallId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import { whileStorageReturns } from "../loop/AccountPoller.ts"
import { ConversationStore } from "./ConversationStore.ts"

/** The log of one conversation that this process holds. */
export interface Log {
  readonly accountId: AccountId
  readonly callId: CallId
  readonly generation: number
  /** Runs once, when the log is lost. */
  readonly onLost: Effect.Effect<void>
}

export interface LogWriter {
  /** Adds an entry, to be committed soon. */
  readonly write: (log: Log, entry: Entry) => Effect.Effect<void>
  /**
   * Renews the lease, which was acquired at that time in epoch milliseconds, whenever nothing was committed for a while. `onLost` runs
   * when it runs out.
   */
  readonly keepLease: (log: Log, acquiredAt: number) => Effect.Effect<never>
  /**
   * Whether the log is still that of this process. Near the end of the lease, as after the process was suspended, the storage must say
   * so: no answer means no.
   */
  readonly isHeld: (log: Log) => Effect.Effect<boolean>
  /** `commit`, for which nothing waits longer than the storage may take for an answer. */
  readonly commitInTime: Effect.Effect<void>
  /** Returns when all entries that were written before are committed, or their logs are lost. */
  readonly commit: Effect.Effect<void>
}

const lease = Duration.toMillis(Limits.conversationLease)

/** Milliseconds after a commit at which a lease is renewed. */
const renewalEvery = 0.4 * lease

/** How long the storage may take for an answer where a contact waits for it. */
const answerTimeout = 2_000

/** In real time: the storage does not answer sooner because a clock runs faster. */
const answerWait = Effect.provideService(Effect.sleep(answerTimeout), Clock.Clock, Clock.Clock.defaultValue())

export const make = Effect.fnUntraced(
  function*(
    { giveUp = answerWait }: { readonly giveUp?: Effect.Effect<void> } = {}
  ): Effect.fn.Return<LogWriter, never, ConversationStore | Scope.Scope> {
    const store = yield* ConversationStore
    const clock = yield* Clock.Clock
    const pending = new Map<Log, Array<Entry>>()
    const lost = new WeakSet<Log>()
    /** When the leases were renewed by an append, in epoch milliseconds. */
    const renewedAt = new WeakMap<Log, number>()
    const isAny = Latch.makeUnsafe()
    const turn = Semaphore.makeUnsafe(1)

    const lose = (log: Log) =>
      Effect.suspend(() => {
        if (lost.has(log)) return Effect.void
        lost.add(log)
        return log.onLost
      })

    const commitPending = Effect.gen(function*() {
      const written = [...pending]
      pending.clear()
      isAny.closeUnsafe()
      if (written.length === 0) return
      const logs = written.map(([{ accountId, callId, generation }, entries]) => ({
        accountId,
        callId,
        generation,
        entries
      }))
      const append = Effect.flatMap(
        DateTime.now,
        (now) =>
          Effect.tap(store.append({ now, logs }), (appended) =>
            Effect.sync(() => {
              for (const [index, [log]] of written.entries()) {
                if (appended[index] === true) renewedAt.set(log, now.epochMilliseconds)
              }
            }))
      )
      const appended = yield* append.pipe(
        Effect.retry(whileStorageReturns),
        // The leases have run out by now: other processes may have the logs.
        Effect.catchCause((cause) =>
          Effect.as(Effect.logError("The logs of conversations could not be written", cause), logs.map(() => false))
        )
      )
      yield* Effect.forEach(written, ([log], index) => appended[index] === true ? Effect.void : lose(log), {
        discard: true
      })
    })

    // One transaction at a time, so that the entries of a log stay in order. Those that arrive meanwhile go into the next one.
    const commit = turn.withPermit(Effect.uninterruptible(commitPending))
    // What was said until the process ends: another process continues from there.
    yield* Effect.addFinalizer(() => commit)
    yield* Effect.forkScoped(Effect.forever(
      isAny.await.pipe(Effect.andThen(Effect.sleep(Limits.logCommitEvery)), Effect.andThen(commit))
    ))

    const add = (log: Log, ...entries: ReadonlyArray<Entry>) =>
      Effect.sync(() => {
        const others = pending.get(log)
        if (others === undefined) pending.set(log, [...entries])
        else others.push(...entries)
        isAny.openUnsafe()
      })

    /** Milliseconds since the lease was renewed. */
    const ageOf = (log: Log) => clock.currentTimeMillisUnsafe() - (renewedAt.get(log) ?? 0)

    const isFresh = (log: Log) => ageOf(log) < lease - answerTimeout

    // A commit cannot be interrupted, so it goes on alone.
    const inTime = (work: Effect.Effect<void>) =>
      Effect.flatMap(
        Effect.forkDetach(work, { startImmediately: true }),
        (working) => Effect.raceFirst(Effect.asVoid(Fiber.await(working)), giveUp)
      )

    /** Renews the lease. On a clock that runs fast it may be old again when the storage has answered. */
    const renew = (log: Log) =>
      Effect.repeat(Effect.andThen(add(log), commit), { until: () => isFresh(log) || lost.has(log) })

    // A log that is given up is lost, so that the renewal that goes on ends, and other processes get the lease.
    const isHeld = (log: Log) =>
      Effect.suspend(() => isFresh(log) ? Effect.void : inTime(renew(log))).pipe(
        Effect.andThen(Effect.suspend(() => isFresh(log) ? Effect.succeed(true) : Effect.as(lose(log), false)))
      )

    const keepLease = Effect.fnUntraced(function*(log: Log, acquiredAt: number): Effect.fn.Return<never> {
      renewedAt.set(log, acquiredAt)
      while (yield* isHeld(log)) {
        const age = ageOf(log)
        if (age >= renewalEvery) yield* add(log)
        yield* Effect.sleep((age < renewalEvery ? renewalEvery : lease - answerTimeout) - age)
      }
      return yield* Effect.never
    })

    return { commit, commitInTime: inTime(commit), isHeld, keepLease, write: add }
  }
)
