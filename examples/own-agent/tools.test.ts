import { Outdial, TextAgent } from "@outdial/core"
import assert from "node:assert/strict"
import { setTimeout } from "node:timers/promises"
import { test } from "node:test"
import { findTimes } from "./tools.ts"

const agent = {
  name: "Ada",
  script: "Hello {{contact.name}}, when may we come?",
  questions: [],
  dispositions: ["done"],
  tools: ["find_times"]
}

/** In place of a language model: it looks at the calendar when the contact says something. */
const textAgent = TextAgent.TextAgent.layerOf(async function*({ agent, input, tools }) {
  if (input._tag !== "Words") return yield { _tag: "Say", text: agent.script }
  const { result } = await tools.run("find_times", { day: "2026-12-01" })
  yield { _tag: "Say", text: `We have ${Array.isArray(result) ? result.join(" and ") : "no time"}.` }
  yield { _tag: "End" }
})

test("an agent offers the times of the calendar", async () => {
  await using engine = await Outdial.open({
    agents: [agent],
    policy: { callingHours: null },
    speed: 100,
    textAgent,
    tools: [findTimes]
  })
  const { id: agentId } = await engine.agents.byName("Ada")
  const { id } = await engine.calls.start({ agentId, phoneNumber: "+14155550100", contact: { name: "Grace" } })
  let call = await engine.calls.get(id)
  while (call.outcome === null) {
    await setTimeout(50)
    call = await engine.calls.get(id)
  }
  assert.equal(call.outcome.transcript.at(-1)?.text, "We have 09:00 and 14:30.")
})
