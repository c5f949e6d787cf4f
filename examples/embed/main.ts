import { Outdial } from "@outdial/core"

await using engine = await Outdial.open({
  agents: [{ name: "Ada", script: "Hello {{contact.name}}", questions: ["Tuesday?"], dispositions: ["yes", "no"] }]
})
const [agent] = await engine.agents.list()
const call = await engine.calls.start({
  agentId: agent?.id ?? "",
  phoneNumber: "+1 (415) 555-0100",
  contact: { name: "Grace" },
  test: true
}, { idempotencyKey: "visit-4711" })
console.log(call.status, call.outcome?.answers) // completed { 'Tuesday?': 'Yes, that suits me.' }
