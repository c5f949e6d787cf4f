import { Outdial } from "@outdial/core"
import { startCarrier } from "./carrier.ts"
import { ourTelephony } from "./telephony.ts"

const carrier = await startCarrier()
await using engine = await Outdial.open({
  telephony: ourTelephony(carrier.url),
  agents: [{ name: "Ada", script: "Hello {{contact.name}}", questions: ["Tuesday?"], dispositions: ["yes", "no"] }],
  policy: { callingHours: null }
})
const agent = await engine.agents.byName("Ada")
const { id } = await engine.calls.start({
  agentId: agent.id,
  phoneNumber: carrier.numbers.talks,
  contact: { name: "Grace" }
})

/** Waits until the call has this status. */
const reached = async (status: string) => {
  let call = await engine.calls.get(id)
  while (call.status !== status) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    call = await engine.calls.get(id)
  }
  console.log(call.status)
  return call
}

await reached("dialing")
while (!carrier.rings().includes(id)) await new Promise((resolve) => setTimeout(resolve, 10))
await carrier.answer(id)
await reached("in_progress")
await carrier.end(id)
await reached("completed")
console.log(carrier.rings().length) // 1
await carrier.close()
