/** An answered call whose line exchanges sound: the test is the contact, and decides how fast the line plays. */
import {
  AudioFormat,
  type AudioLine,
  Call,
  Calls,
  Conversations,
  type Engine,
  type Errors,
  Ids,
  LineReports,
  Storage,
  Telephony
} from "@outdial/core"
import { type Cause, DateTime, Duration, Effect, type Fiber, Layer, Queue, Schema, Stream } from "effect"
import * as TestEngine from "./EffectTestEngine.ts"

/** A carrier that takes every call, and says nothing of it. */
export const carrier: Layer.Layer<Telephony.Telephony> = Layer.succeed(Telephony.Telephony, {
  name: Ids.CarrierName.make("test"),
  dial: ({ callId }) => Effect.succeed(Ids.CarrierCallId.make(callId)),
  lookUp: () => Effect.succeed({ _tag: "Live" }),
  hangUp: () => Effect.void,
  notFoundLag: Duration.seconds(5)
})

const decodeStart = Schema.decodeUnknownEffect(Call.StartCall)

const joined = (one: Uint8Array, other: Uint8Array): Uint8Array => {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}

export interface AudioCallOptions {
  /** Default: `mulaw`. */
  readonly format?: AudioFormat.AudioFormat
  /** The line plays nothing at first. Default: it plays at once what it is given. */
  readonly isHeld?: boolean
}

/** What the call shows once it has ended. */
export interface EndedAudioCall {
  readonly status: Call.CallRecord["status"]
  /** Each with its speaker; one that was interrupted ends with a dash. */
  readonly lines: ReadonlyArray<string>
  readonly notes: NonNullable<Call.CallRecord["notes"]>
  readonly usage: NonNullable<Call.CallRecord["usage"]>
}

export interface AudioCall {
  readonly held: Fiber.Fiber<Conversations.Held>
  /** What was done with the line besides playing. */
  readonly done: ReadonlyArray<string>
  /** The sound that the contact has heard. */
  readonly heard: () => Uint8Array
  /** Whether all that was given was played, to the mark after it. */
  readonly isQuiet: () => boolean
  /** How much the line was given since it was cleared, in milliseconds. */
  readonly given: () => number
  /** The line plays at once what it is given, unless it is held. */
  readonly setHeld: (is: boolean) => Effect.Effect<void>
  /** The line has played so much since it was cleared. */
  readonly playTo: (millis: number) => Effect.Effect<unknown>
  readonly says: (frames: ReadonlyArray<Uint8Array>) => Effect.Effect<unknown>
  readonly presses: (digits: string) => Effect.Effect<unknown>
  readonly hangsUp: Effect.Effect<unknown>
  /** What the call shows once the carrier has reported its end. */
  readonly ended: Effect.Effect<EndedAudioCall, Cause.NoSuchElementError | Storage.StorageError>
}

/** Begins the conversation, with the tenant's agent. */
export const answered = Effect.fnUntraced(function*(
  { format = "mulaw", ...options }: AudioCallOptions = {}
): Effect.fn.Return<
  AudioCall,
  Errors.CallRefused | Errors.Unavailable | Engine.DrainFailed | Schema.SchemaError | Storage.StorageError,
  | Calls.Calls
  | Conversations.Conversations
  | Engine.Engine
  | LineReports.LineReports
  | Storage.Storage
  | TestEngine.Tenant
> {
  const perMilli = AudioFormat.bytesPerMilli(format)
  const { accountId, agentId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  const { id: callId } = yield* calls.start(accountId, yield* decodeStart({ agentId, phoneNumber: "+14155550100" }))
  yield* TestEngine.drain
  const { report } = yield* LineReports.LineReports
  const storage = yield* Storage.Storage
  yield* report({ accountId, callId, event: { _tag: "Answered", at: yield* DateTime.now, by: "human" } })

  const events = yield* Queue.unbounded<AudioLine.AudioEvent, Cause.Done>()
  const done: Array<string> = []
  let heard: Uint8Array = new Uint8Array(0)
  let isHeld = options.isHeld ?? false
  /** Since the line was cleared; in bytes. */
  let given: Uint8Array = new Uint8Array(0)
  let played = 0
  let marks: ReadonlyArray<{ readonly mark: string; readonly at: number }> = []
  let lastMark = 0

  const playTo = (millis: number) =>
    Effect.suspend(() => {
      const to = Math.max(played, Math.min(given.length, millis * perMilli))
      heard = joined(heard, given.subarray(played, to))
      played = to
      const reached = marks.filter(({ at }) => at <= played)
      marks = marks.filter(({ at }) => at > played)
      return Queue.offerAll(events, reached.map(({ mark }) => ({ _tag: "Marked" as const, mark })))
    })
  const go = Effect.suspend(() => isHeld ? Effect.void : Effect.asVoid(playTo(Infinity)))

  const line: AudioLine.AudioLine = {
    format,
    events: Stream.fromQueue(events),
    play: (audio) =>
      Effect.suspend(() => {
        given = joined(given, audio)
        return go
      }),
    mark: (mark) =>
      Effect.suspend(() => {
        lastMark = given.length
        marks = [...marks, { mark, at: lastMark }]
        return go
      }),
    clear: Effect.sync(() => {
      const millis = played / perMilli
      given = new Uint8Array(0)
      played = 0
      marks = []
      lastMark = 0
      return millis
    }),
    press: (digits) => Effect.sync(() => void done.push(`press ${digits}`)),
    hangUp: Effect.suspend(() => {
      done.push("hang up")
      return Queue.end(events)
    }),
    release: Effect.void
  }
  const { hold } = yield* Conversations.Conversations
  const held = yield* Effect.forkChild(hold({ accountId, callId, takesOver: false, line }))

  return {
    held,
    done,
    heard: () => heard,
    isQuiet: () => marks.length === 0 && lastMark === given.length,
    given: () => given.length / perMilli,
    setHeld: (is: boolean) =>
      Effect.suspend(() => {
        isHeld = is
        return go
      }),
    playTo,
    says: (frames: ReadonlyArray<Uint8Array>) =>
      Queue.offerAll(events, frames.map((audio) => ({ _tag: "Audio" as const, audio }))),
    presses: (digits: string) => Queue.offer(events, { _tag: "Digits", digits }),
    hangsUp: Queue.end(events),
    ended: Effect.gen(function*() {
      yield* report({
        accountId,
        callId,
        event: { _tag: "Ended", at: yield* DateTime.now, result: "hung_up", recorded: false }
      })
      const record: Call.CallRecord = yield* Effect.flatMap(storage.calls.get(accountId, callId), Effect.fromOption)
      const { notes = [], status, transcript = [], usage = [] } = record
      return {
        status,
        lines: transcript.map(({ interrupted, speaker, text }) =>
          `${speaker}: ${text}${interrupted === true ? " –" : ""}`
        ),
        notes,
        usage
      }
    })
  }
})
