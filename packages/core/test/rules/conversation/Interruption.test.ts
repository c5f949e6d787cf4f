import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import {
  answered,
  ends,
  hears,
  hearsPartly,
  isDone,
  linesOf,
  plays,
  says,
  speechStarts,
  stops
} from "../../support/Dialogue.ts"

const opening = "Hello Grace. This is Ada about your visit."

describe("interruption", () => {
  it("stops the agent, cuts its turn where the contact stopped hearing it, and has the words answered", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, says(opening), isDone],
        [1000, hearsPartly("wait a")],
        [1100, stops("Hello Grace. This is")],
        [1500, hears("Wait a moment.")],
        [1600, says("Of course."), isDone],
        [2600, plays()]
      ]),
      [
        "0 ask Opening",
        `0 speak ${opening}`,
        "1000 stop speaking",
        "1100 agent: Hello Grace. This is –",
        "1500 contact: Wait a moment.",
        "1500 ask \"Wait a moment.\"",
        "1600 speak Of course.",
        "2600 agent: Of course."
      ]
    )
  })

  it("asks the agent only when the line has stopped, so that the agent knows what was heard", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says(opening), isDone], [1000, hears("Wait.")], [1100, stops("Hello")]]).slice(2),
      ["1000 contact: Wait.", "1000 stop speaking", "1100 agent: Hello –", "1100 ask \"Wait.\""]
    )
  })

  it("repeats the sentence that was cut when the contact says nothing for 2 s, and goes on", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, says(opening), says("Is now a good time?")],
        [1000, speechStarts],
        [1100, stops("Hello Grace. This is")],
        [1200, says("It takes a minute."), isDone]
      ], { until: 3000 }).slice(3),
      [
        "1000 stop speaking",
        "1100 agent: Hello Grace. This is –",
        "3000 speak This is Ada about your visit.",
        "3000 speak Is now a good time?",
        "3000 speak It takes a minute."
      ]
    )
  })

  it("ends after the repeated sentence when the agent had ended", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, says("Goodbye, Grace."), ends],
        [500, speechStarts],
        [600, stops("Good")],
        [4000, plays()]
      ]).slice(-4),
      ["2500 speak Goodbye, Grace.", "4000 agent: Goodbye, Grace.", "4000 over: agent_ended", "4000 hang up"]
    )
  })

  it("repeats nothing that was heard to its end before the line stopped", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says("Hello."), isDone], [1000, speechStarts], [1010, plays()]], { until: 9000 }).slice(2),
      ["1000 stop speaking", "1010 agent: Hello."]
    )
  })

  it("goes on where a line stopped by itself", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says(opening), isDone], [1000, stops("Hello Gr")]], { until: 3000 }).slice(2),
      ["1000 agent: Hello Gr –", `3000 speak ${opening}`]
    )
  })

  it("counts nothing as heard when the line does not stop within 1 s", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says(opening), isDone], [1000, hears("Wait.")]], { until: 2000 }).slice(3),
      ["1000 stop speaking", "2000 ask \"Wait.\""]
    )
  })

  it("counts words that the utterance does not begin with as nothing heard", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says(opening), isDone], [1000, hears("Wait.")], [1100, stops("You have won")]]).slice(3),
      ["1000 stop speaking", "1100 ask \"Wait.\""]
    )
  })

  it("recognizes the words heard when the line has changed their case and punctuation", () => {
    assert.include(
      linesOf([[0, answered, says(opening), isDone], [1000, hears("Wait.")], [1100, stops("hello grace this")]]),
      "1100 agent: Hello Grace. This –"
    )
  })

  it("drops what the agent goes on to say to an earlier question", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, says("First."), isDone],
        [900, plays()],
        [1000, hears("Who is this?")],
        [1100, says("This is Ada."), says("Shall we begin?")],
        [1500, hears("Speak up please.")],
        [1600, stops("This is Ada.", 4)]
      ]).slice(-6),
      [
        "1100 speak Shall we begin?",
        "1500 contact: Speak up please.",
        "1500 interrupt the agent",
        "1500 stop speaking",
        "1600 agent: This is Ada.",
        "1600 ask \"Speak up please.\""
      ]
    )
  })

  it("asks once about words that come while the agent thinks", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, says("Yes?"), isDone],
        [900, plays()],
        [1000, hears("I would like")],
        [1400, hears("to come on Monday.")]
      ]).slice(-4),
      [
        "1000 ask \"I would like\"",
        "1400 contact: to come on Monday.",
        "1400 interrupt the agent",
        "1400 ask \"I would like to come on Monday.\""
      ]
    )
  })

  it("waits with the answer while the contact goes on speaking", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, says("Yes?"), isDone],
        [900, plays()],
        [1000, hears("I would like")],
        [1100, hearsPartly("to co")],
        [1200, says("What would you like?")],
        [1900, hears("to come on Monday.")]
      ]).slice(-4),
      [
        "1000 ask \"I would like\"",
        "1900 contact: to come on Monday.",
        "1900 interrupt the agent",
        "1900 ask \"to come on Monday.\""
      ]
    )
  })

  it("is not interrupted by noise for ever", () => {
    const noise = Array.from({ length: 8 }, (_, index) => {
      const at = 1000 + index * 4000
      return [[at, speechStarts], [at + 100, stops("")]] as const
    }).flat()
    const lines = linesOf([[0, answered, says("Hello Grace."), isDone], ...noise])
    assert.strictEqual(lines.filter((line) => line.endsWith("stop speaking")).length, 3)
  })

  it("does not interrupt an agent that may not be interrupted, and has the words answered after it", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, says("One.")],
        [500, speechStarts],
        [600, hears("Wait, please.")],
        [800, says("Two.")],
        [1000, plays()],
        [1400, isDone],
        [2000, plays()]
      ], { settings: { interruptible: false } }).slice(2),
      [
        "600 contact: Wait, please.",
        "800 speak Two. (to the end)",
        "1000 agent: One.",
        "2000 agent: Two.",
        "2000 ask \"Wait, please.\""
      ]
    )
  })
})

describe("attention", () => {
  it("does not interrupt where the line reports words", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, says(opening), isDone],
        [900, hearsPartly("mhm")],
        [1000, hears("Mhm, okay.")],
        [3000, plays()]
      ]).slice(2),
      ["1000 contact: Mhm, okay.", `3000 agent: ${opening}`]
    )
  })

  it("lets the agent go on at once where the line had to stop for it", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, says(opening), isDone],
        [900, speechStarts],
        [1000, stops("Hello Grace.")],
        [1100, hears("Yes.")]
      ]).slice(2),
      [
        "900 stop speaking",
        "1000 agent: Hello Grace. –",
        "1100 contact: Yes.",
        "1100 speak This is Ada about your visit."
      ]
    )
  })

  it("is an answer when the agent is silent", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says("Is now a good time?"), isDone], [1500, plays()], [2000, hears("Yes.")]]).slice(-1),
      ["2000 ask \"Yes.\""]
    )
  })

  it("is an answer to the question that the agent is about to finish, and does not cut it", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says("Is now a good time?"), isDone], [1400, hears("Yes.")], [1500, plays()]]).slice(2),
      ["1400 contact: Yes.", "1500 agent: Is now a good time?", "1500 ask \"Yes.\""]
    )
  })

  it("is the beginning of an answer when more words follow", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, says(opening), isDone],
        [900, hearsPartly("yes")],
        [1000, hearsPartly("yes but not")],
        [1100, stops("Hello")],
        [1500, hears("Yes, but not today.")]
      ]).slice(2),
      [
        "1000 stop speaking",
        "1100 agent: Hello –",
        "1500 contact: Yes, but not today.",
        "1500 ask \"Yes, but not today.\""
      ]
    )
  })
})
