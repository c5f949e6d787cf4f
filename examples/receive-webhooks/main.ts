import { Outdial } from "@outdial/core"
import { GatedTransport } from "@outdial/node"
import { handled } from "./handle.ts"
import { receivers } from "./serve.ts"

await using engine = await Outdial.open({
  agents: [{ name: "Ada", script: "Hello {{contact.name}}", questions: ["Tuesday?"], dispositions: ["yes", "no"] }],
  transport: GatedTransport.layer({ loopback: true })
})
const agent = await engine.agents.byName("Ada")

for (const [name, start] of Object.entries(receivers)) {
  // The address is known once the receiver listens, and the secret once the address is set.
  const { secret = "" } = await engine.webhook.set({ url: "http://127.0.0.1/" })
  const receiver = await start(secret)
  await engine.webhook.set({ url: receiver.url })
  const { delivered } = await engine.webhook.test()
  const before = handled.length
  await engine.calls.start({ agentId: agent.id, phoneNumber: "+14155550100", test: true })
  while (handled.length === before) await new Promise((resolve) => setTimeout(resolve, 10))
  console.log(name, delivered, handled.length) // express true 2 …
  await receiver.close()
  await engine.webhook.remove()
}
