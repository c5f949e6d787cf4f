import { Outdial } from "@outdial/core"

await using engine = await Outdial.open({
  agents: [{ name: "Ada", script: "Hello {{contact.name}}", questions: ["Tuesday?"], dispositions: ["yes", "no"] }],
  policy: { callingHours: null } // any hour; the default is 09:00 to 20:00 in the callee's time zone
})
const agent = await engine.agents.byName("Ada")
const call = await engine.calls.start({
  agentId: agent.id,
  phoneNumber: "+1 (415) 555-0100",
  contact: { name: "Grace" },
  test: true
}, { idempotencyKey: "visit-4711" })
console.log(call.status, call.outcome?.answers) // completed { 'Tuesday?': 'Yes, that suits me.' }

const { decision, timeZones } = await engine.rules.preview({ phoneNumber: "+14155550100" })
console.log(decision, timeZones) // dial [ 'America/Los_Angeles' ]
