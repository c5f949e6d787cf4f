/** Random inputs, in any order and at any time: from a broken line, an agent out of control, and both at once. */
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { describe } from "vitest"
import { Entry } from "../../../src/domain/Conversation.ts"
import { PhoneNumber } from "../../../src/domain/PhoneNumber.ts"
import * as Conversation from "../../../src/rules/conversation/Conversation.ts"
import * as Dialogue from "../../support/Dialogue.ts"

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const texts = [
  "",
  "…",
  "Yes.",
  "Mhm.",
  "Bye.",
  "Goodbye, and don't call me again.",
  "Who is this?",
  "Hello Grace. This is Ada. Is now a good time?",
  "🙂".repeat(1000),
  "word ".repeat(3000)
] as const

const textOf = (index: number): string => texts[index % texts.length] ?? ""

/** What may happen, with a number to choose words or an utterance by. */
const happenings: ReadonlyArray<(choice: number) => Dialogue.Happening> = [
  (n) => Dialogue.hears(textOf(n)),
  (n) => Dialogue.hears(textOf(n)),
  (n) => Dialogue.hearsPartly(textOf(n)),
  () => Dialogue.speechStarts,
  (n) => Dialogue.digits(["1", "", "*#", "x"][n % 4] ?? ""),
  () => Dialogue.plays(),
  () => Dialogue.plays(),
  (n) => Dialogue.plays(n),
  (n) => Dialogue.stops(textOf(n).slice(0, n)),
  (n) => Dialogue.stops("Hello Grace. This", n),
  (n) => Dialogue.says(textOf(n)),
  (n) => Dialogue.says(textOf(n)),
  (n) => Dialogue.says(textOf(n), n % 2 === 0),
  (n) => Dialogue.presses(["1", "", "press one", "1w#"][n % 4] ?? ""),
  (n) => Dialogue.notes({ _tag: "Callback", timeText: textOf(n) }),
  (n) => Dialogue.notes({ _tag: "Answer", question: textOf(n), answer: textOf(n + 1) }),
  () => Dialogue.isDone,
  () => Dialogue.isDone,
  (n) => Dialogue.asksTool(n, "book", { day: n % 3 }),
  (n) => Dialogue.asksTool(n, "read", {}, { isReadOnly: true, filler: "I look it up." }),
  (n) => Dialogue.toolAnswers(String(n % 4), textOf(n)),
  // Rare, because the conversation ends soon after them.
  (n) => n === 0 ? Dialogue.notes({ _tag: "OptOut" }) : Dialogue.plays(),
  (n) => n < 4 ? Dialogue.ends : Dialogue.isDone,
  () => Dialogue.transfersTo("Reception"),
  (n) => n === 0 ? Dialogue.fails("broken") : Dialogue.isDone,
  (n) => n < 3 ? Dialogue.machine((["voicemail", "ivr", "fax"] as const)[n] ?? "ivr") : Dialogue.plays(),
  (n) => n === 0 ? Dialogue.isStopped("shutdown") : Dialogue.isDone,
  (n) => n === 0 ? Dialogue.closes : Dialogue.speechStarts
]

const Happening = Schema.Struct({ kind: int(0, happenings.length - 1), choice: int(0, 30), pause: int(0, 9) })

const Seed = Schema.Struct({
  disclosure: Schema.Boolean,
  interruptible: Schema.Boolean,
  voicemailMessage: Schema.Boolean,
  /** Whether the time is passed at which the conversation wants to continue, as by a busy process. */
  isLate: Schema.Boolean,
  happenings: Schema.Array(Happening).check(Schema.isMaxLength(60))
})

const disclosure = "This is an automated call."
const voicemailMessage = "Please call back. ".repeat(50).trim()

/** May be said although a line has cut off the disclosure. */
const lastWords: ReadonlyArray<string> = [Dialogue.settings.phrases.goodbye, Dialogue.settings.phrases.fallback]

const pauses = [0, 0, 0, 1, 100, 700, 1500, 2000, 4000, 11_000]

const maxDuration = 120_000

interface Step {
  readonly at: number
  readonly input: Conversation.Input
  readonly step: Conversation.Step
}

/** All steps of a conversation: through the happenings, then only as its own times demand. */
const steps = (seed: typeof Seed.Type): ReadonlyArray<Step> => {
  let state = Conversation.start({
    ...Dialogue.settings,
    maxDuration,
    transferNumbers: [{ name: "Reception", number: PhoneNumber.make("+14155550198") }],
    interruptible: seed.interruptible,
    ...(seed.disclosure && { disclosure }),
    ...(seed.voicemailMessage && { voicemailMessage })
  })
  const made: Array<Step> = []
  let request = 0
  const take = (at: number, input: Conversation.Input): number => {
    const step = Conversation.step(state, input, at)
    state = step.state
    for (const action of step.actions) if (action._tag === "Ask") request = action.request
    made.push({ at, input, step })
    // The line's answer comes before anything else.
    if (step.actions.some(({ _tag }) => _tag === "Transfer")) {
      return take(at, { _tag: "Transferred", isTransferred: false })
    }
    return step.wakeAt
  }
  let now = 0
  let wakeAt = take(0, { _tag: "Answered" })
  for (const { choice, kind, pause } of seed.happenings) {
    now += pauses[pause] ?? 0
    while (!seed.isLate && wakeAt <= now) wakeAt = take(wakeAt, { _tag: "Time" })
    const happening = (happenings[kind] ?? happenings[0])?.(choice)
    if (happening !== undefined) wakeAt = take(now, happening({ request, speech: state.speech.map(({ id }) => id) }))
  }
  for (let index = 0; index < 1000 && wakeAt < Infinity; index++) {
    now = Math.max(now, wakeAt)
    wakeAt = take(now, { _tag: "Time" })
  }
  return made
}

const actionsOf = (made: ReadonlyArray<Step>) => made.flatMap(({ step }) => step.actions)

const entriesOf = (made: ReadonlyArray<Step>) =>
  actionsOf(made).flatMap((action) => action._tag === "Log" ? [action.entry] : [])

describe("a conversation with random inputs", () => {
  it.prop("is over at the latest a minute after its longest duration, by its own times alone", [Seed], ([seed]) => {
    const made = steps(seed)
    const ended = made.find(({ step }) => step.state.phase === "over")
    assert.isDefined(ended)
    const latest = seed.happenings.reduce((all, { pause }) => all + (pauses[pause] ?? 0), 0)
    assert.isAtMost(ended?.at ?? Infinity, Math.max(maxDuration + 60_000, latest))
    for (const { at, step } of made) {
      if (step.state.phase === "over") assert.strictEqual(step.wakeAt, Infinity)
      else assert.isTrue(step.wakeAt > at && step.wakeAt <= maxDuration + 60_000)
    }
  }, { arbitrary: { runs: 2000 } })

  it.prop("ends once, hangs up once, and does nothing after it", [Seed], ([seed]) => {
    const actions = actionsOf(steps(seed))
    const over = actions.findIndex((action) => action._tag === "Log" && action.entry._tag === "Over")
    assert.deepStrictEqual(actions.slice(over + 1), [{ _tag: "HangUp" }])
    assert.notInclude(actions.slice(0, over).map(({ _tag }) => _tag), "HangUp")
  }, { arbitrary: { runs: 1000 } })

  it.prop("has only words on record that were spoken, in entries of legal form, in order of time", [Seed], ([seed]) => {
    const made = steps(seed)
    for (const action of actionsOf(made)) if (action._tag === "Press") assert.match(action.digits, /^[0-9A-D*#w]+$/)
    const spoken = actionsOf(made).flatMap((action) => action._tag === "Speak" ? [action.text] : [])
    const entries = entriesOf(made)
    let before = 0
    for (const entry of entries) {
      Schema.decodeUnknownSync(Entry)(entry)
      const at = entry._tag === "Turn" ? entry.endedAt : entry.at
      assert.isTrue(entry.at <= at && at >= before)
      before = at
      if (entry._tag === "Turn" && entry.speaker === "agent") {
        assert.isTrue(
          spoken.some((text) => entry.interrupted === true ? text.startsWith(entry.text) : text === entry.text)
        )
      }
    }
    const agentTurns = entries.filter((entry) => entry._tag === "Turn" && entry.speaker === "agent")
    assert.isAtMost(agentTurns.length, spoken.length)
  }, { arbitrary: { runs: 1000 } })

  it.prop("transfers nobody who has opted out", [Seed], ([seed]) => {
    const actions = actionsOf(steps(seed)).map(({ _tag }) => _tag)
    const optedOut = actions.indexOf("OptOut")
    if (optedOut >= 0) assert.notInclude(actions.slice(optedOut), "Transfer")
  }, { arbitrary: { runs: 2000 } })

  it.prop("runs a tool after its intent, and has one result of it", [Seed], ([seed]) => {
    const open = new Set<string>()
    for (const action of actionsOf(steps(seed))) {
      if (action._tag === "RunTool") assert.isTrue(open.has(action.id))
      if (action._tag !== "Log") continue
      if (action.entry._tag === "ToolIntent") open.add(action.entry.id)
      if (action.entry._tag === "ToolResult") assert.isTrue(open.delete(action.entry.id))
    }
  }, { arbitrary: { runs: 1000 } })

  it.prop("leaves no request open, and interrupts each at most once", [Seed], ([seed]) => {
    const made = steps(seed)
    const open = new Set<number>()
    for (const { input, step } of made) {
      if (input._tag === "Done" || input._tag === "Failed") open.delete(input.request)
      for (const action of step.actions) {
        if (action._tag === "Ask") {
          assert.strictEqual(open.size, 0)
          open.add(action.request)
        }
        if (action._tag === "Interrupt") assert.isTrue(open.delete(action.request))
      }
    }
    assert.strictEqual(open.size, 0)
  }, { arbitrary: { runs: 1000 } })

  it.prop(
    "says the disclosure to its end before anything else of the agent, unless the call ends",
    [Seed],
    ([seed]) => {
      const entries = entriesOf(steps({ ...seed, disclosure: true }))
      const first = entries.find((entry) =>
        entry._tag === "Turn" && entry.speaker === "agent" && entry.interrupted !== true
      )
      if (first?._tag === "Turn") assert.include([disclosure, ...lastWords], first.text)
    },
    { arbitrary: { runs: 2000 } }
  )
})
