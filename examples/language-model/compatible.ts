import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { AiSdkModel, ModelAgent } from "@outdial/ai"

/** A model at any address that speaks OpenAI's protocol, such as Ollama, vLLM or a gateway. */
export const agentOf = (baseURL: string) => {
  const provider = createOpenAICompatible({
    name: "local",
    baseURL,
    includeUsage: true,
    supportsStructuredOutputs: true
  })
  return ModelAgent.layer({ models: { local: AiSdkModel.layer(provider("llama3.3"), { temperature: 0.3 }) } })
}
