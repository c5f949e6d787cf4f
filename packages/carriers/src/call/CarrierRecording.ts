/** A recording that a carrier has made of a call: it is copied into `Recordings` and, if so configured, then deleted at the carrier. */
import {
  type CarrierEvent,
  type CarrierTokens,
  type Ids,
  type LineReports,
  type Recordings,
  Storage
} from "@outdial/core"
import { Effect, Fiber, Schedule, type Scope, Semaphore } from "effect"
import { RecordingTooLong } from "../request/SingleRequest.ts"

/** `off`: calls are not recorded. `copy`: they are, and the carrier keeps its recording. `move`: it is deleted at the carrier once it is copied. */
export type RecordingMode = "off" | "copy" | "move"

/**
 * The end of a call; if calls are recorded, its recording follows. The engine ignores that of a call that was not answered: a carrier may not
 * say whether one was.
 */
export const announced = (mode: RecordingMode | "own", event: CarrierEvent.Ended): CarrierEvent.Ended =>
  mode === "off" ? event : { ...event, recordingFollows: true }

export interface CarrierRecording {
  /** The carrier's id of it. */
  readonly id: string
  /** The carrier's id of the call. Absent when it is not known. */
  readonly carrierCallId?: Ids.CarrierCallId | undefined
  readonly download: Effect.Effect<Recordings.Recording, unknown>
  /** Deletes it at the carrier; safe to repeat. */
  readonly remove: Effect.Effect<void, unknown>
}

/** A campaign may end at once. Two recordings of the longest kind fit into the memory of a small machine. */
const mostAtOnce = 2

/**
 * Copies a recording, and reports it; at most two at once. One that is too long for the memory stays at the carrier. Fails when that is not certain, so that the carrier calls back again. What has begun goes on when the
 * carrier gives up waiting for the response, and a callback that is repeated meanwhile waits for it.
 */
export const copier = (
  { carrier, mode, recordings, reports, scope }: {
    readonly carrier: string
    readonly mode: RecordingMode
    readonly recordings: Recordings.Recordings["Service"]
    readonly reports: LineReports.LineReports["Service"]
    readonly scope: Scope.Scope
  }
) => {
  const slots = Semaphore.makeUnsafe(mostAtOnce)
  const running = new Map<string, Fiber.Fiber<void, Storage.StorageError>>()

  /** The carrier may not list it yet, where it was just made. */
  const remove = (call: CarrierTokens.TokenCall, { id, remove }: CarrierRecording, isNew: boolean) =>
    remove.pipe(
      Effect.retry({ times: isNew ? 3 : 0, schedule: Schedule.spaced("2 seconds") }),
      Effect.catch((error) =>
        Effect.logWarning(`The recording ${id} of ${call.callId} could not be deleted at ${carrier}`, error)
      )
    )

  const copy = Effect.fnUntraced(function*(call: CarrierTokens.TokenCall, recording: CarrierRecording) {
    const of = recording.carrierCallId === undefined ? call : { ...call, carrierCallId: recording.carrierCallId }
    // That of a second call at the carrier must not replace ours.
    if ("carrierCallId" in of && (yield* reports.isOfAnother(of))) return yield* remove(call, recording, true)
    // A callback that is repeated may find it deleted at the carrier.
    const isCopied = yield* recordings.has(call)
    if (!isCopied) yield* recordings.put(call, yield* recording.download)
    const instruction = yield* reports.report({ ...of, event: { _tag: "Recorded" } })
    if (instruction === "continue") return yield* mode === "move" ? remove(call, recording, !isCopied) : Effect.void
    // The call must have none, here or at the carrier.
    yield* recordings.remove(call)
    yield* remove(call, recording, !isCopied)
  }, (work, { callId }, { id }) =>
    Effect.catch(work, (cause) => {
      if (cause instanceof RecordingTooLong) {
        return Effect.logError(`The recording ${id} of ${callId} is not copied, and stays at ${carrier}`, cause)
      }
      return Effect.andThen(
        Effect.logWarning(`The recording ${id} of ${callId} could not be copied from ${carrier}`, cause),
        Effect.fail(new Storage.StorageError({ reason: "unavailable", cause }))
      )
    }))

  return Effect.fnUntraced(function*(call: CarrierTokens.TokenCall, recording: CarrierRecording) {
    const earlier = running.get(recording.id)
    const work = earlier ?? (yield* Effect.forkIn(
      Effect.ensuring(slots.withPermit(copy(call, recording)), Effect.sync(() => running.delete(recording.id))),
      scope
    ))
    if (earlier === undefined) running.set(recording.id, work)
    return yield* Fiber.join(work)
  })
}
