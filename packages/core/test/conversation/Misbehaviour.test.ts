/** Agents and lines that do what they should not: every call ends, once, frees its line, and leaves at most one line in the log. */
import { assert, describe, it } from "@effect/vitest"
import {
  Calls,
  type Conversation,
  Conversations,
  Ids,
  LineReports,
  PhoneNumber,
  type SimulatedContact,
  Storage,
  TextAgent,
  Webhooks,
  WebhookTransport
} from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { DateTime, Effect, Fiber, Layer, Logger, Ref, References, Stream } from "effect"
import * as CallSteps from "../support/CallSteps.ts"
import * as SilentCarrier from "../support/SilentCarrier.ts"

const number = "+14155550100"
const words = "Hello, who is this please?"
const contact: SimulatedContact.Script = [{ _tag: "Says", text: words }]

/** What the effect logs about its calls, one line each. The test clock's own are about a busy machine. */
const logged = <A, E, R>(effect: Effect.Effect<A, E, R>, lines: Array<string>) =>
  Effect.provide(
    effect,
    Logger.layer([
      Logger.map(Logger.formatLogFmt, (line) => {
        const isWarning = /level=(?:WARN|ERROR)/u.test(line) && !line.includes("woken by the test clock")
        if (isWarning || /level=DEBUG.*call_/u.test(line)) lines.push(line)
      })
    ])
  ).pipe(Effect.provideService(References.MinimumLogLevel, "Debug"))

/** How the call ended, for its owner: its status, its terminal events, and whether its line is free. */
const endOf = Effect.fnUntraced(function*(callId: Ids.CallId) {
  const { accountId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  const storage = yield* Storage.Storage
  const { status } = yield* calls.get(accountId, callId)
  const sent = yield* Ref.get(yield* WebhookTransport.Sent)
  const { liveCalls } = yield* storage.stats.snapshot(yield* DateTime.now)
  return { status, events: sent.map(({ body }) => JSON.parse(body).type), liveCalls }
})

const started = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  yield* (yield* Webhooks.Webhooks).set(accountId, { url: "https://example.com/hook" })
  return (yield* CallSteps.start(number)).id
})

/** What the log of the process has on a call; none when nothing is wrong. */
type Warning = RegExp | "none"

/** For those who look for a fault: it does no harm. */
const harmless = (what: string) => new RegExp(`level=DEBUG.*call_\\w+:? ${what}`, "u")

/** One line of that kind or none, without the number and the contact's words. */
const assertLogged = (lines: ReadonlyArray<string>, expected: Warning) => {
  assert.lengthOf(lines, expected === "none" ? 0 : 1, lines.join("\n"))
  for (const line of lines) {
    if (expected !== "none") assert.match(line, expected)
    assert.notInclude(line, number)
    assert.notInclude(line, words)
  }
}

const eventOf = { completed: "call.completed", no_answer: "call.not_connected" }

type Parts = Stream.Stream<Conversation.AgentPart, TextAgent.AgentFailed>
const say = (text: string): Conversation.AgentPart => ({ _tag: "Say", text })
const end: Conversation.AgentPart = { _tag: "End" }

const replying = (reply: () => Parts, talk: Partial<TextAgent.TextTalk> = {}) =>
  Layer.succeed(TextAgent.TextAgent, {
    open: () => Effect.succeed({ heard: () => Effect.void, reply, ...talk })
  })

const failed = /The agent of call_\w+ failed/u
const late = /call_\w+: The agent did not answer in time/u
const cut = /call_\w+: The agent's answer is longer than 1500 characters or 200 parts, and was cut/u

/** The contact answers what it hears to its end, unless the agent hangs up then. */
type Status = "completed" | "no_answer"

const agents: ReadonlyArray<readonly [string, Layer.Layer<TextAgent.TextAgent>, Status, Warning]> = [
  ["dies", replying(() => Stream.die(new Error("broken"))), "no_answer", failed],
  [
    "fails after its first words",
    replying(() =>
      Stream.concat(Stream.make(say("Hello.")), Stream.fail(new TextAgent.AgentFailed({ cause: "gone" })))
    ),
    "no_answer",
    failed
  ],
  [
    "cannot be opened",
    Layer.succeed(TextAgent.TextAgent, { open: () => Effect.die(new Error("no key")) }),
    "no_answer",
    failed
  ],
  ["is never ready", Layer.succeed(TextAgent.TextAgent, { open: () => Effect.never }), "completed", late],
  ["never answers", replying(() => Stream.never), "completed", late],
  ["has nothing to say", replying(() => Stream.empty), "completed", "none"],
  ["answers for ever", replying(() => Stream.forever(Stream.make(say("And another thing.")))), "completed", cut],
  ["says 100,000 characters", replying(() => Stream.make(say("word ".repeat(20_000)))), "completed", cut],
  [
    "ends twice, and goes on",
    replying(() => Stream.make(say("Goodbye."), end, end, say("One more thing."), end)),
    "no_answer",
    "none"
  ],
  [
    "notes for ever",
    replying(() =>
      Stream.forever(Stream.make({ _tag: "Note", note: { _tag: "Callback", timeText: "later" } } as const))
    ),
    "completed",
    cut
  ],
  [
    "does not take note",
    replying(() => Stream.make(say("Hello.")), { heard: () => Effect.never }),
    "completed",
    /The agent of call_\w+ does not take note/u
  ],
  [
    "does not say what its models took",
    replying(() => Stream.make(say("Goodbye."), end), { unreported: Effect.never }),
    "no_answer",
    /The agent of call_\w+ does not say what its models took/u
  ],
  [
    "says nonsense of what its models took",
    replying(() => Stream.make(say("Goodbye."), end), {
      unreported: Effect.sync(() => JSON.parse(`[{ "model": 7, "inputTokens": -1 }]`))
    }),
    "no_answer",
    /The agent of call_\w+ does not say what its models took/u
  ],
  [
    "yields what is no part",
    TextAgent.TextAgent.layerOf(async function*() {
      yield JSON.parse(`{ "_tag": "Shout", "text": 7 }`)
    }),
    "no_answer",
    failed
  ],
  [
    "ignores its signal",
    TextAgent.TextAgent.layerOf(async function*() {
      yield { _tag: "Say", text: "Hello." }
      await new Promise(() => {})
    }),
    "completed",
    "none"
  ],
  [
    "throws while it speaks",
    TextAgent.TextAgent.layerOf(async function*() {
      yield { _tag: "Say", text: "Hello." }
      throw new Error("broken")
    }),
    "no_answer",
    failed
  ]
]

describe("an agent that", () => {
  it.effect.each(agents)("%s: the call ends politely", ([, textAgent, expected, warning]) => {
    const lines: Array<string> = []
    return Effect.gen(function*() {
      const callId = yield* started
      yield* TestEngine.advance("20 minutes")
      assert.deepStrictEqual(yield* endOf(callId), {
        status: expected,
        events: [eventOf[expected]],
        liveCalls: 0
      })
      assertLogged(lines, warning)
    }).pipe(Effect.provide(TestEngine.layer({ contact: () => contact, textAgent })), (effect) => logged(effect, lines))
  })
})

const heard = (text: string): Conversation.LineEvent => ({ _tag: "Heard", text, isFinal: true })

const silent: Conversations.TextLine = {
  events: Stream.never,
  speak: () => Effect.void,
  stopSpeaking: Effect.void,
  press: () => Effect.void,
  hangUp: Effect.void,
  release: Effect.void
}

const garbage: Stream.Stream<Conversation.LineEvent> = Stream.fromIterable(
  JSON.parse(`[null, 7, {}, { "_tag": "Shouted" }, { "_tag": "Heard" }, { "_tag": "Heard", "text": 7, "isFinal": true },
    { "_tag": "Stopped", "utterance": "two" }, { "_tag": "Machine", "kind": "robot" }, { "_tag": "Digits", "digits": null }]`)
)

const closed = harmless("was closed before a word was heard")

const lineFailed = /The line of call_\w+ failed/u

const lines: ReadonlyArray<readonly [string, Partial<Conversations.TextLine>, Status, Warning]> = [
  [
    "reports garbage",
    { events: Stream.concat(garbage, Stream.never) },
    "no_answer",
    /The line of call_\w+ reports events of a wrong form/u
  ],
  [
    "reports empty words",
    { events: Stream.concat(Stream.make(heard(""), heard("   "), heard("…"), heard("\u200b")), Stream.never) },
    "no_answer",
    harmless("The line reports words without a letter, which is ignored")
  ],
  [
    "reports a thousand turns a second",
    {
      events: Stream.flatMap(
        Stream.tick("1 second"),
        () => Stream.fromIterable(Array.from({ length: 1000 }, () => heard(words)))
      )
    },
    "completed",
    /call_\w+: The line reports more words than a person can say/u
  ],
  ["closes at once", { events: Stream.empty }, "no_answer", closed],
  [
    "reports on for ever after it has closed",
    { events: Stream.concat(Stream.make({ _tag: "Closed" } as const), Stream.forever(Stream.make(heard(words)))) },
    "no_answer",
    closed
  ],
  [
    "closes twice",
    { events: Stream.make({ _tag: "Closed" } as const, { _tag: "Closed" } as const) },
    "no_answer",
    closed
  ],
  ["dies", { events: Stream.die(new Error("socket")) }, "no_answer", lineFailed],
  [
    "has played what nobody said",
    {
      events: Stream.concat(
        Stream.make(
          { _tag: "Played", utterance: 99 } as const,
          { _tag: "Stopped", utterance: -1, heard: "x" } as const
        ),
        Stream.never
      )
    },
    "no_answer",
    harmless("The line reports speech that it was not given, which is ignored")
  ],
  ["never reports anything", {}, "no_answer", "none"],
  ["cannot speak", { speak: () => Effect.die(new Error("socket")) }, "no_answer", lineFailed],
  ["hangs when it is to speak", { speak: () => Effect.never }, "no_answer", lineFailed],
  [
    "hangs when it is to stop",
    {
      stopSpeaking: Effect.never,
      events: Stream.concat(Stream.fromEffect(Effect.as(Effect.sleep("1 second"), heard(words))), Stream.never)
    },
    "completed",
    lineFailed
  ],
  ["does not hang up", { hangUp: Effect.never }, "no_answer", lineFailed]
]

const answered = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const callId = yield* started
  yield* TestEngine.drain
  const { report } = yield* LineReports.LineReports
  yield* report({ accountId, callId, event: { _tag: "Answered", at: yield* DateTime.now, by: "human" } })
  const ended = Effect.flatMap(
    DateTime.now,
    (at) => report({ accountId, callId, event: { _tag: "Ended", at, result: "hung_up", recorded: false } })
  )
  return { accountId, callId, ended }
})

describe("a line that", () => {
  it.effect.each(lines)("%s: the call ends", ([, line, expected, warning]) => {
    const warnings: Array<string> = []
    return Effect.gen(function*() {
      const { accountId, callId, ended } = yield* answered
      const { hold } = yield* Conversations.Conversations
      const held = yield* Effect.forkChild(hold({ accountId, callId, takesOver: false, line: { ...silent, ...line } }))
      // In steps: a call that is reported on by nobody is looked up.
      for (let minute = 0; minute < 15 && held.pollUnsafe() === undefined; minute++) {
        yield* TestEngine.advance("1 minute")
      }
      assert.strictEqual(yield* Fiber.join(held), "over")
      yield* ended
      yield* TestEngine.advance("1 minute")
      assert.deepStrictEqual(yield* endOf(callId), {
        status: expected,
        events: [eventOf[expected]],
        liveCalls: 0
      })
      assertLogged(warnings, warning)
    }).pipe(Effect.provide(TestEngine.layer({ telephony: SilentCarrier.layer })), (effect) => logged(effect, warnings))
  })

  it.effect("reconnects ten times: the last one has the conversation, and each turn is on record once", () => {
    const warnings: Array<string> = []
    return Effect.gen(function*() {
      const { accountId, callId, ended } = yield* answered
      const { hold } = yield* Conversations.Conversations
      const holds = []
      for (let n = 0; n < 10; n++) {
        const events = Stream.concat(Stream.make(heard(`Call me number ${n}`)), Stream.never)
        holds.push(yield* Effect.forkChild(hold({ accountId, callId, takesOver: true, line: { ...silent, events } })))
        yield* Effect.replicateEffect(Effect.yieldNow, 50)
        yield* TestEngine.advance("1 second")
      }
      yield* TestEngine.advance("2 minutes")
      const results = yield* Effect.forEach(holds, Fiber.join)
      assert.deepStrictEqual(results, [...Array.from({ length: 9 }, () => "taken_over" as const), "over"])
      yield* ended
      yield* TestEngine.advance("1 minute")
      const { outcome } = yield* (yield* Calls.Calls).get(accountId, callId)
      const said = (outcome?.transcript ?? []).flatMap(({ speaker, text }) => speaker === "contact" ? [text] : [])
      assert.deepStrictEqual(said, Array.from({ length: 10 }, (_, n) => `Call me number ${n}`))
      assert.deepStrictEqual(yield* endOf(callId), { status: "completed", events: ["call.completed"], liveCalls: 0 })
      // One line for each line.
      assert.lengthOf(warnings, 9)
      for (const [index, warning] of warnings.entries()) {
        assertLogged([warning], harmless(`has come here: line ${index + 2} of its conversation`))
      }
    }).pipe(Effect.provide(TestEngine.layer({ telephony: SilentCarrier.layer })), (effect) => logged(effect, warnings))
  })

  const unanswered: ReadonlyArray<readonly [string, Effect.Effect<boolean>]> = [
    ["does not say", Effect.never],
    ["fails before it says", Effect.die(new Error("socket"))]
  ]
  it.effect.each(unanswered)("%s whether it transfers is let go of, and not hung up on", ([, transfer]) => {
    const warnings: Array<string> = []
    const asked: Array<string> = []
    return Effect.gen(function*() {
      const { accountId, callId } = yield* answered
      const { hold } = yield* Conversations.Conversations
      const line: Conversations.TextLine = {
        ...silent,
        transfer: () => transfer,
        hangUp: Effect.sync(() => void asked.push("hang up")),
        release: Effect.sync(() => void asked.push("release"))
      }
      const held = yield* Effect.forkChild(hold({ accountId, callId, takesOver: false, line }))
      yield* TestEngine.advance("1 minute")
      assert.strictEqual(yield* Fiber.join(held), "over")
      assert.deepStrictEqual(asked, ["release"])
      const { conversations } = yield* Storage.Storage
      const { entries } = yield* conversations.read({ accountId, callId, after: 0, limit: 100 })
      assert.include(entries.at(-1)?.entry, { _tag: "Over", reason: "transferred" })
      assertLogged(warnings, /Whether call_\w+ was transferred is unknown/u)
    }).pipe(
      Effect.provide(TestEngine.layer({
        telephony: SilentCarrier.layer,
        agent: { transferNumbers: [{ name: "reception", number: PhoneNumber.PhoneNumber.make("+14155550190") }] },
        textAgent: replying(() => Stream.make(say("One moment."), { _tag: "Transfer", to: "reception" } as const))
      })),
      (effect) => logged(effect, warnings)
    )
  })
})
