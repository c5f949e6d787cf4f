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

interface Options<Asked, Answer> {
  /** Only what has the same key is done together. */
  readonly keyOf: (asked: Asked) => string
  /** Answers in order, and waits no longer than that for any lock; what it has no answer for is asked again, alone. */
  readonly together: (
    asked: Array.NonEmptyReadonlyArray<Asked>,
    patience: string
  ) => Work<ReadonlyArray<Answer | undefined>>
  /** In a host's transaction, which waits for locks as its host has it. */
  readonly inHost: (asked: Asked) => Work<Answer>
  /** What has found no answer for as long as a caller waits. */
  readonly inVain: (asked: Asked) => Work<Answer>
}

type Work<A> = Effect.Effect<A, Storage.StorageError>

/** Most in one unit: more gain nothing, and would wait longer for each other. */
const groupSize = 200

/** While one commits, the next is written. */
const unitsAtOnce = 2

/** How long a unit waits for a lock, as Postgres has it: at first, and when it is known that somebody holds one. */
const [patience, littlePatience] = ["50ms", "10ms"]

/** Most connections on which those wait who were held up, of all callers together: a fifth of what a pool has by default. */
const heldUpAtOnce = 2

/** How long those try who are held up: longer than a request takes, and not longer than a caller waits. */
const [triesMillis, triesEvery] = [5_000, 100]

// In real time on every engine clock, because what is waited for happens in the database.
const clock = Clock.Clock.defaultValue()
const pause = (time: Duration.Input) => Effect.provideService(Effect.sleep(time), Clock.Clock, clock)

/**
 * How long callers wait for the unit before theirs: some lock may hold that up for longer, which is none of their business.
 */
const untilNextUnit = pause(50)

/** For as long as a caller waits. */
interface Time {
  readonly isOver: () => boolean
}

const timeFromNow = (): Time => {
  const until = clock.currentTimeMillisUnsafe() + triesMillis
  return { isOver: () => clock.currentTimeMillisUnsafe() >= until }
}

interface Unanswered {
  readonly _tag: "Unanswered"
}

export const make = Effect.fnUntraced(
  function*<Asked, Answer>({ inTransaction }: Database, { inHost, inVain, keyOf, together }: Options<Asked, Answer>) {
    interface Asking extends Request.Request<Answer | undefined, Storage.StorageError> {
      readonly _tag: "Asking"
      readonly asked: Asked
    }
    const Asking = Request.tagged<Asking>("Asking")
    type Entries = Array.NonEmptyReadonlyArray<Request.Entry<Asking>>

    const heldUp = Semaphore.makeUnsafe(heldUpAtOnce)

    const makeGroup = () => {
      const units = Semaphore.makeUnsafe(unitsAtOnce)
      const own = Semaphore.makeUnsafe(1)
      /** One of a key at a time, so that keys take turns; whose turn comes too late has had nobody wait for it. */
      const inTurn = <A, E>(time: Time, work: Effect.Effect<A, E>): Effect.Effect<A, E | Storage.StorageError> =>
        own.withPermit(heldUp.withPermit(
          Effect.suspend((): Effect.Effect<A, E | Storage.StorageError> =>
            time.isOver() ? Effect.fail(heldUpForTooLong) : work
          )
        ))

      /** What keeps a set from being answered is found by halves: those that it has nothing to do with are soon through. */
      const answer = (
        entries: Entries,
        time: Time,
        tried: Work<ReadonlyArray<Answer | undefined>>
      ): Effect.Effect<void> =>
        Effect.matchCauseEffect(tried, {
          onSuccess: (answers) => complete(entries, (index) => Exit.succeed(answers[index])),
          onFailure: (cause) => {
            if (isAway(cause)) return complete(entries, () => Exit.failCause(cause))
            if (time.isOver()) return complete(entries, () => Exit.fail(heldUpForTooLong))
            if (entries.length === 1) return complete(entries, () => Exit.succeed(undefined))
            return Effect.forEach(
              Array.chunksOf(entries, Math.ceil(entries.length / 2)),
              (half) => answer(half, time, inTurn(time, together(askedOf(half), littlePatience))),
              { concurrency: "unbounded", discard: true }
            )
          }
        })

      const resolver = RequestResolver.make<Asking>((entries) => {
        const answered = Effect.suspend(() => answer(entries, timeFromNow(), together(askedOf(entries), patience)))
        return Effect.flatMap(
          units.withPermitsIfAvailable(1)(answered),
          (done) => Option.isSome(done) ? Effect.void : answered
        )
      }).pipe(
        RequestResolver.setDelayEffect(
          Effect.andThen(Effect.yieldNow, Effect.raceFirst(units.withPermit(Effect.void), untilNextUnit))
        ),
        RequestResolver.batchN(groupSize)
      )

      /** Tries now and then, and holds no connection in between. */
      const alone = (asked: Asked) =>
        Effect.suspend(() => {
          const time = timeFromNow()
          const tried = Effect.flatMap(
            together([asked], littlePatience),
            ([answer]): Effect.Effect<Answer, Unanswered> =>
              answer === undefined ? Effect.fail({ _tag: "Unanswered" }) : Effect.succeed(answer)
          )
          let isUnanswered = false
          return Effect.retry(inTurn(time, tried), {
            while: (error) => {
              isUnanswered ||= error._tag === "Unanswered"
              return isPassing(error) && !time.isOver() ? Effect.as(pause(triesEvery), true) : Effect.succeed(false)
            }
          }).pipe(Effect.catch((error) =>
            error._tag === "Unanswered" || (isUnanswered && isPassing(error)) ? inVain(asked) : Effect.fail(error)
          ))
        })

      return { alone, resolver }
    }

    const askedOf = (entries: Entries) => Array.map(entries, ({ request }) => request.asked)

    const complete = (
      entries: Entries,
      exitOf: (index: number) => Exit.Exit<Answer | undefined, Storage.StorageError>
    ) => Effect.sync(() => entries.forEach((entry, index) => entry.completeUnsafe(exitOf(index))))

    const groups = yield* RcMap.make({ lookup: (_key: string) => Effect.sync(makeGroup) })

    const ask = Effect.fnUntraced(
      function*(asked: Asked) {
        const { alone, resolver } = yield* RcMap.get(groups, keyOf(asked))
        const answered = yield* Effect.request(Asking({ asked }), resolver)
        return answered === undefined ? yield* alone(asked) : answered
      },
      Effect.scoped
    )

    return (asked: Asked): Work<Answer> =>
      Effect.flatMap(inTransaction, (nested) => nested ? inHost(asked) : ask(asked))
  }
)

const heldUpForTooLong = new Storage.StorageError({
  reason: "conflict",
  cause: new Error("Somebody else's transaction holds what this one waits for")
})

const isPassing = (error: Storage.StorageError | Unanswered): boolean =>
  error._tag === "Unanswered" || error.reason === "conflict"

/** Then nobody has to ask once more. After a conflict, or a bug in what one of them asks for, each is answered for itself. */
const isAway = (cause: Cause.Cause<Storage.StorageError>): boolean =>
  Result.match(Cause.findError(cause), {
    onFailure: () => false,
    onSuccess: ({ reason }) => reason === "unavailable"
  })
