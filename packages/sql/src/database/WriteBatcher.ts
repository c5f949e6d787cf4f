/**
 * Batches concurrent requests into one unit of work (group commit). Each request is answered as if it ran alone; in a
 * host's transaction it does. No request waits for a lock that blocks another one, and blocked requests leave connections
 * to others. No request is delayed to fill a batch.
 */
import { Storage } from "@outdial/core"
import {
  Array,
  Cause,
  Clock,
  type Duration,
  Effect,
  Exit,
  Option,
  RcMap,
  Request,
  RequestResolver,
  Result,
  Semaphore
} from "effect"
import type { Database } from "./Database.ts"

interface Options<Input, Answer> {
  /** Only requests with the same key are batched. */
  readonly keyOf: (input: Input) => string
  /** Answers in order, and waits for a lock no longer than that. A request without an answer is asked again, alone. */
  readonly batch: (
    inputs: Array.NonEmptyReadonlyArray<Input>,
    lockTimeout: string
  ) => Work<ReadonlyArray<Answer | undefined>>
  /** Runs in a host's transaction, with the host's lock timeout. */
  readonly ambient: (input: Input) => Work<Answer>
  /** Runs when a request had no answer until its deadline. */
  readonly fallback: (input: Input) => Work<Answer>
}

type Work<A> = Effect.Effect<A, Storage.StorageError>

/** Maximum size of a batch: larger ones gain nothing and take longer. */
const batchSize = 200

/** The next batch is written while one commits. */
const concurrentBatches = 2

/** Lock timeouts in the format of Postgres: the first, and the one once a lock is known to be held. */
const [lockTimeout, shortLockTimeout] = ["50ms", "10ms"]

/** Maximum number of connections for retries of blocked requests, over all keys: a fifth of the default pool. */
const maxLockWaiters = 2

/** How long blocked requests retry: longer than a request takes, and no longer than a caller waits. */
const [retryMillis, retryEvery] = [5_000, 100]

// In real time on every engine clock, because requests wait for the database.
const clock = Clock.Clock.defaultValue()
const pause = (time: Duration.Input) => Effect.provideService(Effect.sleep(time), Clock.Clock, clock)

/** How long requests wait for the batch before theirs, which another lock may block for longer. */
const untilNextBatch = pause(50)

/** The time until which a caller waits. */
interface Deadline {
  readonly hasPassed: () => boolean
}

const deadlineFromNow = (): Deadline => {
  const until = clock.currentTimeMillisUnsafe() + retryMillis
  return { hasPassed: () => clock.currentTimeMillisUnsafe() >= until }
}

interface Unanswered {
  readonly _tag: "Unanswered"
}

export const make = Effect.fnUntraced(
  function*<Input, Answer>({ inTransaction }: Database, { ambient, fallback, keyOf, batch }: Options<Input, Answer>) {
    interface BatchRequest extends Request.Request<Answer | undefined, Storage.StorageError> {
      readonly _tag: "BatchRequest"
      readonly input: Input
    }
    const BatchRequest = Request.tagged<BatchRequest>("BatchRequest")
    type Entries = Array.NonEmptyReadonlyArray<Request.Entry<BatchRequest>>

    const lockWaiters = Semaphore.makeUnsafe(maxLockWaiters)

    const makeQueue = () => {
      const slots = Semaphore.makeUnsafe(concurrentBatches)
      const own = Semaphore.makeUnsafe(1)
      /** One retry per key at a time, so that keys alternate. A retry that starts after its deadline fails. */
      const oneAtATime = <A, E>(
        deadline: Deadline,
        work: Effect.Effect<A, E>
      ): Effect.Effect<A, E | Storage.StorageError> =>
        own.withPermit(lockWaiters.withPermit(
          Effect.suspend((): Effect.Effect<A, E | Storage.StorageError> =>
            deadline.hasPassed() ? Effect.fail(lockTimedOut) : work
          )
        ))

      /** A failed batch is split in halves, so that requests that did not cause the failure are soon answered. */
      const answer = (
        entries: Entries,
        deadline: Deadline,
        tried: Work<ReadonlyArray<Answer | undefined>>
      ): Effect.Effect<void> =>
        Effect.matchCauseEffect(tried, {
          onSuccess: (answers) => complete(entries, (index) => Exit.succeed(answers[index])),
          onFailure: (cause) => {
            if (isUnavailable(cause)) return complete(entries, () => Exit.failCause(cause))
            if (deadline.hasPassed()) return complete(entries, () => Exit.fail(lockTimedOut))
            if (entries.length === 1) return complete(entries, () => Exit.succeed(undefined))
            return Effect.forEach(
              Array.chunksOf(entries, Math.ceil(entries.length / 2)),
              (half) => answer(half, deadline, oneAtATime(deadline, batch(inputsOf(half), shortLockTimeout))),
              { concurrency: "unbounded", discard: true }
            )
          }
        })

      const resolver = RequestResolver.make<BatchRequest>((entries) => {
        const answered = Effect.suspend(() => answer(entries, deadlineFromNow(), batch(inputsOf(entries), lockTimeout)))
        return Effect.flatMap(
          slots.withPermitsIfAvailable(1)(answered),
          (done) => Option.isSome(done) ? Effect.void : answered
        )
      }).pipe(
        RequestResolver.setDelayEffect(
          Effect.andThen(Effect.yieldNow, Effect.raceFirst(slots.withPermit(Effect.void), untilNextBatch))
        ),
        RequestResolver.batchN(batchSize)
      )

      /** Retries at intervals, without a connection in between. */
      const retryAlone = (input: Input) =>
        Effect.suspend(() => {
          const deadline = deadlineFromNow()
          const tried = Effect.flatMap(
            batch([input], shortLockTimeout),
            ([answer]): Effect.Effect<Answer, Unanswered> =>
              answer === undefined ? Effect.fail({ _tag: "Unanswered" }) : Effect.succeed(answer)
          )
          let isUnanswered = false
          return Effect.retry(oneAtATime(deadline, tried), {
            while: (error) => {
              isUnanswered ||= error._tag === "Unanswered"
              return isRetryable(error) && !deadline.hasPassed()
                ? Effect.as(pause(retryEvery), true)
                : Effect.succeed(false)
            }
          }).pipe(Effect.catch((error) =>
            error._tag === "Unanswered" || (isUnanswered && isRetryable(error)) ? fallback(input) : Effect.fail(error)
          ))
        })

      return { resolver, retryAlone }
    }

    const inputsOf = (entries: Entries) => Array.map(entries, ({ request }) => request.input)

    const complete = (
      entries: Entries,
      exitOf: (index: number) => Exit.Exit<Answer | undefined, Storage.StorageError>
    ) => Effect.sync(() => entries.forEach((entry, index) => entry.completeUnsafe(exitOf(index))))

    const queues = yield* RcMap.make({ lookup: (_key: string) => Effect.sync(makeQueue) })

    const submit = Effect.fnUntraced(
      function*(input: Input) {
        const { resolver, retryAlone } = yield* RcMap.get(queues, keyOf(input))
        const answered = yield* Effect.request(BatchRequest({ input }), resolver)
        return answered === undefined ? yield* retryAlone(input) : answered
      },
      Effect.scoped
    )

    return (input: Input): Work<Answer> =>
      Effect.flatMap(inTransaction, (nested) => nested ? ambient(input) : submit(input))
  }
)

const lockTimedOut = new Storage.StorageError({
  reason: "conflict",
  cause: new Error("Another transaction holds a lock that this request needs")
})

const isRetryable = (error: Storage.StorageError | Unanswered): boolean =>
  error._tag === "Unanswered" || error.reason === "conflict"

/** If the storage is unavailable, there is no retry. After a conflict or a bug each request is answered on its own. */
const isUnavailable = (cause: Cause.Cause<Storage.StorageError>): boolean =>
  Result.match(Cause.findError(cause), {
    onFailure: () => false,
    onSuccess: ({ reason }) => reason === "unavailable"
  })
