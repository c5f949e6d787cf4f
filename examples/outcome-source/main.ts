import { Outdial } from "@outdial/core"
import { startModel } from "./model.ts"
import { ourOutcomes } from "./outcomes.ts"

const model = await startModel()
await using engine = await Outdial.open({
  outcomes: ourOutcomes(model.url),
  speed: 1000, // The simulated conversation takes milliseconds.
  agents: [{ name: "Ada", script: "Hello {{contact.name}}", questions: ["Tuesday?"], dispositions: ["yes", "no"] }],
  policy: { callingHours: null }
})
const agent = await engine.agents.byName("Ada")
const { id } = await engine.calls.start({
  agentId: agent.id,
  phoneNumber: "+14155550100",
  contact: { name: "Grace" }
})

let call = await engine.calls.get(id)
while (call.outcome === undefined || call.outcome === null) {
  await new Promise((resolve) => setTimeout(resolve, 10))
  call = await engine.calls.get(id)
}
console.log(call.status, call.outcome.disposition, call.outcome.answers) // completed yes { 'Tuesday?': 'Yes' }
model.close()
