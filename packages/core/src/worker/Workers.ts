/**
 * The list of live workers: every process that runs an engine's loops writes a heartbeat, so that operators see which processes dial. A
 * worker that ends removes itself; one that was killed, or cannot reach the storage, counts as gone after `Limits.workerGone`.
 */
import { Context, DateTime, Effect, Layer } from "effect"
import type { Unavailable } from "../domain/Errors.ts"
import { makeWorkerId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import { version } from "../domain/Version.ts"
import type { Worker } from "../domain/Worker.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import type { StorageError } from "../storage/StorageError.ts"
import { WorkerStore } from "./WorkerStore.ts"

/** How long the end of a worker waits for the storage: without it the worker ages out. */
const leaveTimeout = "2 seconds"

export interface WorkersOptions {
  /** The name of this process in the list. */
  readonly name?: string
}

/** A live worker as hosts without Effect see it. */
export interface HostWorker extends Omit<Worker, "seenAt" | "startedAt"> {
  readonly startedAt: Date
  readonly seenAt: Date
}

export const hostWorker = ({ seenAt, startedAt, ...worker }: Worker): HostWorker => ({
  ...worker,
  startedAt: DateTime.toDateUtc(startedAt),
  seenAt: DateTime.toDateUtc(seenAt)
})

export class Workers extends Context.Service<Workers, {
  /** Live workers of all processes on the storage, oldest first. */
  readonly list: Effect.Effect<ReadonlyArray<Worker>, Unavailable>
  /** Records that this process runs these loops and has these carriers. */
  readonly heartbeat: (state: Pick<Worker, "carriers" | "runs">) => Effect.Effect<void, StorageError>
  /** Removes this process from the list. Never fails. */
  readonly leave: Effect.Effect<void>
}>()("@outdial/core/worker/Workers") {
  static readonly layer = ({ name }: WorkersOptions = {}) =>
    Layer.effect(
      Workers,
      Effect.gen(function*() {
        const workerStore = yield* WorkerStore
        const id = yield* makeWorkerId
        const startedAt = yield* DateTime.now
        return Workers.of({
          list: Effect.gen(function*() {
            const seenAfter = DateTime.subtractDuration(yield* DateTime.now, Limits.workerGone)
            return yield* orUnavailable(workerStore.list(seenAfter))
          }),
          heartbeat: Effect.fnUntraced(function*(state) {
            const seenAt = yield* DateTime.now
            yield* workerStore.put({ id, ...(name !== undefined && { name }), version, ...state, startedAt, seenAt })
          }),
          leave: Effect.ignore(Effect.timeoutOption(workerStore.remove(id), leaveTimeout))
        })
      })
    )
}
