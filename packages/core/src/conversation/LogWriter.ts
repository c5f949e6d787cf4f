/**
 * Commits the log entries of all conversations of a process together: at the latest 250 ms after they were written, and at once where
 * something waits for it. A log whose generation is no longer the latest is lost: another process has taken the conversation over.
 */
import { Clock, DateTime, Duration, Effect, Latch, type Scope, Semaphore } from "effect"
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
  /** Renews the lease whenever nothing was committed for a while. */
  readonly keepLease: (log: Log) => Effect.Effect<never>
  /** Returns when all entries that were written before are committed, or their logs are lost. */
  readonly commit: Effect.Effect<void>
}

/** Milliseconds after a commit at which a lease is renewed. */
const renewalEvery = 0.4 * Duration.toMillis(Limits.conversationLease)

export const make: Effect.Effect<LogWriter, never, ConversationStore | Scope.Scope> = Effect.gen(
  function*() {
    const store = yield* ConversationStore
    const clock = yield* Clock.Clock
    const pending = new Map<Log, Array<Entry>>()
    /** When the leases were renewed, in epoch milliseconds. */
    const renewedAt = new WeakMap<Log, number>()
    const isAny = Latch.makeUnsafe()
    const turn = Semaphore.makeUnsafe(1)

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
      const append = Effect.flatMap(DateTime.now, (now) => {
        for (const [log] of written) renewedAt.set(log, now.epochMilliseconds)
        return store.append({ now, logs })
      })
      const appended = yield* append.pipe(
        Effect.retry(whileStorageReturns),
        // The leases have run out by now: other processes may have the logs.
        Effect.catchCause((cause) =>
          Effect.as(Effect.logError("The logs of conversations could not be written", cause), logs.map(() => false))
        )
      )
      yield* Effect.forEach(written, ([{ onLost }], index) => appended[index] === true ? Effect.void : onLost, {
        discard: true
      })
    })

    // One transaction at a time, so that the entries of a log stay in order. Those that arrive meanwhile go into the next one.
    const commit = turn.withPermit(Effect.uninterruptible(commitPending))
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

    const keepLease = Effect.fnUntraced(function*(log: Log): Effect.fn.Return<never> {
      renewedAt.set(log, clock.currentTimeMillisUnsafe())
      while (true) {
        const left = (renewedAt.get(log) ?? 0) + renewalEvery - clock.currentTimeMillisUnsafe()
        if (left <= 0) yield* add(log)
        yield* Effect.sleep(left <= 0 ? renewalEvery : left)
      }
    })

    return { commit, write: add, keepLease }
  }
)
