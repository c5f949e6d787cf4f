/** A text line over an audio line and the two speech services of a conversation. It knows which words were heard by the sound that was played. */
import { type Cause, Duration, Effect, type Fiber, Queue, type Scope, Stream } from "effect"
import * as AudioFormat from "../domain/AudioFormat.ts"
import type { LineEvent } from "../domain/Conversation.ts"
import type { CallId } from "../domain/Ids.ts"
import { samplesOf } from "../rules/voice/Samples.ts"
import * as SpeechDetector from "../rules/voice/SpeechDetector.ts"
import type { Recognition, RecognitionEvent } from "../voice/SpeechToText.ts"
import { mostSpeech, SpeechFailed, type Voice } from "../voice/TextToSpeech.ts"
import { type AudioEvent, type AudioLine, operationsOf } from "./AudioLine.ts"
import type { TextLine } from "./Conversations.ts"

export interface SpokenLineOptions {
  readonly callId: CallId
  readonly line: AudioLine
  readonly recognition: Recognition
  readonly voice: Voice
}

/** Words that were given to the line and are not known to be heard. */
interface Utterance {
  readonly id: number
  readonly text: string
  /** How much of its sound the line has, in milliseconds. */
  given: number
  isComplete: boolean
}

/** How long the voice may take for the next piece of sound. */
const speechTimeout = "5 seconds"

/** How long the voice may take for one text, in milliseconds, besides the time in which it is played: it may be asked twice. */
const lateness = 15_000

/** 150 words a minute, in milliseconds for each character: for words whose sound is not complete. */
const speaking = 66

export const make = Effect.fnUntraced(function*(
  { callId, line, recognition, voice }: SpokenLineOptions
): Effect.fn.Return<TextLine, never, Scope.Scope> {
  const { format } = line
  const scope = yield* Effect.scope
  const events = yield* Queue.unbounded<LineEvent, Cause.Done>()
  const emit = (event: LineEvent) => Queue.offerUnsafe(events, event)
  let detector = SpeechDetector.initial
  /** In the order in which they are spoken. */
  let pending: ReadonlyArray<Utterance> = []
  /** Those of them whose sound was not asked for. */
  let unsaid: ReadonlyArray<Utterance> = []
  let speaker: Fiber.Fiber<void> | undefined
  /** How much of what was played since the line was cleared is of words that were reported, in milliseconds. */
  let reported = 0

  /** What was heard of these words, when so much was played since the line was cleared. */
  const report = (stopped: ReadonlyArray<Utterance>, played: number) => {
    let left = played - reported
    reported = 0
    for (const utterance of stopped) {
      if (!utterance.isComplete || left < utterance.given) {
        return emit({ _tag: "Stopped", utterance: utterance.id, heard: heardIn(utterance, left) })
      }
      left -= utterance.given
    }
    const last = stopped.at(-1)
    return last === undefined ? false : emit({ _tag: "Played", utterance: last.id })
  }

  /** Takes back all words. Returns those that were not known to be heard. */
  const takeBack = () => {
    speaker?.interruptUnsafe()
    speaker = undefined
    const stopped = pending
    pending = []
    unsaid = []
    return stopped
  }

  /** Does not wait for the carrier to say what was played. */
  const stopSpeaking = Effect.suspend(() => {
    const stopped = takeBack()
    const clearing = Effect.map(line.clear, (played) => void report(stopped, played))
    return Effect.asVoid(Effect.forkIn(clearing, scope, { startImmediately: true }))
  })

  const say = Effect.fnUntraced(function*(utterance: Utterance) {
    const most = mostSpeech(utterance.text)
    yield* Stream.suspend(() => voice.speak(utterance.text)).pipe(
      Stream.timeoutOrElse({ duration: speechTimeout, orElse: () => Stream.fail(timedOut()) }),
      Stream.runForEach((audio) =>
        Effect.suspend(() => {
          const given = utterance.given + AudioFormat.millisOf(format, audio.length)
          if (given > most) return Effect.fail(speaksTooLong())
          utterance.given = given
          return line.play(audio)
        })
      ),
      // Once more, as the service may just have been lost, unless the contact would hear the beginning twice.
      Effect.retry({ times: 1, while: () => utterance.given === 0 }),
      Effect.timeoutOrElse({ duration: Duration.millis(most + lateness), orElse: () => Effect.fail(timedOut()) })
    )
    // The line completes the last frame.
    utterance.given = Math.ceil(utterance.given / AudioFormat.frameMillis) * AudioFormat.frameMillis
    utterance.isComplete = true
    yield* line.mark(String(utterance.id))
  })

  const sayAll: Effect.Effect<void> = Effect.suspend(() => {
    const [next, ...others] = unsaid
    unsaid = others
    if (next === undefined) {
      speaker = undefined
      return Effect.void
    }
    return Effect.matchCauseEffect(say(next), { onSuccess: () => sayAll, onFailure: fails })
  })

  /** The words that were being said are taken back. The fallback phrase is tried nevertheless. A defect must not mute the line either. */
  const fails = (cause: Cause.Cause<SpeechFailed>) =>
    Effect.gen(function*() {
      yield* Effect.logWarning(`The voice of ${callId} failed`, cause)
      speaker = undefined
      const stopped = takeBack()
      report(stopped, yield* line.clear)
      emit({ _tag: "Failed", cause: "The voice failed" })
    })

  const hear = (event: AudioEvent): Effect.Effect<unknown> => {
    switch (event._tag) {
      case "Audio": {
        const wasSpeaking = detector.isSpeaking
        for (const samples of framesOf(format, event.audio)) detector = SpeechDetector.step(detector, samples)
        if (pending.length > 0 && detector.isSpeaking && !wasSpeaking) emit({ _tag: "SpeechStarted" })
        return recognition.hear(event.audio)
      }
      case "Digits":
        return Queue.offer(events, event)
      case "Marked": {
        const index = pending.findIndex(({ id }) => String(id) === event.mark)
        const [heard, others] = [pending.slice(0, index + 1), pending.slice(index + 1)]
        pending = others
        reported = heard.reduce((sum, { given }) => sum + given, reported)
        const last = heard.at(-1)
        return last === undefined ? Effect.void : Queue.offer(events, { _tag: "Played", utterance: last.id })
      }
      case "Silenced":
        return Effect.sync(() => report(takeBack(), event.played))
      default:
        return event satisfies never
    }
  }

  const recognized = (event: RecognitionEvent) =>
    Queue.offer(
      events,
      event._tag === "Words" ? { _tag: "Heard", text: event.text, isFinal: event.isFinal } : event
    )

  yield* line.events.pipe(
    Stream.runForEach(hear),
    Effect.ensuring(Queue.end(events)),
    Effect.forkScoped
  )
  yield* recognition.events.pipe(
    Stream.runForEach(recognized),
    // It ends with the conversation only.
    Effect.andThen(Effect.fail(new SpeechFailed({ cause: new Error("The recognition ended") }))),
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.logWarning(`The recognition of ${callId} failed`, cause),
        Queue.offer(events, { _tag: "Failed", cause: "The recognition of speech failed" })
      )
    ),
    Effect.forkScoped
  )

  return {
    ...operationsOf(line),
    events: Stream.fromQueue(events),
    speak: ({ id, text }) =>
      Effect.suspend(() => {
        const utterance = { id, text, given: 0, isComplete: false }
        pending = [...pending, utterance]
        unsaid = [...unsaid, utterance]
        if (speaker !== undefined) return Effect.void
        return Effect.map(Effect.forkIn(sayAll, scope), (fiber) => void (speaker = fiber))
      }),
    stopSpeaking
  }
})

const speaksTooLong = () => new SpeechFailed({ cause: new Error("The voice speaks for far too long") })

const timedOut = () => new SpeechFailed({ cause: new Error("The voice did not answer in time") })

/** The words of an utterance that were heard in that time: whole ones. */
const heardIn = ({ given, isComplete, text }: Utterance, millis: number): string => {
  const length = isComplete ? given : Math.max(given, text.length * speaking)
  const characters = length === 0 ? 0 : Math.floor(text.length * Math.max(0, millis) / length)
  return characters >= text.length ? text : text.slice(0, Math.max(0, text.slice(0, characters + 1).lastIndexOf(" ")))
}

const framesOf = function*(format: AudioFormat.AudioFormat, audio: Uint8Array) {
  const frame = AudioFormat.frameBytes(format)
  for (let at = 0; at < audio.length; at += frame) yield samplesOf(format, audio.subarray(at, at + frame))
}
