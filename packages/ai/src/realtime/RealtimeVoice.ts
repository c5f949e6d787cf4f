/**
 * The voice of a realtime session. Words of an answer are its own sound, of which no more is played than the conversation has let pass.
 * Other words, such as the disclosure, the model reads aloud; what it says is compared with them as it comes, so that nothing else is heard.
 */
import { Phrases, TextToSpeech } from "@outdial/core"
import { type Duration, Effect, type Latch, type Scope, Stream } from "effect"
import { lost, refused, type ServiceFailure, speechFailed } from "../speech/ServiceFailure.ts"
import type * as PhraseCache from "./PhraseCache.ts"
import type { RealtimeSession } from "./RealtimeSession.ts"
import * as Reply from "./Reply.ts"
import * as ReplySound from "./ReplySound.ts"

export interface Options {
  readonly session: Pick<RealtimeSession, "answers" | "drop" | "exact">
  readonly phrases: PhraseCache.PhraseCache
  readonly language: string | undefined
  /** Speaks what the model does not say word for word, or cannot. */
  readonly other: TextToSpeech.Voice | undefined
}

type Spoken = Stream.Stream<Uint8Array, ServiceFailure | TextToSpeech.SpeechFailed>

const service = "The realtime service"

/** How long the contact waits for more of a reply, as of other services. With another try and voice, it is less than the line waits. */
const silence: Duration.Input = "2 seconds"

const silent = () => Effect.fail(lost(service, "it does not speak"))

/** Until more of the reply has come. Fails if the service falls silent. */
const more = (changed: Latch.Latch) => Effect.timeoutOrElse(changed.await, { duration: silence, orElse: silent })

/** Pieces until there is none. */
const pieces = (
  next: Effect.Effect<Uint8Array | undefined, ServiceFailure>
): Stream.Stream<Uint8Array, ServiceFailure> =>
  Stream.unfold(undefined, () => Effect.map(next, (bytes) => bytes && ([bytes, undefined] as const)))

export interface RealtimeVoice extends TextToSpeech.Voice {
  /** These words may be heard. */
  readonly approve: (text: string) => void
}

export const make = Effect.fnUntraced(function*(
  { language, other, phrases, session }: Options
): Effect.fn.Return<RealtimeVoice, never, Scope.Scope> {
  /** The sound of the passage, as far as it may be heard, as it comes. */
  const passage = (reply: Reply.Reply, text: string, { from, to }: ReplySound.Passage): Spoken =>
    Stream.suspend(() => {
      const isComplete = () => reply.isDone && reply.failure === undefined
      const millisAt = (letter: number) =>
        ReplySound.millisAt(
          { millis: reply.sound.millis(), isWhole: isComplete(), letters: reply.letters.length },
          letter
        )
      const begin = from === reply.asked ? reply.askedMillis : millisAt(from)
      reply.asked = to
      reply.askedMillis = begin
      const next = Effect.gen(function*() {
        while (true) {
          const { changed } = reply
          // When more of it may be heard, where the passage ends exactly does not matter.
          const usual = reply.approved > to ? ReplySound.usualMillisAt(to) : Infinity
          const end = isComplete() ? millisAt(to) : Math.min(millisAt(reply.approved), usual)
          if (end > reply.askedMillis) {
            const bytes = reply.sound.read(reply.askedMillis, end)
            reply.askedMillis = end
            return bytes
          }
          if (isComplete() || reply.askedMillis >= usual) return undefined
          if (reply.failure !== undefined) return yield* reply.failure
          yield* more(changed)
        }
      })
      return pieces(next).pipe(
        Stream.catch((failure): Spoken => {
          if (!failure.isLost) return Stream.fail(failure)
          // The rest of it was lost.
          const spoken = ReplySound.lettersIn(reply.askedMillis - begin)
          return ours(ReplySound.fromLetter(text, spoken))
        })
      )
    })

  /** Where there is another voice, it does not wait for a connection. */
  const asked = (text: string) =>
    other === undefined
      ? session.exact(text)
      : Effect.timeoutOrElse(session.exact(text), { duration: silence, orElse: silent })

  /** Read aloud, so often at most. What is wrong is not heard. */
  const read = (text: string, tries: number): Spoken =>
    Stream.unwrap(Effect.map(asked(text), (reply) => {
      const wanted = ReplySound.lettersOf(text)
      // A transcript may write a number in another way, which only the whole of it shows.
      const hasNumber = () => /\p{N}/u.test(text + reply.transcript)
      let position = 0
      let isWrong = false
      const next = Effect.gen(function*() {
        while (true) {
          const { changed } = reply
          const isPrefix = wanted.startsWith(reply.letters)
          const isRight = reply.isDone && reply.failure === undefined && ReplySound.isSaid(text, reply.transcript)
          const millis = reply.sound.millis()
          const end = isRight
            ? millis
            : isPrefix
            ? ReplySound.millisAt({ millis, isWhole: false, letters: wanted.length }, reply.letters.length)
            : position
          if (end > position) {
            const bytes = reply.sound.read(position, end)
            position = end
            return bytes
          }
          if (isRight) {
            phrases.set(text, reply.sound.read(0, millis))
            return undefined
          }
          if (reply.failure !== undefined) return yield* reply.failure
          if (reply.isDone || !isPrefix && !hasNumber()) {
            isWrong = true
            return undefined
          }
          yield* more(changed)
        }
      })
      const dropped = Effect.suspend(() => reply.isDone || reply.isDropped ? Effect.void : session.drop(reply))
      const again = Stream.suspend(() => {
        const rest = ReplySound.fromLetter(text, ReplySound.lettersIn(position))
        if (rest === "") return Stream.empty
        return tries > 1 ? read(rest, tries - 1) : Stream.fail(refused(service, "it does not say a text word for word"))
      })
      return pieces(next).pipe(
        Stream.concat(Stream.suspend(() =>
          isWrong
            ? Stream.unwrap(
              Effect.as(
                Effect.andThen(dropped, Effect.logWarning(`${service} does not say a text word for word`)),
                again
              )
            )
            : Stream.empty
        )),
        Stream.ensuring(dropped)
      )
    }))

  const exactly = (text: string): Spoken =>
    Stream.suspend(() => {
      if (ReplySound.lettersOf(text) === "") return Stream.empty
      const known = phrases.get(text)
      return known === undefined ? read(text, 2) : Stream.make(known)
    })

  /** By the other voice, where the model does not. */
  const ours = (text: string): Spoken =>
    other === undefined ? exactly(text) : Stream.catch(exactly(text), () => other.speak(text))

  const fallback = (text: string) =>
    phrases.get(text) === undefined ? Effect.ignore(Stream.runDrain(read(text, 2))) : Effect.void

  const { fallback: lastPhrase } = Phrases.phrasesOf(language)
  let hasSpoken = false
  const scope = yield* Effect.scope
  /** When the service is gone, it cannot say so. */
  const prepare = Effect.suspend(() => {
    if (hasSpoken) return Effect.void
    hasSpoken = true
    return Effect.asVoid(Effect.forkIn(fallback(lastPhrase), scope))
  })

  return {
    approve: (text) => {
      const found = ReplySound.find(session.answers(), text, "approved")
      if (found === undefined) return
      const { passage: { to }, reply } = found
      reply.approved = Math.max(reply.approved, to)
      Reply.wake(reply)
    },
    speak: (text) =>
      Stream.suspend(() => {
        const found = ReplySound.find(session.answers(), text, "asked")
        let isEnded = false
        const spoken = found === undefined ? ours(text) : passage(found.reply, text, found.passage)
        const end = Effect.sync(() => void (isEnded = true))
        return spoken.pipe(
          Stream.concat(Stream.fromEffectDrain(Effect.andThen(end, prepare))),
          Stream.ensuring(Effect.sync(() => {
            if (!isEnded && found !== undefined) found.reply.isCut = true
          })),
          Stream.mapError((error) => error._tag === "ServiceFailure" ? speechFailed(error) : error)
        )
      })
  }
})
