import { assert, it } from "@effect/vitest"
import { Agent, Decoding, Ids, PhoneNumber } from "@outdial/core"
import { Effect, Schema } from "effect"
import { describe } from "vitest"

const decode = Decoding.decoding(Agent.AgentDefinition)
const definition = { name: "Ada", script: "Hi", questions: [], dispositions: ["done"] }

const problemsOf = (fields: object) =>
  Effect.map(
    Effect.flip(decode({ ...definition, ...fields })),
    ({ problems }) => problems.map(({ message, path }) => [path.join("."), message])
  )

describe("an agent", () => {
  it.effect("has fields that say how it talks", () =>
    Effect.gen(function*() {
      const fields = {
        firstMessage: "Hello {{contact.name}}, about {{topic}}",
        disclosure: "This call is made by an AI.",
        maxDurationSeconds: 10,
        silenceSeconds: 120,
        interruptible: false,
        voicemail: "hang_up",
        voicemailMessage: "Please call us back.",
        endPhrases: ["wrong number", "¡basta!"],
        transferNumbers: [{ name: "reception", number: "+14155550198" }],
        model: "fast",
        voice: "en-US-Ada",
        tools: ["book_visit"]
      }
      assert.deepStrictEqual<unknown>(yield* decode({ ...definition, ...fields }), { ...definition, ...fields })
    }))

  it("has a default for each of them", () => {
    const defaults = {
      maxDurationSeconds: 600,
      silenceSeconds: 10,
      interruptible: true,
      endPhrases: [],
      transferNumbers: [],
      tools: []
    }
    assert.deepStrictEqual(Agent.conversationSettings({}), { ...defaults, voicemail: "hang_up" })
  })

  it("leaves its voicemail message by default if it has one", () => {
    const voicemailOf = (message: string) => Agent.conversationSettings({ voicemailMessage: message }).voicemail
    assert.deepStrictEqual(["Call us", "", " "].map(voicemailOf), ["leave_message", "hang_up", "hang_up"])
  })

  const seconds = "must be 10 to 14400 seconds"
  const silence = "must be 3 to 120 seconds"
  const cases: ReadonlyArray<readonly [object, string, string]> = [
    [{ maxDurationSeconds: 9 }, "maxDurationSeconds", seconds],
    [{ maxDurationSeconds: 14_401 }, "maxDurationSeconds", seconds],
    [{ maxDurationSeconds: 60.5 }, "maxDurationSeconds", "must be a whole number"],
    [{ maxDurationSeconds: "60" }, "maxDurationSeconds", "must be a number"],
    [{ silenceSeconds: 2 }, "silenceSeconds", silence],
    [{ silenceSeconds: 121 }, "silenceSeconds", silence],
    [{ interruptible: "yes" }, "interruptible", "must be true or false"],
    [{ voicemail: "beep" }, "voicemail", "must be one of leave_message, hang_up"],
    [{ voicemail: "leave_message" }, "voicemail", "needs a voicemail message to leave"],
    [{ firstMessage: "" }, "firstMessage", "must not be empty"],
    [{ firstMessage: "x".repeat(1501) }, "firstMessage", "must have at most 1500 characters"],
    [{ disclosure: "x".repeat(501) }, "disclosure", "must have at most 500 characters"],
    [{ endPhrases: ["…"] }, "endPhrases.0", "must have a letter or a digit"],
    [{ endPhrases: ["stop", "stop"] }, "endPhrases", "must not repeat an entry"],
    [
      { endPhrases: Array.from({ length: 51 }, (_, index) => String(index)) },
      "endPhrases",
      "must have at most 50 entries"
    ],
    [{ model: "" }, "model", "must not be empty"],
    [{ voice: "x".repeat(256) }, "voice", "must have at most 255 characters"],
    [{ tools: ["book visit"] }, "tools.0", "must have 1 to 64 letters, digits, _ and -"],
    [{ tools: ["book", "book"] }, "tools", "must not repeat an entry"],
    [{ tools: Array.from({ length: 51 }, (_, index) => `t${index}`) }, "tools", "must have at most 50 entries"],
    [{ transferNumbers: [{ name: "reception", number: "call me" }] }, "transferNumbers.0.number", PhoneNumber.message],
    [{ transferNumbers: [{ name: "", number: "+14155550198" }] }, "transferNumbers.0.name", "must not be empty"],
    [
      { transferNumbers: ["Reception", "reception "].map((name) => ({ name, number: "+14155550198" })) },
      "transferNumbers",
      "must not repeat a name"
    ],
    [
      { transferNumbers: Array.from({ length: 21 }, (_, n) => ({ name: `${n}`, number: "+14155550198" })) },
      "transferNumbers",
      "must have at most 20 entries"
    ],
    [{ silenceSecond: 5 }, "silenceSecond", "is not a known field; did you mean silenceSeconds?"]
  ]
  for (const [fields, path, message] of cases) {
    it.effect(`refuses ${JSON.stringify(fields).slice(0, 60)}: ${message}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* problemsOf(fields), [[path, message]])
      }))
  }

  it.effect("refuses a first message and a disclosure with a placeholder that no call can fill", () =>
    Effect.gen(function*() {
      const problems = yield* problemsOf({ firstMessage: "{{1st}}", disclosure: "{{a-b}}" })
      assert.deepStrictEqual(problems.map(([path]) => path), ["firstMessage", "disclosure"])
    }))

  it("takes any text as voicemail message, as agents of older versions have", () => {
    const stored = { ...definition, voicemailMessage: "{{1st}} {{ {{a-b}}" }
    assert.isTrue(Schema.is(Agent.AgentDefinition)(stored))
  })

  it.effect("can be read from a brief that an older version has stored", () =>
    Effect.gen(function*() {
      const id = Ids.AgentId.make("00000000-0000-4000-8000-000000000001")
      const stored = { ...definition, id, voicemailMessage: "Call us" }
      const brief = yield* Schema.decodeUnknownEffect(Agent.AgentBrief)(stored)
      assert.deepStrictEqual(brief, { ...stored, ...Agent.conversationSettings(stored) })
    }))
})
