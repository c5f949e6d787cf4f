/**
 * An engine in a process of its own, whose agent uses tools: `tools.process.ts FOLDER begin` starts a call, and `continue` goes on with the
 * calls of the folder. The tool writes each run to `runs.jsonl` and hangs on Tuesdays. Prints the call when it is over.
 */
import { type Conversation, Outdial, SimulatedTelephony, TextAgent, Tool, WebhookTransport } from "@outdial/core"
import { embedded } from "@outdial/sql"
import { Effect, Schema } from "effect"
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

const [, , folder = "", task = "begin"] = process.argv

const say = (text: string): Conversation.AgentPart => ({ _tag: "Say", text })

/** Books two days, whatever it is asked and in whatever process, and says what came of each. */
const textAgent = TextAgent.TextAgent.layerOf(async function*({ input, tools }) {
  if (input._tag === "Opening") return yield say("Hello, on which days?")
  for (const day of ["Monday", "Tuesday"]) {
    const { problem, result } = await tools.run("book", { day })
    yield say(`${day}: ${problem ?? JSON.stringify(result)}.`)
  }
  yield { _tag: "End" }
})

const book = Tool.make({
  name: "book",
  description: "Books a visit.",
  parameters: Schema.Struct({ day: Schema.String }),
  timeout: "30 seconds",
  run: ({ day }, { key }) => {
    appendFileSync(join(folder, "runs.jsonl"), `${JSON.stringify({ key, day })}\n`)
    return day === "Tuesday" ? Effect.never : Effect.succeed({ booked: day })
  }
})

/** The carrier goes on with its calls when the process has gone. */
const entry = Schema.fromJsonString(SimulatedTelephony.JournalEntry)
const journalFile = join(folder, "dialed.jsonl")
const journal: SimulatedTelephony.Journal = {
  unfinished: Effect.sync(() =>
    existsSync(journalFile)
      ? readFileSync(journalFile, "utf8").trim().split("\n").map((line) => Schema.decodeSync(entry)(line))
      : []
  ),
  dialed: (dialed) => Effect.sync(() => appendFileSync(journalFile, `${Schema.encodeSync(entry)(dialed)}\n`)),
  finished: () => Effect.void
}

await using engine = await Outdial.open({
  ...embedded(folder),
  secretKey: Buffer.alloc(32, 7).toString("base64"),
  agents: [{
    name: "Ada",
    script: "Hello, on which days?",
    questions: ["On which days?"],
    dispositions: ["completed"],
    tools: ["book"]
  }],
  policy: { callingHours: null },
  telephony: SimulatedTelephony.layer({
    speed: 20,
    journal,
    contact: () => [{ _tag: "Says", text: "On Monday and on Tuesday, please." }, { _tag: "IsSilent" }]
  }),
  textAgent,
  tools: [book],
  transport: WebhookTransport.WebhookTransport.layerNowhere
})

const over = Promise.withResolvers<void>()
await engine.events.subscribe("test", ({ data }) => {
  process.stdout.write(`${JSON.stringify(data)}\n`)
  over.resolve()
})
if (task === "begin") {
  const agent = await engine.agents.byName("Ada")
  await engine.calls.start({ agentId: agent.id, phoneNumber: "+14155550100" })
}
await over.promise
