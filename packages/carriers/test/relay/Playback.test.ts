import { assert, describe, it } from "@effect/vitest"
import * as Playback from "../../src/relay/Playback.ts"
import { type RelayDialect, telnyx, twilio } from "../../src/relay/RelayFrames.ts"

const greeting = "Hello Grace, this is Ada from the clinic."
const question = "Does Tuesday at ten suit you?"

/** A playback, and what it has said and reported. */
const started = (dialect: RelayDialect = twilio) => {
  let playback = Playback.make(dialect)
  let wakeAt = Infinity
  const sent: Array<number> = []
  const events: Array<unknown> = []
  const input = (input: Playback.Input, now: number) => {
    const next = Playback.step(playback, input, now)
    playback = next.playback
    wakeAt = next.wakeAt
    sent.push(...next.send.map(({ id }) => id))
    events.push(...next.events)
  }
  return {
    sent,
    events,
    wakeAt: () => wakeAt,
    isSpeaking: () => Playback.isSpeaking(playback),
    speak: (id: number, text: string, now = 0) =>
      input({ _tag: "Speak", utterance: { id, text, interruptible: true } }, now),
    stop: (now: number) => input({ _tag: "Stop" }, now),
    played: (text: string, now: number) => input({ _tag: "Played", text }, now),
    interrupted: (heard: string, now: number, millis?: number) => input({ _tag: "Interrupted", heard, millis }, now),
    /** Lets time pass, as the line does. */
    until: (now: number) => {
      while (wakeAt <= now) input({ _tag: "Time" }, wakeAt)
    }
  }
}

const playedOf = (utterance: number) => ({ _tag: "Played", utterance })
const stoppedIn = (utterance: number, heard: string) => ({ _tag: "Stopped", utterance, heard })

describe("what a relay is given", () => {
  it("is the next words shortly before it needs them, and all of them", () => {
    const one = started()
    one.speak(1, greeting)
    one.speak(2, question)
    one.speak(3, "Or Friday?")
    assert.deepStrictEqual(one.sent, [1])
    // Its estimated end is at 330 + 41 * 66 = 3,036 ms.
    one.until(2_030)
    assert.deepStrictEqual(one.sent, [1])
    one.until(2_036)
    assert.deepStrictEqual(one.sent, [1, 2])
    one.until(20_000)
    assert.deepStrictEqual(one.sent, [1, 2, 3])
    assert.isFalse(one.isSpeaking())
  })

  it("follows what it reports, not the estimate", () => {
    const one = started()
    one.speak(1, greeting)
    one.speak(2, question)
    one.played("Hello Grace, this is Ada from the", 1_000)
    assert.deepStrictEqual(one.sent, [1, 2])
  })
})

describe("words that were heard", () => {
  it("are those that the relay reports, chunk by chunk, over several utterances", () => {
    const one = started()
    one.speak(1, "Hi.")
    one.speak(2, question)
    one.played("Hi.", 500)
    one.played("Does Tuesday", 1_500)
    assert.deepStrictEqual(one.events, [playedOf(1)])
    one.played(" at ten suit", 2_000)
    one.played("you?", 2_400)
    assert.deepStrictEqual(one.events, [playedOf(1), playedOf(2)])
    assert.strictEqual(one.wakeAt(), Infinity)
  })

  it("may come in one report for several utterances", () => {
    const one = started()
    one.speak(1, "Hi.")
    one.speak(2, "Grace?")
    one.played("Hi. Grace?", 900)
    assert.deepStrictEqual(one.events, [playedOf(1), playedOf(2)])
  })

  it("count by their length where the relay reports other words", () => {
    const one = started()
    one.speak(1, "It costs $5.")
    one.played("It costs", 800)
    one.played("five dollars", 1_500)
    assert.deepStrictEqual(one.events, [playedOf(1)])
  })

  it("are estimated for a relay that reports nothing, soon after their end", () => {
    const one = started(telnyx)
    one.speak(1, greeting)
    one.until(3_435)
    assert.deepStrictEqual(one.events, [])
    one.until(3_436)
    assert.deepStrictEqual(one.events, [playedOf(1)])
  })

  it("are estimated later for a relay that should have reported them", () => {
    const one = started()
    one.speak(1, greeting)
    one.until(5_535)
    assert.deepStrictEqual(one.events, [])
    one.until(5_536)
    assert.deepStrictEqual(one.events, [playedOf(1)])
  })
})

describe("an interruption", () => {
  it("is reported where the contact stopped hearing, and drops what was to follow", () => {
    const one = started()
    one.speak(1, greeting)
    one.speak(2, question)
    one.interrupted("Hello Grace, this", 1_000)
    assert.deepStrictEqual(one.events, [stoppedIn(1, "Hello Grace, this")])
    one.until(60_000)
    assert.deepStrictEqual(one.sent, [1])
    assert.isFalse(one.isSpeaking())
  })

  it("finds its words in an utterance after the first, and over several", () => {
    for (const heard of ["Does Tuesday", `${greeting} Does Tuesday`]) {
      const one = started()
      one.speak(1, greeting)
      one.speak(2, question)
      one.until(2_100)
      one.interrupted(heard, 4_000)
      assert.deepStrictEqual(one.events, [stoppedIn(2, "Does Tuesday")], heard)
    }
  })

  it("at the end of an utterance drops those after it", () => {
    const one = started()
    one.speak(1, greeting)
    one.speak(2, question)
    one.interrupted(greeting, 3_000)
    assert.deepStrictEqual(one.events, [stoppedIn(2, "")])
    const other = started()
    other.speak(1, greeting)
    other.interrupted(greeting, 3_000)
    assert.deepStrictEqual(other.events, [playedOf(1)])
  })

  it("without words that were said is placed by the words that were played", () => {
    const one = started()
    one.speak(1, greeting)
    one.played("Hello Grace,", 900)
    one.interrupted("no such words", 2_000)
    assert.deepStrictEqual(one.events, [stoppedIn(1, "Hello Grace,")])
  })

  it("without such words is placed by its duration, or by the time, in whole words", () => {
    const one = started(telnyx)
    one.speak(1, greeting)
    one.interrupted("", 5_000, 15 * 66)
    assert.deepStrictEqual(one.events, [stoppedIn(1, "Hello Grace,")])
    const other = started(telnyx)
    other.speak(1, greeting)
    other.interrupted("", 330 + 15 * 66)
    assert.deepStrictEqual(other.events, [stoppedIn(1, "Hello Grace,")])
  })

  it("of nothing is not reported", () => {
    const one = started()
    one.interrupted("Hello", 100)
    assert.deepStrictEqual(one.events, [])
  })
})

describe("a line that is told to stop", () => {
  it("says nothing that it has not begun, and waits a moment for the relay to say where it stopped", () => {
    const one = started()
    one.speak(1, greeting)
    one.speak(2, question)
    one.stop(1_000)
    assert.deepStrictEqual(one.events, [])
    one.interrupted("Hello Grace,", 1_200)
    assert.deepStrictEqual(one.events, [stoppedIn(1, "Hello Grace,")])
    one.until(60_000)
    assert.deepStrictEqual(one.sent, [1])
  })

  it("answers by itself, and says what comes then when the relay has finished", () => {
    const one = started()
    one.speak(1, greeting)
    one.played("Hello Grace,", 900)
    one.stop(1_000)
    one.speak(2, "Please call us back.", 1_001)
    one.until(1_400)
    assert.deepStrictEqual(one.events, [stoppedIn(1, "Hello Grace,")])
    one.played("this is Ada from the clinic.", 2_500)
    one.played("Please call us back.", 4_000)
    assert.deepStrictEqual(one.sent, [1, 2])
    assert.deepStrictEqual(one.events, [stoppedIn(1, "Hello Grace,"), playedOf(2)])
  })

  it("keeps words that came after the stop when the relay is interrupted", () => {
    const one = started()
    one.speak(1, greeting)
    one.stop(1_000)
    one.speak(2, question, 1_001)
    one.interrupted("Hello", 1_100)
    assert.deepStrictEqual(one.sent, [1, 2])
    assert.deepStrictEqual(one.events, [stoppedIn(1, "Hello")])
  })

  it("reports the interruption of what came then, when the relay was still saying what was stopped", () => {
    const one = started()
    one.speak(1, greeting)
    one.stop(1_000)
    one.speak(2, question, 1_001)
    one.until(2_300)
    assert.deepStrictEqual(one.sent, [1, 2])
    one.interrupted(greeting.slice(0, 20), 2_400)
    assert.deepStrictEqual(one.events, [stoppedIn(1, "Hello Grace,"), stoppedIn(2, "")])
  })

  it("has nothing to answer when it says nothing", () => {
    const one = started()
    one.stop(100)
    one.until(10_000)
    assert.deepStrictEqual(one.events, [])
  })

  it("reports the end of what was said to its end meanwhile", () => {
    const one = started()
    one.speak(1, "Hi.")
    one.stop(500)
    one.played("Hi.", 600)
    one.until(10_000)
    assert.deepStrictEqual(one.events, [playedOf(1)])
  })
})
