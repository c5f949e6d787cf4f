/**
 * Has one unit of work do what several callers ask for at the same time. Guarantees that each is answered as if it had come
 * alone, and that in a host's transaction it does; leaves to others what is done. Nothing is held up to wait for company.
 */
import type { Storage } from "@outdial/core"
import { Array, Cause, Clock, Effect, Exit, Option, RcMap, Request, RequestResolver, Result, Semaphore } from "effect"
import type { Database } from "./Database.ts"

interface Options<Asked, Answer> {
  /** Only what has the same key is done together. */
  readonly keyOf: (asked: Asked) => string
  /** Answers in order; what it has no answer for is done alone. */
  readonly together: (asked: Array.NonEmptyReadonlyArray<Asked>) => Work<ReadonlyArray<Answer | undefined>>
  readonly alone: (asked: Asked) => Work<Answer>
}

type Work<A> = Effect.Effect<A, Storage.StorageError>

/** Most in one unit: more gain nothing, and would wait longer for each other. */
const groupSize = 200

/** While one commits, the next is written. */
const unitsAtOnce = 2

/**
 * How long callers wait, in real time, for the unit before theirs: some lock may hold that up for longer, which is none of their
 * business.
 */
const patience = Effect.provideService(Effect.sleep("50 millis"), Clock.Clock, Clock.Clock.defaultValue())

export const make = Effect.fnUntraced(
  function*<Asked, Answer>({ inTransaction }: Database, { alone, keyOf, together }: Options<Asked, Answer>) {
    interface Asking extends Request.Request<Answer | undefined, Storage.StorageError> {
      readonly _tag: "Asking"
      readonly asked: Asked
    }
    const Asking = Request.tagged<Asking>("Asking")

    const answer = (entries: Array.NonEmptyReadonlyArray<Request.Entry<Asking>>) =>
      together(Array.map(entries, ({ request }) => request.asked)).pipe(
        Effect.catchCause((cause) => isAway(cause) ? Effect.failCause(cause) : Effect.succeed([])),
        Effect.map((answers) => entries.forEach((entry, index) => entry.completeUnsafe(Exit.succeed(answers[index]))))
      )

    const resolvers = yield* RcMap.make({
      lookup: (_key: string) =>
        Effect.sync(() => {
          const turn = Semaphore.makeUnsafe(unitsAtOnce)
          const inTurn = (entries: Parameters<typeof answer>[0]) =>
            Effect.flatMap(
              turn.withPermitsIfAvailable(1)(answer(entries)),
              (answered) => Option.isSome(answered) ? Effect.void : answer(entries)
            )
          return RequestResolver.make<Asking>(inTurn).pipe(
            RequestResolver.setDelayEffect(
              Effect.andThen(Effect.yieldNow, Effect.raceFirst(turn.withPermit(Effect.void), patience))
            ),
            RequestResolver.batchN(groupSize)
          )
        })
    })

    const ask = Effect.fnUntraced(
      function*(asked: Asked) {
        return yield* Effect.request(Asking({ asked }), yield* RcMap.get(resolvers, keyOf(asked)))
      },
      Effect.scoped
    )

    return (asked: Asked): Work<Answer> =>
      Effect.flatMap(inTransaction, (nested) =>
        nested
          ? alone(asked)
          : Effect.flatMap(ask(asked), (answered) => answered === undefined ? alone(asked) : Effect.succeed(answered)))
  }
)

/** Then nobody has to ask once more. After a conflict, or a bug in what one of them asks for, each is done alone. */
const isAway = (cause: Cause.Cause<Storage.StorageError>): boolean =>
  Result.match(Cause.findError(cause), {
    onFailure: () => false,
    onSuccess: ({ reason }) => reason === "unavailable"
  })
