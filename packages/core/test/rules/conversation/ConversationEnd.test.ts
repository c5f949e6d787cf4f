import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import {
  answered,
  closes,
  digits,
  ends,
  fails,
  hears,
  hearsPartly,
  isDone,
  isStopped,
  lineFails,
  linesOf,
  machine,
  notes,
  plays,
  presses,
  run,
  says,
  settings,
  speechStarts,
  stops
} from "../../support/Dialogue.ts"

const { fallback, goodbye, prompt } = settings.phrases
const thanks = `${goodbye} (to the end)`

describe("the end", () => {
  it("waits until the last words were heard", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says("Wrong number."), says("Goodbye."), ends], [900, plays()], [1700, plays()]]),
      [
        "0 ask Opening",
        "0 speak Wrong number.",
        "0 speak Goodbye.",
        "0 interrupt the agent",
        "900 agent: Wrong number.",
        "1700 agent: Goodbye.",
        "1700 over: agent_ended",
        "1700 hang up"
      ]
    )
  })

  it("comes at once from an agent that says nothing", () => {
    assert.deepStrictEqual(linesOf([[0, answered, ends]]).slice(2), ["0 over: agent_ended", "0 hang up"])
  })

  it("comes once from an agent that ends twice and goes on", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says("Goodbye."), ends, ends, says("More.")], [800, plays(), ends, says("More.")]]).slice(
        3
      ),
      ["800 agent: Goodbye.", "800 over: agent_ended", "800 hang up"]
    )
  })

  it("comes with the fallback when the line cannot hear or speak any more, once", () => {
    const { entries, lines } = run([
      [0, answered, says("Hello."), isDone],
      [400, lineFails, lineFails],
      [500, plays()],
      [600, lineFails, stops("")]
    ])
    assert.deepStrictEqual(lines.slice(2), [
      "400 failed: no speech",
      `400 speak ${fallback} (to the end)`,
      "500 agent: Hello.",
      "600 over: agent_failed",
      "600 hang up"
    ])
    assert.deepStrictEqual(entries[0], { _tag: "Failed", at: 400, cause: "no speech" })
  })

  it("is taken back by a contact who has something else to say", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, says("Goodbye."), ends],
        [300, hears("Wait, what about Monday?")],
        [400, stops("Good")],
        [900, says("Monday is fine."), isDone],
        [2000, plays()]
      ]).slice(-3),
      ["400 ask \"Wait, what about Monday?\"", "900 speak Monday is fine.", "2000 agent: Monday is fine."]
    )
  })

  it("is not taken back by a goodbye", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says("Goodbye."), ends], [300, hears("Okay, bye!")], [800, plays()]]).slice(3),
      ["300 contact: Okay, bye!", "800 agent: Goodbye.", "800 over: agent_ended", "800 hang up"]
    )
  })

  const lastWords = [0, answered, says("Goodbye.", false), ends] as const

  it("waits for a contact who is in the middle of a sentence, which counts", () => {
    const sentence = [[1000, hearsPartly("Please never")], [1200, plays()], [
      2500,
      hears("Please never call me again.")
    ]] as const
    assert.deepStrictEqual(
      linesOf([[0, answered, fails("broken")], ...sentence], { until: 10_000 }).slice(3),
      [
        `1200 agent: ${fallback}`,
        "2500 contact: Please never call me again.",
        "2500 opt out",
        "2500 note OptOut",
        "2500 over: agent_failed",
        "2500 hang up"
      ]
    )
    const taken = linesOf([lastWords, ...sentence], { until: 3000 })
    assert.deepStrictEqual(taken.slice(-3), [
      "2500 opt out",
      "2500 note OptOut",
      "2500 ask \"Please never call me again.\""
    ])
  })

  it.each(
    [["in the last words", [0, answered, fails("broken")], "agent_failed"], [
      "in the agent's goodbye",
      lastWords,
      "agent_ended"
    ]] as const
  )("waits at most 3 s for words that do not become final, %s", (_, beginning, reason) => {
    const lines = linesOf(
      [beginning, [1000, hearsPartly("Well")], [1200, plays()], [4100, hearsPartly("Well, well")]],
      {
        until: 10_000
      }
    )
    assert.deepStrictEqual(lines.slice(-2), [`4200 over: ${reason}`, "4200 hang up"])
  })

  it("waits for no words that the line takes back, and none of a machine", () => {
    assert.strictEqual(
      linesOf([lastWords, [1000, hearsPartly("Well")], [1200, plays()], [1300, hears("")]]).at(-2),
      "1300 over: agent_ended"
    )
    assert.strictEqual(
      linesOf([[0, answered], [100, hearsPartly("You have reached"), machine("voicemail")]]).at(-2),
      "100 over: voicemail"
    )
  })

  it("comes at the cut-off also when the contact is speaking", () => {
    const lines = linesOf([[0, answered, isDone], [88_000, hearsPartly("Well")], [88_500, plays()]], {
      settings: { maxDuration: 30_000, silence: 90_000 },
      until: 100_000
    })
    assert.isAtMost(Number.parseInt(lines.at(-1) ?? "", 10), 90_000)
  })

  it("leaves out words of which the line has reported nothing", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says("Hello."), isDone], [300, closes]]).slice(2),
      ["300 stop speaking", "300 over: contact_hung_up", "300 hang up"]
    )
  })

  it("is followed by nothing, whatever happens", () => {
    const late = [
      answered,
      hears("Hello?"),
      speechStarts,
      plays(),
      stops(""),
      digits("1"),
      machine("voicemail"),
      closes,
      says("No."),
      ends,
      isDone
    ]
    assert.deepStrictEqual(
      linesOf([[0, answered], [10, closes], [20, ...late.slice(1), fails("late"), isStopped("shutdown")]], {
        until: 1e9
      }),
      ["0 ask Opening", "10 interrupt the agent", "10 over: contact_hung_up", "10 hang up"]
    )
  })
})

describe("requests to stop", () => {
  it.each([["hang_up_requested", goodbye], ["shutdown", fallback]] as const)(
    "say goodbye first: %s",
    (reason, words) => {
      assert.deepStrictEqual(
        linesOf([
          [0, answered, says("Hello Grace.")],
          [500, isStopped(reason)],
          [600, stops("Hello")],
          [900, isStopped("shutdown")],
          [2500, plays()]
        ]).slice(2),
        [
          "500 interrupt the agent",
          "500 stop speaking",
          `500 speak ${words} (to the end)`,
          "600 agent: Hello –",
          `2500 agent: ${words}`,
          `2500 over: ${reason}`,
          "2500 hang up"
        ]
      )
    }
  )

  it("are content with the agent's own goodbye", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says("Goodbye."), ends], [500, isStopped("shutdown")], [800, plays()]]).slice(3),
      ["800 agent: Goodbye.", "800 over: shutdown", "800 hang up"]
    )
  })
})

describe("an opt-out", () => {
  it("is executed at once, and the call ends after the answer", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, says("Hello."), isDone],
        [900, plays()],
        [1000, hears("I want my peace.")],
        [1100, notes({ _tag: "OptOut" })],
        [1200, notes({ _tag: "OptOut" }), says("I understand."), isDone],
        [2000, plays()]
      ]).slice(-7),
      [
        "1000 ask \"I want my peace.\"",
        "1100 opt out",
        "1100 note OptOut",
        "1200 speak I understand.",
        "2000 agent: I understand.",
        "2000 over: opt_out",
        "2000 hang up"
      ]
    )
  })

  it("in well-known words is executed whatever the agent makes of it", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, says("Hello."), isDone],
        [900, plays()],
        [1000, hears("Stop calling me. No, wait, I was joking, keep my number.")],
        [1200, says("Then let us go on. Does Tuesday suit you?"), isDone],
        [4000, plays()]
      ]).slice(-8),
      [
        "1000 contact: Stop calling me. No, wait, I was joking, keep my number.",
        "1000 opt out",
        "1000 note OptOut",
        "1000 ask \"Stop calling me. No, wait, I was joking, keep my number.\"",
        "1200 speak Then let us go on. Does Tuesday suit you?",
        "4000 agent: Then let us go on. Does Tuesday suit you?",
        "4000 over: opt_out",
        "4000 hang up"
      ]
    )
  })

  it("in the middle of last words is executed, too", () => {
    const lines = linesOf([[0, answered, says("Goodbye."), ends], [500, hears("Never call me again.")], [900, plays()]])
    assert.include(lines, "500 opt out")
  })

  it("ends with a goodbye when the agent fails or says nothing", () => {
    for (const happening of [fails("no model"), isDone, ends]) {
      assert.deepStrictEqual(
        linesOf([[0, answered, notes({ _tag: "OptOut" }), happening], [900, plays()]])
          .filter((line) => !line.includes("failed") && !line.includes("interrupt")).slice(-4),
        [`0 speak ${thanks}`, `900 agent: ${goodbye}`, "900 over: opt_out", "900 hang up"]
      )
    }
  })

  it("is the reason when the contact hangs up first", () => {
    assert.include(linesOf([[0, answered, notes({ _tag: "OptOut" })], [50, closes]]), "50 over: opt_out")
  })
})

describe("limits", () => {
  it("cut a monologue after 1,500 characters, at a word", () => {
    const { lines } = run([[0, answered, says("word ".repeat(20_000)), says("More."), says("More.")]])
    assert.deepStrictEqual(lines, [
      "0 ask Opening",
      `0 speak ${"word ".repeat(300).trim()}`,
      "0 warn: The agent's answer is longer than 1500 characters or 200 parts, and was cut",
      "0 interrupt the agent"
    ])
  })

  it("cut an agent that answers for ever, with words or without", () => {
    const sentence = "Thirty characters are in this."
    const words = linesOf([[0, answered, ...Array.from({ length: 1000 }, () => says(sentence))]])
    assert.strictEqual(words.filter((line) => line.includes("speak")).length, 50)
    const pressed = linesOf([[0, answered, ...Array.from({ length: 1000 }, () => presses("1"))]])
    assert.strictEqual(pressed.filter((line) => line.includes("press")).length, 64)
    const long = linesOf([[0, answered, presses("1".repeat(50)), presses("2".repeat(50)), isDone], [
      1000,
      hears("Again."),
      presses("3".repeat(64))
    ]])
    assert.deepStrictEqual(
      long.filter((line) => line.includes(" press ")),
      [`0 press ${"1".repeat(50)}`, `0 press ${"2".repeat(14)}`, `1000 press ${"3".repeat(64)}`]
    )
  })

  it("end a call that lasts too long, with a goodbye", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says("Hello."), isDone], [900, plays()], [29_000, hears("Well."), says("Yes, Grace.")]], {
        settings: { maxDuration: 30_000, silence: 60_000 },
        until: 60_000
      }).slice(-6),
      [
        "30000 interrupt the agent",
        "30000 stop speaking",
        `30000 speak ${thanks}`,
        `38950 agent: ${goodbye}`,
        "38950 over: max_duration",
        "38950 hang up"
      ]
    )
  })

  it("ask a silent contact once whether they are there, then end", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says("Hello."), isDone], [900, plays()], [12_000, plays()], [24_000, plays()]]).slice(3),
      [
        `10900 speak ${prompt}`,
        `12000 agent: ${prompt}`,
        `22000 speak ${thanks}`,
        `24000 agent: ${goodbye}`,
        "24000 over: contact_silent",
        "24000 hang up"
      ]
    )
  })

  it.each([["words", hears("I am here."), "\"I am here.\""], ["digits", digits("1"), "digits 1"]] as const)(
    "ask again after %s",
    (_, happening, asked) => {
      assert.deepStrictEqual(
        linesOf([[0, answered, isDone], [10_000, plays()], [11_000, happening, isDone]], { until: 21_000 }).slice(-2),
        [`11000 ask ${asked}`, `21000 speak ${prompt}`]
      )
    }
  )

  it("do not count a contact who is speaking as silent", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, isDone], [9000, hearsPartly("well")], [18_000, hearsPartly("well let me")]]).slice(1),
      []
    )
  })
})

describe("machines", () => {
  it("get the message when it is a voicemail box, after the disclosure", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says("Hello.")], [500, machine("voicemail")], [600, stops("")], [4000, plays()], [
        4900,
        plays()
      ]], {
        settings: { voicemailMessage: "Please call us.", disclosure: "This is an automated call." }
      }).slice(3),
      [
        "500 machine: voicemail",
        "500 interrupt the agent",
        "500 stop speaking",
        "500 speak This is an automated call. (to the end)",
        "500 speak Please call us. (to the end)",
        "4000 agent: This is an automated call.",
        "4900 agent: Please call us.",
        "4900 over: voicemail",
        "4900 hang up"
      ]
    )
  })

  it.each([["voicemail", "voicemail"], ["fax", "machine"]] as const)(
    "are hung up on: %s without a message",
    (kind, reason) => {
      assert.deepStrictEqual(
        linesOf([[0, answered, says("Hello."), isDone], [500, machine(kind)], [600, stops("Hel")]]).slice(2),
        [`500 machine: ${kind}`, "500 stop speaking", "600 agent: Hel –", `600 over: ${reason}`, "600 hang up"]
      )
    }
  )

  it("are on record also while the last words are said, because the status depends on it", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, isDone],
        [500, hears("You have reached Grace."), fails("broken")],
        [900, machine("voicemail")],
        [4000, plays()]
      ]).slice(-5),
      [
        `500 speak ${fallback} (to the end)`,
        "900 machine: voicemail",
        `4000 agent: ${fallback}`,
        "4000 over: agent_failed",
        "4000 hang up"
      ]
    )
  })

  it("count once, however often a line repeats its verdict", () => {
    const again = Array.from({ length: 1000 }, () => machine("ivr"))
    assert.deepStrictEqual(
      linesOf([[0, answered, isDone], [500, ...again], [600, isDone, ...again, machine("fax"), machine("fax")]]),
      ["0 ask Opening", "500 machine: ivr", "500 ask ivr", "600 machine: fax", "600 over: machine", "600 hang up"]
    )
  })

  it("are left to the agent when they have a menu, and digits go both ways", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, says("Hello.")],
        [500, machine("ivr")],
        [600, stops("Hello."), presses("1w2#"), isDone],
        [2000, digits("4")],
        [2100, digits("2")]
      ]).slice(2),
      [
        "500 machine: ivr",
        "500 interrupt the agent",
        "500 stop speaking",
        "500 ask ivr",
        "600 agent: Hello.",
        "600 press 1w2#",
        "2000 contact: 4",
        "2000 ask digits 4",
        "2100 contact: 2",
        "2100 interrupt the agent",
        "2100 ask digits 42"
      ]
    )
  })
})
