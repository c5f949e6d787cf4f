import { rehearse, TextAgent } from "@outdial/core"
import assert from "node:assert/strict"
import { test } from "node:test"
import { answer } from "./agent.ts"

const agent = {
  name: "Ada",
  script: "Hello {{contact.name}}, this is Ada from Riverside Clinic about your appointment.",
  disclosure: "This call is made by an AI.",
  questions: ["Will you be able to come?"],
  dispositions: ["confirmed", "declined"]
}

test("keeps the rules, and records what contacts mean", async () => {
  const report = await rehearse({
    agent,
    textAgent: TextAgent.TextAgent.layerOf(answer),
    runs: 8,
    personas: [
      { name: "comes", answers: [{ says: ["Yes, I will.", "Oh yes, of course."], truth: "yes" }] },
      { name: "stays", answers: [{ says: ["No, I am away.", "I'm afraid not, no."], truth: "no" }] },
      { name: "opts_out", moves: [{ type: "says", text: ["Stop calling me.", "Do not call again."], optsOut: true }] },
      { name: "asks", moves: [{ type: "says", text: "Am I talking to a robot?" }] }
    ]
  })
  assert.deepEqual(report.runs.flatMap(({ failures }) => failures), [])
  assert.deepEqual(report.answers.filter(({ verdict }) => verdict !== "right").map(({ count }) => count), [0, 0, 0])
})
