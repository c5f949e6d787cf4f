/**
 * Has one unit of work do what several callers ask for at the same time. Guarantees that each is answered as if it had come
 * alone, and that in a host's transaction it does; that nobody waits for what another is held up by; and that those who are
 * held up leave the connections to others. Leaves to others what is done. Nothing is held up to wait for company.
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
  /** Only what has the same key is done together. */
  readonly keyOf: (input: Input) => string
  /** Answers in order, and waits no longer than that for any lock; what it has no answer for is asked again, alone. */
  readonly batch: (
    inputs: Array.NonEmptyReadonlyArray<Input>,
    lockTimeout: string
  ) => Work<ReadonlyArray<Answer | undefined>>
  /** In a host's transaction, which waits for locks as its host has it. */
  readonly ambient: (input: Input) => Work<Answer>
  /** What has found no answer for as long as a caller waits. */
  readonly fallback: (input: Input) => Work<Answer>
}

type Work<A> = Effect.Effect<A, Storage.StorageError>

/** Most in one unit: more gain nothing, and would wait longer for each other. */
const batchSize = 200

/** While one commits, the next is written. */
const concurrentBatches = 2

/** How long a unit waits for a lock, as Postgres has it: at first, and when it is known that somebody holds one. */
const [lockTimeout, shortLockTimeout] = ["50ms", "10ms"]

/** Most connections on which those wait who were held up, of all callers together: a fifth of what a pool has by default. */
const maxLockWaiters = 2

/** How long those try who are held up: longer than a request takes, and not longer than a caller waits. */
const [retryMillis, retryEvery] = [5_000, 100]

// In real time on every engine clock, because what is waited for happens in the database.
const clock = Clock.Clock.defaultValue()
const pause = (time: Duration.Input) => Effect.provideService(Effect.sleep(time), Clock.Clock, clock)

/**
 * How long callers wait for the unit before theirs: some lock may hold that up for longer, which is none of their business.
 */
const untilNextBatch = pause(50)

/** For as long as a caller waits. */
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
      /** One of a key at a time, so that keys take turns; whose turn comes too late has had nobody wait for it. */
      const oneAtATime = <A, E>(
        deadline: Deadline,
        work: Effect.Effect<A, E>
      ): Effect.Effect<A, E | Storage.StorageError> =>
        own.withPermit(lockWaiters.withPermit(
          Effect.suspend((): Effect.Effect<A, E | Storage.StorageError> =>
            deadline.hasPassed() ? Effect.fail(lockTimedOut) : work
          )
        ))

      /** What keeps a set from being answered is found by halves: those that it has nothing to do with are soon through. */
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

      /** Tries now and then, and holds no connection in between. */
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
  cause: new Error("Somebody else's transaction holds what this one waits for")
})

const isRetryable = (error: Storage.StorageError | Unanswered): boolean =>
  error._tag === "Unanswered" || error.reason === "conflict"

/** Then nobody has to ask once more. After a conflict, or a bug in what one of them asks for, each is answered for itself. */
const isUnavailable = (cause: Cause.Cause<Storage.StorageError>): boolean =>
  Result.match(Cause.findError(cause), {
    onFailure: () => false,
    onSuccess: ({ reason }) => reason === "unavailable"
  })
