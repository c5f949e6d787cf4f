import { rehearse } from "@outdial/core"
import * as aiSdk from "./ai-sdk.ts"
import * as compatible from "./compatible.ts"
import * as effectLayer from "./effect-layer.ts"
import * as outcomes from "./outcomes.ts"
import * as ownFunction from "./own-function.ts"
import { startModel } from "./server.ts"

const model = await startModel()
const agent = {
  name: "Ada",
  script: "Hello, this is Ada from Riverside Clinic.",
  questions: ["Does Tuesday suit you?"],
  dispositions: ["confirmed", "declined"]
}
const personas = [{
  name: "Grace",
  moves: [{ type: "says" as const, text: "Hello." }, { type: "says" as const, text: "Yes, gladly." }, {
    type: "hangs_up" as const
  }]
}]

/** One call with the agent: how it ended, the recorded answer, and what the model took. */
const call = async (
  textAgent: NonNullable<Parameters<typeof rehearse>[0]["textAgent"]>,
  parts: Partial<ReturnType<typeof outcomes.partsOf>> = {}
) => {
  const { runs: [run] } = await rehearse({ agent, personas, textAgent, runs: 1, ...parts })
  const usage = run?.usage.map(({ inputTokens, requests }) => ({ requests, inputTokens }))
  return [run?.endReason, run?.answers[0]?.recorded ?? null, JSON.stringify(usage)]
}

console.log(...await call(aiSdk.agentOf({ apiKey: "none", baseURL: `${model.url}/v1` }))) // agent_ended Yes, gladly. [{"requests":2,"inputTokens":200}]
console.log(...await call(compatible.agentOf(`${model.url}/v1`))) // agent_ended Yes, gladly. [{"requests":2,"inputTokens":200}]
console.log(...await call(effectLayer.agentOf(`${model.url}/words`))) // contact_hung_up null []
console.log(...await call(ownFunction.agentOf(`${model.url}/v1`))) // agent_ended null [{"requests":2,"inputTokens":200}]
const parts = outcomes.partsOf(`${model.url}/v1`)
console.log(...await call(parts.textAgent, parts)) // agent_ended yes [{"requests":2,"inputTokens":200},{"requests":1,"inputTokens":100}]
model.close()
