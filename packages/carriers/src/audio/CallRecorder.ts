/**
 * Records a call whose sound passes through this process: a WAV file of two channels, the contact on the left and the agent on the right. It
 * grows on disk while the call lasts, and is stored in `Recordings` at its end. The memory that it takes does not depend on the call's length.
 */
import {
  AudioFormat,
  type CarrierTokens,
  type Ids,
  type LineReports,
  type Recordings,
  RecordingSpool,
  Samples,
  Wav
} from "@outdial/core"
import { Clock, Effect, Exit, Fiber, Option, Schedule, Scope, Stream } from "effect"
import * as AudioTime from "./AudioTime.ts"
import type { MediaLineOptions } from "./MediaLine.ts"
import * as StereoTrack from "./StereoTrack.ts"

export interface CallRecorderOptions {
  readonly call: CarrierTokens.TokenCall
  readonly carrierCallId?: Ids.CarrierCallId | undefined
  readonly format: AudioFormat.AudioFormat
  readonly recordings: Recordings.Recordings["Service"]
  readonly reports: LineReports.LineReports["Service"]
}

export interface CallRecorder {
  /** For the line of the call. */
  readonly listener: Required<Pick<MediaLineOptions, "onKnown" | "onSound">>
  /** Stores the recording, and reports it, or that there is none. To be done once, when the line is closed. */
  readonly finish: Effect.Effect<void>
}

/** How often what is known is written, in milliseconds. */
const writeEvery = 500

/** How late sound may become known, in milliseconds: what a carrier has played it may say 5 seconds later. */
const completeAfter = 6_000

/** How much earlier or later than known sound may belong, in milliseconds: by the jitter of the network and of the process. */
const inaccuracy = 500

/** Above it the disk is too slow, in milliseconds: the recording is given up, so that it does not fill the memory. */
const mostUnwritten = 60_000

/** How long the disk may take for what is left at the end of the call. Carriers' sockets wait 5 seconds for their end when a process stops. */
const finishTimeout = "5 seconds"

/** How long the storage of recordings may do nothing: take no bytes, or not say that it has stored them. */
const storeTimeout = "30 seconds"

const channels = 2

/** The file lives as long as the scope. Neither a disk nor a storage that hangs holds up the call. */
export const make = Effect.fnUntraced(function*(
  { call, carrierCallId, format, recordings, reports }: CallRecorderOptions
): Effect.fn.Return<CallRecorder, never, Scope.Scope> {
  const now = AudioTime.of(yield* Clock.Clock)
  const spool = yield* RecordingSpool.RecordingSpool
  const sampleRate = AudioFormat.sampleRate(format)
  const track = StereoTrack.make({ startedAt: now(), sampleRate })
  const files = yield* Scope.make()
  /** Detached, because it may hang. */
  const opening = yield* Effect.forkDetach(Scope.provide(spool.open, files), { startImmediately: true })
  yield* Effect.addFinalizer(() =>
    Effect.forkDetach(Effect.andThen(Fiber.await(opening), Scope.close(files, Exit.void)), { startImmediately: true })
  )
  let written = 0
  let writtenUntil = now()
  /** What both sides have said until then is there. */
  let knownUntil = writtenUntil
  let isGivenUp = false
  const giveUp = (cause: unknown) =>
    Effect.suspend(() => {
      isGivenUp = true
      return Effect.logWarning(`${call.callId} is not recorded`, cause)
    })

  const write = Effect.fnUntraced(function*(until: number) {
    const file = yield* Fiber.join(opening)
    for (const samples of track.take(until)) {
      yield* file.append(Samples.littleEndianOf(samples))
      written += samples.length * 2
      writtenUntil += (samples.length * 1_000) / channels / sampleRate
    }
  }, Effect.catchCause(giveUp))

  let begun: Fiber.Fiber<void> | undefined
  /** What has begun to be written is written. It is detached, because a disk that does not answer must not hold up the end of the call. */
  const begin = (until: number) =>
    Effect.uninterruptible(Effect.map(Effect.forkDetach(write(until)), (fiber) => begun = fiber))

  const writing = yield* Effect.suspend(() => begin(Math.max(knownUntil - inaccuracy, now() - completeAfter))).pipe(
    Effect.flatMap(Fiber.join),
    Effect.delay(writeEvery),
    Effect.repeat({ while: () => !isGivenUp }),
    Effect.forkScoped
  )

  const of = { ...call, ...(carrierCallId !== undefined && { carrierCallId }) }
  const report = (event: "Recorded" | "NotRecorded") =>
    Effect.retry(reports.report({ ...of, event: { _tag: event } }), reportAgain)

  /** Detached: where it hangs, it is given up, and what it stores after that is removed. */
  const put = Effect.fnUntraced(function*(file: RecordingSpool.SpoolFile) {
    const header = Wav.header({ bytes: written, channels, sampleRate })
    let pieces = 0
    const putting = yield* Effect.forkDetach(recordings.putStream(call, {
      mediaType: "audio/wav",
      length: header.length + written,
      bytes: Stream.tap(Stream.concat(Stream.make(header), file.bytes), () => Effect.sync(() => void (pieces += 1)))
    }))
    let before = -1
    while (before < pieces) {
      before = pieces
      const stored = yield* Effect.timeoutOption(Effect.interruptible(Fiber.join(putting)), storeTimeout)
      if (Option.isSome(stored)) return true
    }
    yield* giveUp("The storage of recordings does not answer")
    yield* Effect.forkDetach(Effect.ignore(Effect.andThen(Fiber.join(putting), recordings.remove(call))))
    return false
  })

  const store = Effect.gen(function*() {
    if (carrierCallId !== undefined && (yield* reports.isOfAnother({ ...call, carrierCallId }))) return
    yield* Fiber.interrupt(writing)
    const rest = Effect.gen(function*() {
      if (begun !== undefined) yield* Fiber.join(begun)
      yield* Fiber.join(yield* begin(track.end()))
    })
    const isWritten = yield* Effect.timeoutOption(Effect.interruptible(rest), finishTimeout)
    if (Option.isNone(isWritten)) yield* giveUp("The disk does not answer")
    if (isGivenUp || written === 0 || !(yield* put(yield* Fiber.join(opening)))) return yield* report("NotRecorded")
    if ((yield* report("Recorded")) === "discard") {
      yield* Effect.timeoutOption(Effect.interruptible(recordings.remove(call)), storeTimeout)
    }
  })

  return {
    listener: {
      onKnown: (until) => {
        knownUntil = until
      },
      onSound: (side, { at, audio }) => {
        // Checked here, because a disk that does not answer holds up the writer.
        isGivenUp ||= at - writtenUntil > mostUnwritten
        if (!isGivenUp) track.write(side, at, Samples.samplesOf(format, audio))
      }
    },
    finish: Effect.uninterruptible(Effect.catchCause(store, (cause) =>
      Effect.andThen(
        Effect.logError(`The recording of ${call.callId} could not be stored`, cause),
        Effect.ignore(report("NotRecorded"))
      )))
  }
})

/** The storage may be away for a moment. Carriers' sockets wait 5 seconds for their end when a process stops. */
const reportAgain = { times: 5, schedule: Schedule.exponential("200 millis") }
