/** The AI SDK's own client for OpenAI-compatible servers. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"

export const modelOf = (
  { key = "test-key", model = "test-model", url }: {
    readonly url: string
    readonly key?: string
    readonly model?: string
  }
) =>
  createOpenAICompatible({
    name: "test",
    baseURL: url,
    apiKey: key,
    includeUsage: true,
    supportsStructuredOutputs: true
  })(model)
