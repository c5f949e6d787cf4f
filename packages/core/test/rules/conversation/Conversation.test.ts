import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { describe } from "vitest"
import { Entry } from "../../../src/domain/Conversation.ts"
import * as Conversation from "../../../src/rules/conversation/Conversation.ts"
import {
  answered,
  answeredBy,
  digits,
  hears,
  hearsPartly,
  isDone,
  linesOf,
  machine,
  plays,
  run,
  says,
  settings,
  speechStarts,
  stops
} from "../../support/Dialogue.ts"

const disclosure = "This is an automated call."

const turn = (speaker: "agent" | "contact", text: string, at = 0) =>
  ({ _tag: "Turn", speaker, text, at, endedAt: at }) as const

describe("a turn of the contact", () => {
  const contactTurns = (script: Parameters<typeof run>[0]) =>
    run(script).entries.filter((entry) => entry._tag === "Turn" && entry.speaker === "contact")

  it("lasts from its first partial words to the final ones", () => {
    assert.deepStrictEqual(
      contactTurns([
        [0, answered, isDone],
        [500, hearsPartly("Hello")],
        [900, hearsPartly("Hello, this is")],
        [1400, hears("Hello, this is Grace.")],
        [3000, hears("Who is there?")]
      ]),
      [{ ...turn("contact", "Hello, this is Grace.", 500), endedAt: 1400 }, turn("contact", "Who is there?", 3000)]
    )
  })

  it("does not begin with words that the line took back", () => {
    assert.deepStrictEqual(
      contactTurns([[0, answered, isDone], [500, hearsPartly("Hm")], [800, hears("")], [3000, hears("Who is there?")]]),
      [turn("contact", "Who is there?", 3000)]
    )
  })
})

describe("the disclosure", () => {
  it("is spoken first, cannot be interrupted, and is followed by an answer to what was said meanwhile", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, says("Hello Grace."), isDone],
        [500, speechStarts],
        [700, hears("Hello?")],
        [900, hears("Who is there?")],
        [2000, plays()],
        [2100, stops("")]
      ], { settings: { disclosure } }),
      [
        `0 speak ${disclosure} (to the end)`,
        "0 ask Opening",
        "0 speak Hello Grace.",
        "700 contact: Hello?",
        "900 contact: Who is there?",
        `2000 agent: ${disclosure}`,
        "2000 stop speaking",
        "2100 ask \"Hello? Who is there?\""
      ]
    )
  })

  it("is repeated from the sentence in which a line stopped it, whatever the contact says", () => {
    assert.deepStrictEqual(
      linesOf([
        [0, answered, says("Hello."), isDone],
        [500, stops("This is an auto")],
        [600, hears("Hello?")],
        [4000, plays()],
        [4100, stops("")]
      ], { settings: { disclosure } }).slice(3),
      [
        "500 agent: This is an auto –",
        "600 contact: Hello?",
        `2500 speak ${disclosure} (to the end)`,
        "2500 speak Hello.",
        `4000 agent: ${disclosure}`,
        "4000 stop speaking",
        "4100 ask \"Hello?\""
      ]
    )
  })

  it("is said to its end when a machine with a menu answers", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered], [500, machine("ivr")], [3000, plays()]], { settings: { disclosure } }).slice(2),
      ["500 machine: ivr", "500 interrupt the agent", "500 ask ivr", `3000 agent: ${disclosure}`]
    )
  })
})

describe("a line that reports nothing", () => {
  it("has spoken after the time that a slow voice needs", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, isDone], [500, hears("Hello?"), isDone]], { settings: { disclosure }, until: 8000 }).slice(
        -2
      ),
      [`6900 agent: ${disclosure}`, "6900 ask \"Hello?\""]
    )
  })

  it("is hung up on when the last words are over at the latest", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, says("Goodbye."), isDone]], { until: 1e6 }).slice(-2),
      ["38150 over: contact_silent", "38150 hang up"]
    )
  })
})

describe("a line that reports speech", () => {
  it("has not spoken what it does not report, and the call ends", () => {
    assert.deepStrictEqual(
      linesOf([[0, answered, isDone]], {
        settings: { disclosure: "I am a machine.", reportsSpeech: true },
        until: 1e6
      }).slice(2).filter((line) => !line.includes("warn")),
      [
        "47500 stop speaking",
        "47500 failed: The line did not report its speech in time",
        `47500 speak ${settings.phrases.fallback} (to the end)`,
        "125000 stop speaking",
        "126000 over: agent_failed",
        "126000 hang up"
      ]
    )
  })
})

describe("garbage from the line", () => {
  it.each([
    ["unknown utterances", [plays(99), plays(-1), plays(Number.NaN), stops("Hello", 99)]],
    ["the same utterance twice", [plays(2), plays(2), stops("Hello.", 2)]],
    ["empty words", [hears(""), hears("  "), hears("…"), hearsPartly(""), hearsPartly("?!")]],
    ["no digits", [digits(""), digits("xyz")]]
  ])("changes nothing: %s", (_, garbage) => {
    const clean = run([[0, answered, says("Hello."), isDone], [500, plays()]], { until: 1e6 })
    const other = run([[0, answered, says("Hello."), isDone], [500, plays(), ...garbage]], { until: 1e6 })
    assert.deepStrictEqual(other.lines, clean.lines)
  })

  it("takes a thousand turns at one instant", () => {
    const { entries, lines } = run([[0, answered], [
      100,
      ...Array.from({ length: 1000 }, (_, index) => hears(`Turn ${index}`))
    ]])
    assert.strictEqual(entries.length, 1000)
    const asked = lines.findLast((line) => line.includes("ask")) ?? ""
    assert.isTrue(asked.endsWith("Turn 998 Turn 999\""))
    assert.isBelow(asked.length, 4100)
  })

  it("splits a turn that is longer than an entry may be", () => {
    const { entries } = run([[0, answered], [100, hears("word ".repeat(100_000))]])
    for (const entry of entries) Schema.decodeUnknownSync(Entry)(entry)
    assert.strictEqual(entries.length, 3)
  })

  it("does not turn back the time", () => {
    const { entries } = run([[0, answered], [5000, hears("One.")], [3000, hears("Two.")]])
    assert.deepStrictEqual(entries.flatMap((entry) => entry._tag === "Turn" ? [entry.endedAt] : []), [5000, 5000])
  })
})

describe("a conversation that another process continues", () => {
  const resumed = (entries: ReadonlyArray<Entry>, change: Partial<Conversation.Settings> = {}) =>
    linesOf([[60_000, answered]], { from: Conversation.resume({ ...settings, ...change }, entries, 60_000) })

  it("begins when nothing was said", () => {
    assert.deepStrictEqual(resumed([], { disclosure }), [`60000 speak ${disclosure} (to the end)`, "60000 ask Opening"])
  })

  it("answers all that the contact said since the agent's last words", () => {
    assert.deepStrictEqual(
      resumed([turn("agent", "Hello."), turn("contact", "Well,"), turn("contact", "not today.")]),
      ["60000 ask \"Well, not today.\""]
    )
  })

  it("takes no words of a tool, heard in whole or in part, for an answer", () => {
    const asked = turn("contact", "Tuesday, please.")
    const fillers = ["I look it up.", "I book it."]
    const openings = [
      [asked, turn("agent", "I book it.")],
      [asked, { ...turn("agent", "I look"), interrupted: true } as const],
      [asked, turn("agent", "I look")],
      [asked, turn("agent", "I book it."), turn("agent", "It is booked.")]
    ].map((entries) => resumed([turn("agent", "Hello."), ...entries], { fillers }))
    const isAsked = ["60000 ask \"Tuesday, please.\""]
    const isAnswered = ["60000 ask Resumed"]
    assert.deepStrictEqual(openings, [isAsked, isAsked, isAnswered, isAnswered])
  })

  const meanwhile: ReadonlyArray<
    readonly [string, Parameters<typeof run>[0], Partial<Conversation.Settings>, ReadonlyArray<string>]
  > = [
    [
      "during the disclosure",
      [[0, answered, says("Hello Grace."), isDone], [700, hears("Who is there?")], [2000, plays()], [2100, stops("")]],
      { disclosure },
      ["Opening", "\"Who is there?\"", "\"Who is there?\""]
    ],
    [
      "that interrupts",
      [[0, answered, says("Hello Grace. Is now a good time?"), isDone], [500, hears("Who is there?")], [
        600,
        stops("Hello Grace.")
      ]],
      {},
      ["Opening", "\"Who is there?\"", "\"Who is there?\""]
    ],
    [
      "before the end of a question",
      [[0, answered, says("Hello."), says("Is now a good time?"), isDone], [500, plays()], [900, hears("Yes.")], [
        1000,
        plays()
      ]],
      {},
      ["Opening", "Resumed", "\"Yes.\"", "\"Yes.\""]
    ],
    [
      "while the agent may not be interrupted, in several utterances",
      [
        [0, answered, says("Hello."), says("I have a question."), isDone],
        [300, hears("Who is there?")],
        [500, plays()],
        [
          1000,
          plays()
        ]
      ],
      { interruptible: false },
      ["Opening", "\"Who is there?\"", "\"Who is there?\"", "\"Who is there?\""]
    ],
    [
      "before a filler",
      [[0, answered, says("Hello."), isDone], [500, plays()], [1000, hears("Who is there?")], [4000, plays()], [
        5000,
        says("Ada."),
        isDone
      ], [6000, plays()]],
      {},
      ["Opening", "Resumed", "\"Who is there?\"", "\"Who is there?\"", "Resumed"]
    ],
    [
      "as attention",
      [[0, answered, says("Hello."), says("I have a question."), isDone], [300, hears("Mhm.")], [500, plays()], [
        1000,
        plays()
      ]],
      {},
      ["Opening", "\"Mhm.\"", "Resumed", "Resumed"]
    ]
  ]
  it.each(meanwhile)("answers what the contact said %s, wherever the log ends", (_, script, change, asked) => {
    const { entries } = run(script, { settings: change })
    const openings: ReadonlyArray<string | undefined> = [...entries, undefined].map((__, index) =>
      resumed(entries.slice(0, index), change).find((line) => line.includes(" ask "))?.replace("60000 ask ", "")
    )
    assert.deepStrictEqual(openings, asked)
  })

  it("has the agent go on after its own words, and repeats no disclosure", () => {
    assert.deepStrictEqual(resumed([turn("agent", disclosure), turn("agent", "Hello.")], { disclosure }), [
      "60000 ask Resumed"
    ])
  })

  it("repeats a disclosure that was cut", () => {
    assert.deepStrictEqual(
      resumed([{ ...turn("agent", "This is"), interrupted: true }], { disclosure }),
      [`60000 speak ${disclosure} (to the end)`, "60000 ask Resumed"]
    )
  })

  it("ends when the contact had opted out", () => {
    assert.deepStrictEqual(
      resumed([turn("contact", "Stop calling."), { _tag: "Noted", at: 1, note: { _tag: "OptOut" } }]),
      [`60000 speak ${settings.phrases.goodbye} (to the end)`]
    )
  })

  it("leaves the message when a voicemail box had answered, and talks with nobody", () => {
    const machine: Entry = { _tag: "Machine", at: 1, kind: "voicemail" }
    const greeting = turn("contact", "Please leave a message.")
    assert.deepStrictEqual(
      resumed([greeting, machine], { voicemailMessage: "Please call us." }),
      ["60000 speak Please call us. (to the end)"]
    )
    assert.deepStrictEqual(resumed([greeting, machine]), ["60000 over: voicemail", "60000 hang up"])
  })

  it("begins with the message, the menu or the end when the carrier has recognized a machine", () => {
    const spoken = { disclosure: "This is automated.", voicemailMessage: "Please call us." }
    const begun = (kind: "voicemail" | "ivr" | "fax") =>
      linesOf([[0, answeredBy(kind), machine(kind)]], { settings: spoken })
    assert.deepStrictEqual(begun("voicemail"), [
      "0 machine: voicemail",
      "0 speak This is automated. (to the end)",
      "0 speak Please call us. (to the end)"
    ])
    assert.deepStrictEqual(begun("ivr"), ["0 machine: ivr", "0 speak This is automated. (to the end)", "0 ask ivr"])
    assert.deepStrictEqual(begun("fax"), ["0 machine: fax", "0 over: machine", "0 hang up"])
  })

  it("hangs up on a fax machine that had answered", () => {
    assert.deepStrictEqual(
      resumed([{ _tag: "Machine", at: 1, kind: "fax" }]),
      ["60000 over: machine", "60000 hang up"]
    )
  })

  it("counts what a broken line has reported before", () => {
    const flood = Array.from({ length: 5000 }, (_, index) => turn("contact", `Turn ${index}`))
    const { entries } = run([[60_000, answered], [60_100, hears("One more.")]], {
      from: Conversation.resume(settings, flood, 60_000),
      until: 1e6
    })
    assert.deepStrictEqual(entries.at(-1), { _tag: "Over", at: 68_050, reason: "line_failed" })
  })

  it("hangs up when it was over", () => {
    assert.deepStrictEqual(resumed([{ _tag: "Over", at: 1, reason: "agent_ended" }]), ["60000 hang up"])
  })

  it("counts its duration from the answer", () => {
    assert.deepStrictEqual(
      resumed([turn("agent", "Hello.")], { maxDuration: 50_000 }).slice(-1),
      [`60000 speak ${settings.phrases.goodbye} (to the end)`]
    )
  })
})
