/**
 * Whether this process should receive requests. Reads the storage at most once a second, and answers within bounds when
 * the storage does not.
 */
import { Context, Deferred, Duration, Effect, Exit, Fiber, FiberHandle, Layer, Option } from "effect"
import * as Limits from "../domain/Limits.ts"
import { ClockUncertainty, UncertainClock } from "../time/ClockUncertainty.ts"
import { cachedFor } from "./CachedFor.ts"
import type { StorageError } from "../storage/StorageError.ts"
import { type StorageState, StorageStats } from "../storage/StorageStats.ts"

/** Why a process is not ready. */
export type NotReady = "draining" | "storage_unavailable" | "migrations_pending" | "clock_uncertain"

/** The text of the reasons that mean the same everywhere. */
const meanings = {
  draining: "this process is about to end",
  storage_unavailable: "the database does not answer",
  migrations_pending: "the database has yet to be migrated to this version"
}

/** How long an answer about the storage is good for, and how long it is waited for. */
const [validFor, queryTimeout] = [Duration.seconds(1), Duration.seconds(2)]

export class Readiness extends Context.Service<Readiness, {
  /** Everything that is in the way; nothing when the process is ready. */
  readonly reasons: Effect.Effect<ReadonlyArray<NotReady>>
  /** What a reason means here, in words for operators. */
  readonly meaningOf: (reason: NotReady) => string
  /** From its return on the process is not ready, for good: it is about to end. */
  readonly drain: Effect.Effect<void>
  readonly isDraining: Effect.Effect<boolean>
  /** Returns once `drain` has been called, or the engine closes. */
  readonly awaitDraining: Effect.Effect<void>
}>()("@outdial/core/observe/Readiness") {
  static readonly layer = Layer.effect(
    Readiness,
    Effect.gen(function*() {
      const storageStats = yield* StorageStats
      const uncertainty = yield* ClockUncertainty
      const clockUncertain = yield* UncertainClock
      const draining = yield* Deferred.make<void>()
      yield* Effect.addFinalizer(() => Deferred.succeed(draining, undefined))
      const question = yield* FiberHandle.make<StorageState, StorageError>()
      // A query that hangs stays and is awaited the next time, because interrupting it could hang as well.
      const asked = FiberHandle.run(question, storageStats.state, { onlyIfMissing: true }).pipe(
        Effect.flatMap(Fiber.await),
        Effect.timeoutOption(queryTimeout),
        Effect.map(reasonOf)
      )
      const state = yield* cachedFor(asked, validFor)
      return Readiness.of({
        reasons: Effect.gen(function*() {
          const stored = yield* state
          const isCertain = Duration.isLessThanOrEqualTo(yield* uncertainty, Limits.clockUncertainty)
          return [
            ...(yield* Deferred.isDone(draining)) ? ["draining" as const] : [],
            ...stored === undefined ? [] : [stored],
            ...isCertain ? [] : ["clock_uncertain" as const]
          ]
        }),
        meaningOf: (reason) => reason === "clock_uncertain" ? clockUncertain : meanings[reason],
        drain: Effect.asVoid(Deferred.succeed(draining, undefined)),
        isDraining: Deferred.isDone(draining),
        awaitDraining: Deferred.await(draining)
      })
    })
  )
}

const reasonOf = (answer: Option.Option<Exit.Exit<StorageState, StorageError>>): NotReady | undefined => {
  if (Option.isNone(answer) || Exit.isFailure(answer.value)) return "storage_unavailable"
  return answer.value.value === "ready" ? undefined : answer.value.value
}
