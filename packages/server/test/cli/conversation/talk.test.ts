import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { describe } from "vitest"
import * as CommandLine from "../CommandLine.ts"

const timeout = 120_000

const ada = {
  name: "Ada",
  script: "Hello {{contact.name}}, this is Ada from {{clinic}}.",
  variables: [{ key: "clinic", default: "Riverside" }],
  questions: ["Will you be able to come?", "Have your symptoms changed?"],
  dispositions: ["confirmed", "declined"]
}

const fileOf = Effect.fnUntraced(function*(agent: object) {
  const files = yield* FileSystem.FileSystem
  const folder = yield* files.makeTempDirectoryScoped({ prefix: "outdial-talk-" })
  const file = (yield* Path.Path).join(folder, "agent.json")
  yield* files.writeFileString(file, JSON.stringify(agent))
  return file
}, Effect.provide(NodeServices.layer))

/** Talks with the agent by a script. */
const talk = Effect.fnUntraced(function*(agent: object, script: string, ...args: ReadonlyArray<string>) {
  const { fed } = yield* CommandLine.withoutDatabase
  return yield* fed(script, "talk", "--agent", yield* fileOf(agent), ...args)
})

/** The log without its times, and the contact's words with a latency. */
const logOf = (stdout: string) => {
  const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
  const log = lines.filter(({ type }) => type !== "latency" && type !== "outcome").map((
    { at: _, ended_at: __, ...line }
  ) => line)
  return { log, measured: lines.at(-1).turns.map(({ words }: { readonly words: string }) => words) }
}

const says = (speaker: "agent" | "contact", text: string) => ({ type: "turn", speaker, text })

describe("outdial talk with a script", () => {
  it.live(
    "prints the conversation, how it ended, the notes and the latencies, without account and storage",
    () =>
      Effect.gen(function*() {
        const script = "hello\n\n  \nYes I will.\r\n/dtmf 1 2#"
        const { code, stderr, stdout } = yield* talk(ada, script, "--contact", "Grace", "--variable", "clinic=Oak Hill")
        assert.deepStrictEqual([code, stderr], [0, ""])
        assert.deepStrictEqual(stdout.replaceAll(/ *\d+ ms/gu, " N ms").split("\n"), [
          "Ada: Hello Grace, this is Ada from Oak Hill.",
          "You: hello",
          "Ada: Will you be able to come?",
          "You: Yes I will.",
          "Ada: Have your symptoms changed?",
          "You: [presses 12#]",
          "Ada: Thank you for your time. Goodbye.",
          "",
          "The call has ended: the agent said goodbye (agent_ended)",
          "Notes:",
          "  Will you be able to come? Yes I will.",
          "  Have your symptoms changed? 12#",
          "Outcome:",
          `  ${ada.dispositions[0]}: The contact answered all 2 questions.`,
          "  Will you be able to come? Yes I will. (turn 4: Yes I will.)",
          "  Have your symptoms changed? 12# (turn 6: 12#)",
          "From the contact's words to the first words of the answer:",
          " N ms  hello",
          " N ms  Yes I will.",
          " N ms  12#",
          "  p50 N ms, p95 N ms",
          ""
        ])
      }),
    timeout
  )

  it.live("prints the log as lines of JSON, the same for the same script", () =>
    Effect.gen(function*() {
      const script = "hello\nyes\n"
      const first = yield* talk(ada, script, "--json")
      assert.strictEqual(first.code, 0)
      const { log, measured } = logOf(first.stdout)
      assert.deepStrictEqual(log, [
        says("agent", "Hello, this is Ada from Riverside."),
        says("contact", "hello"),
        says("agent", "Will you be able to come?"),
        says("contact", "yes"),
        { type: "noted", note: { type: "answer", question: "Will you be able to come?", answer: "yes" } },
        says("agent", "Have your symptoms changed?"),
        { type: "over", reason: "contact_hung_up" }
      ])
      assert.deepStrictEqual(measured, ["hello", "yes"])
      const again = yield* talk(ada, script, "--json")
      assert.deepStrictEqual(logOf(again.stdout), { log, measured })
    }), timeout)

  it.live("follows the agent's fields, and says when lines are left", () =>
    Effect.gen(function*() {
      const agent = {
        ...ada,
        first_message: "Is this {{contact.name}}?",
        disclosure: "This call is made by an AI.",
        end_phrases: ["wrong number"]
      }
      const { code, stderr, stdout } = yield* talk(agent, "Wrong number!\nhello\nyes", "--contact", "Grace", "--json")
      assert.deepStrictEqual([code, stderr], [0, "The call has ended before the last lines: 2 left\n"])
      assert.deepStrictEqual(logOf(stdout).log, [
        says("agent", "This call is made by an AI."),
        says("agent", "Is this Grace?"),
        says("contact", "Wrong number!"),
        says("agent", "Thank you for your time. Goodbye."),
        { type: "over", reason: "agent_ended" }
      ])
    }), timeout)

  it.live("ends when the contact says nothing at all, and by /hangup", () =>
    Effect.gen(function*() {
      const agent = { ...ada, script: "Hello.", questions: [] }
      for (const script of ["", "/hangup\nhello"]) {
        const { code, stdout } = yield* talk(agent, script, "--json")
        assert.deepStrictEqual([code, logOf(stdout).log], [0, [
          says("agent", "Hello."),
          { type: "over", reason: "contact_hung_up" }
        ]])
      }
    }), timeout)

  it.live("talks with a stored agent by its id, and changes nothing", () =>
    Effect.gen(function*() {
      const { fed, file, json } = yield* CommandLine.open
      yield* json("accounts", "create", "Clinic")
      const { id } = yield* json("agents", "put", yield* file("agent.json", JSON.stringify(ada)))
      const { code, stdout } = yield* fed("stop calling me", "talk", "--agent", id.toUpperCase(), "--json")
      assert.strictEqual(code, 0)
      assert.deepInclude(logOf(stdout).log, { type: "noted", note: { type: "opt_out" } })
      assert.deepStrictEqual(yield* json("do-not-call", "list"), [])
      assert.deepStrictEqual(yield* json("agents", "list"), [{
        id,
        name: "Ada",
        version: 1,
        dispositions: ada.dispositions
      }])
    }), timeout)

  const refused: ReadonlyArray<readonly [string, object, string, ReadonlyArray<string>, RegExp]> = [
    [
      "an agent that is none",
      { ...ada, silence_seconds: 1 },
      "",
      [],
      /agent\.json is not an agent:\n {2}\/silence_seconds must be 3 to 120 seconds\n$/u
    ],
    ["a variable without a value", { ...ada, script: "{{topic}}" }, "", [], /needs values for topic/u],
    [
      "an unknown command",
      ada,
      "hello\n/dial\n",
      [],
      /^outdial: Line 2 of standard input: \/dial is not a command; the commands are \/hangup and \/dtmf DIGITS\n$/u
    ],
    [
      "digits that no phone has",
      ada,
      "/dtmf 1x",
      [],
      /^outdial: Line 1 of standard input: \/dtmf needs 1 to 64 of 0-9, A-D, \* and #/u
    ]
  ]
  for (const [what, agent, script, args, message] of refused) {
    it.live(`refuses ${what}`, () =>
      Effect.gen(function*() {
        const { code, stderr, stdout } = yield* talk(agent, script, ...args)
        assert.deepStrictEqual([code, stdout], [1, ""])
        assert.match(stderr, message)
      }), timeout)
  }

  it.live(
    "refuses an agent from standard input, a file that is missing and an unknown option",
    () =>
      Effect.gen(function*() {
        const { fed } = yield* CommandLine.withoutDatabase
        assert.match((yield* fed("{}", "talk", "--agent", "-")).stderr, /standard input is what the contact says/u)
        assert.match((yield* fed("", "talk", "--agent", "none.json")).stderr, /There is no file none\.json/u)
        const unknown = yield* fed("", "talk", "--agent", "none.json", "--jsn")
        assert.strictEqual(unknown.code, 1)
        assert.match(unknown.stdout + unknown.stderr, /--jsn/u)
      }),
    timeout
  )
})
