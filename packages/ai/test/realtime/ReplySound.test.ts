import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import * as ReplySound from "../../src/realtime/ReplySound.ts"

const replyOf = (transcript: string, { isCut = false, mark = 0 } = {}) => ({
  transcript,
  letters: ReplySound.lettersOf(transcript),
  mark,
  isCut
})

describe("the sound of a reply", () => {
  it("has its words where their share of the letters is, once it is whole", () => {
    const whole = { millis: 1_000, isWhole: true, letters: 10 }
    assert.deepStrictEqual([0, 5, 10, 12].map((letter) => ReplySound.millisAt(whole, letter)), [0, 500, 1_000, 1_000])
    // Before that, only what was certainly spoken counts.
    const growing = { ...whole, isWhole: false }
    assert.deepStrictEqual([0, 5, 20].map((letter) => ReplySound.millisAt(growing, letter)), [0, 300, 1_000])
  })

  it("is found by words in another case and punctuation, after what was there before", () => {
    const replies = [replyOf("Okay. One moment."), replyOf("Okay. It is Monday.")]
    const find = (text: string) => {
      const found = ReplySound.find(replies, text, "mark")
      return found === undefined ? undefined : [replies.indexOf(found.reply), found.passage.from, found.passage.to]
    }
    assert.deepStrictEqual(find("okay"), [0, 0, 4])
    assert.deepStrictEqual(find("IT IS MONDAY!"), [1, 4, 14])
    assert.isUndefined(find("Tuesday"))
    assert.isUndefined(find("…"))
    // What was there before is found again, as after an interruption: the latest.
    assert.deepStrictEqual(
      ReplySound.find([replyOf("Okay. So.", { mark: 6 }), replyOf("Okay. Now.", { mark: 7 })], "Okay.", "mark")
        ?.passage,
      { from: 0, to: 4 }
    )
  })

  it("is found in whole words, and in an answer that was cut only if it is in no other", () => {
    const cut = replyOf("Hello. I called you yesterday. Will you come?", { isCut: true, mark: 5 })
    const next = replyOf("Yes. Will you come?")
    const find = (text: string, ...replies: ReadonlyArray<typeof next>) => {
      const found = ReplySound.find(replies, text, "mark")
      return found === undefined ? undefined : [replies.indexOf(found.reply), found.passage.from, found.passage.to]
    }
    assert.deepStrictEqual(find("Yes.", cut, next), [1, 0, 3])
    assert.deepStrictEqual(find("Yes.", { ...cut, isCut: false }, next), [1, 0, 3])
    assert.deepStrictEqual(find("Will you come?", cut, next), [1, 3, 14])
    assert.deepStrictEqual(find("I called", cut, next), [0, 5, 12])
    assert.isUndefined(find("Yes.", cut))
    assert.isUndefined(find("day.", cut))
    assert.isUndefined(find("Yes.", replyOf("Hello. Yesterday.", { mark: 5 })))
    assert.deepStrictEqual(find("日曜日に", replyOf("日曜日に来ますか。")), [0, 0, 4])
  })

  it("goes on from the word that was cut", () => {
    assert.strictEqual(ReplySound.fromLetter("Good morning, Ada.", 6), "morning, Ada.")
    assert.strictEqual(ReplySound.fromLetter("Good morning, Ada.", 0), "Good morning, Ada.")
    assert.strictEqual(ReplySound.fromLetter("Good morning, Ada.", 14), "")
  })

  it.each([
    ["I am a machine.", "i am a machine", true],
    ["I am a machine.", "I am not a machine.", false],
    ["I am a machine.", "I am a machine. Really.", false],
    ["I am a machine.", "I am", false],
    ["I am a machine.", "", false],
    ["Check-in is at 10.", "Check in is at ten.", true],
    [
      "Call us at +1 415 555 0100, please.",
      "Call us at plus one four one five five five five zero one hundred please",
      true
    ],
    ["We call at 10 today.", "We do not call at ten today.", false],
    ["At ten o'clock.", "At 10 o'clock.", true],
    ["Calls cost 5 euros.", "Calls cost nothing at all, euros.", false],
    ["Calls cost 5 euros.", "Calls cost no euros.", false],
    ["Calls cost 5 euros.", "Calls cost five hundred and one euros.", false],
    ["This call is recorded for 90 days.", "This call is recorded for absolutely no reason, only a few days.", false],
    ["We called in 1234.", "We called in one thousand two hundred and thirty-four", true],
    ["Es dauert 25 Minuten.", "Es dauert fünfundzwanzig Minuten.", true],
    ["Cuesta 31 euros.", "Cuesta treinta y un euros.", true],
    ["Cela prend 97 jours.", "Cela prend quatre-vingt-dix-sept jours.", true],
    ["São 22 dias.", "São vinte e dois dias.", true],
    ["Grüß Gott, Zoë.", "Grüß Gott Zoë", true]
  ])("%s is said by %s: %s", (text, transcript, isSaid) => {
    assert.strictEqual(ReplySound.isSaid(text, transcript), isSaid)
  })
})
