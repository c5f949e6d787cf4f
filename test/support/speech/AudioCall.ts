/** An answered call whose line exchanges sound of `SoundedText`: the test is the contact, and decides how fast the line plays. */
import {
  type AudioLine,
  type Call,
  Conversations,
  LineReports,
  Storage,
  type TextAgent,
  type Tool,
  type VoiceAgent
} from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { type Cause, DateTime, Effect, type Layer, Queue, Stream } from "effect"
import * as CallSteps from "../../../packages/core/test/support/CallSteps.ts"
import * as SilentCarrier from "../../../packages/core/test/support/SilentCarrier.ts"
import * as SoundedText from "./SoundedText.ts"

export interface Options {
  readonly voiceAgent: Layer.Layer<VoiceAgent.VoiceAgent, never, TextAgent.TextAgent>
  readonly agent?: TestEngine.TestEngineOptions["agent"]
  readonly tools?: ReadonlyArray<Tool.Tool>
}

export const layer = ({ agent, tools, voiceAgent }: Options) =>
  TestEngine.layer({
    telephony: SilentCarrier.layer,
    voiceAgent,
    ...agent !== undefined && { agent },
    ...tools !== undefined && { tools }
  })

/** Waits for what happens on real sockets. */
export const until = (isDone: () => boolean) =>
  Effect.eventually(Effect.suspend(() => isDone() ? Effect.void : Effect.fail("not yet")))

const bytesPerMilli = 8

export const answered = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const { id: callId } = yield* CallSteps.start("+14155550100")
  yield* TestEngine.drain
  const { report } = yield* LineReports.LineReports
  yield* report({ accountId, callId, event: { _tag: "Answered", at: yield* DateTime.now, by: "human" } })

  const events = yield* Queue.unbounded<AudioLine.AudioEvent, Cause.Done>()
  const done: Array<string> = []
  let marks: ReadonlyArray<{ readonly mark: string; readonly at: number }> = []
  /** Since the line was cleared. */
  let given = Buffer.alloc(0)
  let played = 0
  let isHeld = false
  let lastMark = 0
  let heard = Buffer.alloc(0)

  const playTo = (millis: number) =>
    Effect.suspend(() => {
      const to = Math.min(given.length, millis * bytesPerMilli)
      heard = Buffer.concat([heard, given.subarray(played, to)])
      played = Math.max(played, to)
      const reached = marks.filter(({ at }) => at <= played)
      marks = marks.filter(({ at }) => at > played)
      return Queue.offerAll(events, reached.map(({ mark }) => ({ _tag: "Marked" as const, mark })))
    })
  const go = Effect.suspend(() => isHeld ? Effect.void : Effect.asVoid(playTo(Infinity)))

  const line: AudioLine.AudioLine = {
    format: "mulaw",
    events: Stream.fromQueue(events),
    play: (audio) =>
      Effect.suspend(() => {
        given = Buffer.concat([given, audio])
        return go
      }),
    mark: (mark) =>
      Effect.suspend(() => {
        lastMark = given.length
        marks = [...marks, { mark, at: lastMark }]
        return go
      }),
    clear: Effect.sync(() => {
      const millis = played / bytesPerMilli
      marks = []
      given = Buffer.alloc(0)
      played = 0
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
    /** What was done with the line besides playing. */
    done,
    /** What the contact has heard. */
    heard: () => SoundedText.textOf(heard),
    /** Returns when the contact has heard words that end in this way, and the conversation knows it. */
    hears: (text: string) =>
      Effect.andThen(
        until(() => SoundedText.textOf(heard).endsWith(text) && marks.length === 0 && lastMark === given.length),
        Effect.replicateEffect(Effect.yieldNow, 200)
      ),
    /** How much the line has to play, in milliseconds, since it was cleared. */
    given: () => given.length / bytesPerMilli,
    /** The line plays at once what it is given, unless it is held. */
    setHeld: (is: boolean) =>
      Effect.suspend(() => {
        isHeld = is
        return go
      }),
    playTo,
    /** The contact speaks, and pauses. */
    says: (text: string, pauseMillis = 700) =>
      Queue.offerAll(
        events,
        SoundedText.frames(text, { pauseMillis }).map((audio) => ({ _tag: "Audio" as const, audio }))
      ),
    presses: (digits: string) => Queue.offer(events, { _tag: "Digits", digits }),
    hangsUp: Queue.end(events),
    /** What the call shows once the carrier has reported its end. */
    ended: Effect.gen(function*() {
      yield* report({
        accountId,
        callId,
        event: { _tag: "Ended", at: yield* DateTime.now, result: "hung_up", recorded: false }
      })
      const storage = yield* Storage.Storage
      const record: Call.CallRecord = yield* Effect.flatMap(storage.calls.get(accountId, callId), Effect.fromOption)
      const { notes = [], transcript = [], usage = [] } = record
      return {
        status: record.status,
        lines: transcript.map(({ interrupted, speaker, text }) =>
          `${speaker}: ${text}${interrupted === true ? " –" : ""}`
        ),
        notes,
        usage
      }
    })
  }
})
