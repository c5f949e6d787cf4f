import { assert, describe, it } from "@effect/vitest"
import type { TextToSpeech } from "@outdial/core"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as PhraseCache from "../../src/realtime/PhraseCache.ts"
import * as RealtimeVoice from "../../src/realtime/RealtimeVoice.ts"
import type { RealtimeSession } from "../../src/realtime/RealtimeSession.ts"
import * as Reply from "../../src/realtime/Reply.ts"
import { lost } from "../../src/speech/ServiceFailure.ts"

const settled = Effect.replicateEffect(Effect.yieldNow, 20)

/** Sound of so many milliseconds, each of a byte of its own until they repeat. */
const sound = (from: number, to: number) =>
  Uint8Array.from({ length: (to - from) * 8 }, (_, index) => Math.floor(from + index / 8) % 256)

/** A voice over one answer of the model, of 6 and 9 letters, and over what it reads aloud. */
const speakingWith = Effect.fnUntraced(function*(other: TextToSpeech.Voice | undefined) {
  const answer = yield* Reply.make({ format: "mulaw", kind: "answer", number: 1 })
  answer.isWanted = true
  const read: Array<{ readonly text: string; readonly reply: Reply.Reply }> = []
  const dropped: Array<number> = []
  const session: Pick<RealtimeSession, "answers" | "drop" | "exact"> = {
    answers: () => [answer],
    drop: (reply) =>
      Effect.sync(() => {
        reply.isDropped = true
        dropped.push(reply.number)
      }),
    exact: (text) =>
      Effect.map(Reply.make({ format: "mulaw", kind: "exact", number: read.length + 2 }), (reply) => {
        read.push({ text, reply })
        return reply
      })
  }
  const phrases = PhraseCache.make()("ada", (text) => text === "One moment, please.")
  const voice = yield* RealtimeVoice.make({ session, phrases, language: "en", other })
  /** What is heard of the text as it comes. */
  const speak = Effect.fnUntraced(function*(text: string) {
    let heard = new Uint8Array(0)
    const fiber = yield* Effect.forkChild(Stream.runForEach(voice.speak(text), (piece) =>
      Effect.sync(() => {
        heard = Uint8Array.from([...heard, ...piece])
      })))
    yield* settled
    return { fiber, heard: () => heard, millis: () => heard.length / 8 }
  })
  const comes = (reply: Reply.Reply, words: string, from: number, to: number) => {
    Reply.addWords(reply, words)
    reply.sound.push(sound(from, to))
    Reply.wake(reply)
    return settled
  }
  return { answer, approve: voice.approve, comes, dropped, read, speak }
})

const speaking = speakingWith(undefined)

describe("the voice of a realtime session", () => {
  it.effect("plays no more of an answer than was let pass, and nothing is missing between two sentences", () =>
    Effect.gen(function*() {
      const { answer, approve, comes, speak } = yield* speaking
      // A slow speaker: 160 ms for each letter.
      yield* comes(answer, "One two. Three four.", 0, 1_200)
      approve("One two.")
      const first = yield* speak("One two.")
      assert.strictEqual(first.millis(), 6 * 60)
      approve("Three four.")
      yield* Fiber.join(first.fiber)
      assert.isAtMost(first.millis(), 6 * 160)
      const second = yield* speak("Three four.")
      yield* comes(answer, "", 1_200, 2_400)
      assert.isBelow(first.millis() + second.millis(), 2_400)
      Reply.end(answer)
      yield* Fiber.join(second.fiber)
      assert.deepStrictEqual(Uint8Array.from([...first.heard(), ...second.heard()]), sound(0, 2_400))
    }))

  it.effect("ends with the sentence, where the next one was not let pass", () =>
    Effect.gen(function*() {
      const { answer, approve, comes, speak } = yield* speaking
      yield* comes(answer, "One two. Three four.", 0, 1_500)
      Reply.end(answer)
      approve("One two.")
      const { fiber, heard } = yield* speak("One two.")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(heard(), sound(0, 600))
    }))

  it.effect("reads the rest aloud when an answer is lost", () =>
    Effect.gen(function*() {
      const { answer, approve, comes, read, speak } = yield* speaking
      yield* comes(answer, "One two. Three four.", 0, 300)
      approve("One two.")
      approve("Three four.")
      const { fiber, millis } = yield* speak("Three four.")
      Reply.end(answer, lost("The service", "it is gone"))
      yield* settled
      assert.deepStrictEqual([read.map(({ text }) => text), millis()], [["Three four."], 0])
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("leaves what a silent model does not say to the other voice", () =>
    Effect.gen(function*() {
      const said: Array<string> = []
      const other: TextToSpeech.Voice = {
        speak: (text) => {
          said.push(text)
          return Stream.make(sound(0, 20))
        }
      }
      const { answer, approve, comes, dropped, read, speak } = yield* speakingWith(other)
      const ours = yield* speak("I am a machine.")
      yield* TestClock.adjust("1900 millis")
      assert.deepStrictEqual([dropped, said], [[], []])
      yield* TestClock.adjust("100 millis")
      yield* Fiber.join(ours.fiber)
      assert.deepStrictEqual([dropped, said], [[2], ["I am a machine."]])

      yield* comes(answer, "One two.", 0, 100)
      approve("One two.")
      const its = yield* speak("One two.")
      yield* TestClock.adjust("2 seconds")
      yield* settled
      assert.strictEqual(read.at(-1)?.text, "One two.")
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(its.fiber)
      assert.deepStrictEqual(said, ["I am a machine.", "One two."])
    }))

  it.effect("lets nothing be heard of a text that is read aloud wrongly, and drops it", () =>
    Effect.gen(function*() {
      const { comes, dropped, read, speak } = yield* speaking
      const { fiber, millis } = yield* speak("I am a machine.")
      const [first] = read
      if (first === undefined) return assert.fail("It was not read")
      yield* comes(first.reply, "I", 0, 200)
      // Of a letter, as much as it takes at least.
      assert.strictEqual(millis(), 60)
      yield* comes(first.reply, " will not say that.", 200, 2_000)
      assert.strictEqual(millis(), 60)
      assert.deepStrictEqual([dropped, read.map(({ text }) => text)], [[2], ["I am a machine.", "I am a machine."]])
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("has fixed phrases read aloud once, and remembers their sound", () =>
    Effect.gen(function*() {
      const { comes, read, speak } = yield* speaking
      const first = yield* speak("One moment, please.")
      const [{ reply } = assert.fail("It was not read")] = read
      yield* comes(reply, "One moment please", 0, 1_400)
      Reply.end(reply)
      yield* Fiber.join(first.fiber)
      const reads = read.length
      const second = yield* speak("One moment, please.")
      yield* Fiber.join(second.fiber)
      assert.deepStrictEqual([second.heard(), read.filter(({ text }) => text === "One moment, please.").length], [
        sound(0, 1_400),
        1
      ])
      assert.isAtMost(read.length, reads + 1)
    }))
})
