import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { AiSdkModel, ModelAgent, ModelOutcome } from "@outdial/ai"

/** A small model talks with the contacts, and a large one makes the outcomes: options of `Outdial.open` and of `rehearse`. */
export const partsOf = (baseURL: string) => {
  const provider = createOpenAICompatible({
    name: "local",
    baseURL,
    includeUsage: true,
    supportsStructuredOutputs: true
  })
  return {
    textAgent: ModelAgent.layer({ models: { standard: AiSdkModel.layer(provider("llama3.3")) } }),
    outcomes: ModelOutcome.layer({ models: { standard: AiSdkModel.layer(provider("llama3.3-large")) } })
  }
}
