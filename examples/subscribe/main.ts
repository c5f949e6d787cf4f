import { Outdial } from "@outdial/core"

await using engine = await Outdial.open({
  agents: [{ name: "Ada", script: "Hello", questions: ["Tuesday?"], dispositions: ["yes", "no"] }]
})
const ended = Promise.withResolvers<string>()

// The name identifies the subscriber: events that occur while no process runs wait for the next handler of this name.
await engine.events.subscribe("crm", (event) => {
  switch (event.type) {
    case "call.completed":
      // `data` is the call as `calls.get` returns it, or null after the callee was erased.
      return ended.resolve(`${event.data?.phoneNumber}: ${event.data?.outcome?.disposition}`)
    case "call.not_connected":
      return ended.resolve(`${event.data?.phoneNumber}: ${event.data?.statusReason}`)
    default:
      return
  }
})

const agent = await engine.agents.byName("Ada")
await engine.calls.start({ agentId: agent.id, phoneNumber: "+14155550100", test: true })
console.log(await ended.promise) // +14155550100: yes
