import { createOpenAI } from "@ai-sdk/openai"
import { AiSdkModel, FallbackModel, ModelAgent } from "@outdial/ai"

/** Two models of a provider of the AI SDK: the second answers when the first does not. */
export const agentOf = (settings: { readonly apiKey: string; readonly baseURL?: string }) => {
  const openai = createOpenAI(settings)
  const fast = AiSdkModel.layer(openai.chat("gpt-5-mini"))
  const exact = AiSdkModel.layer(openai.chat("gpt-5"))
  return ModelAgent.layer({ models: { fast: FallbackModel.layer(fast, exact), exact } })
}
