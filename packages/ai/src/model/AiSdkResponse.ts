/** What a model of the AI SDK answers, in Effect's form. Parts that a conversation has no use for (files, sources) are dropped. */
import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4ResponseMetadata,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata
} from "@ai-sdk/provider"
import type { Response } from "effect/ai"

export const parts = (
  { content, finishReason, response, usage }: LanguageModelV4GenerateResult
): Array<Response.PartEncoded> => [
  ...response === undefined ? [] : [metadataOf(response)],
  ...content.flatMap(contentPart),
  finishOf(finishReason, usage)
]

const contentPart = (part: LanguageModelV4Content): ReadonlyArray<Response.PartEncoded> => {
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text, ...metadata(part) }]
    case "reasoning":
      return [{ type: "reasoning", text: part.text, ...metadata(part) }]
    case "tool-call":
      return callOf(part)
    default:
      return []
  }
}

export const streamParts = (part: LanguageModelV4StreamPart): ReadonlyArray<Response.StreamPartEncoded> => {
  switch (part.type) {
    case "text-start":
    case "text-end":
    case "reasoning-start":
    case "reasoning-end":
      return [{ type: part.type, id: part.id, ...metadata(part) }]
    case "text-delta":
    case "reasoning-delta":
      return [{ type: part.type, id: part.id, delta: part.delta, ...metadata(part) }]
    case "tool-input-start":
      return part.providerExecuted === true ? [] : [{ type: "tool-params-start", id: part.id, name: part.toolName }]
    case "tool-input-delta":
      return [{ type: "tool-params-delta", id: part.id, delta: part.delta }]
    case "tool-input-end":
      return [{ type: "tool-params-end", id: part.id }]
    case "tool-call":
      return callOf(part)
    case "response-metadata":
      return [metadataOf(part)]
    case "finish":
      return [finishOf(part.finishReason, part.usage)]
    default:
      return []
  }
}

/** Calls that the provider has executed itself are no business of ours. */
const callOf = (part: LanguageModelV4ToolCall): ReadonlyArray<Response.ToolCallPartEncoded> => {
  if (part.providerExecuted === true) return []
  const { input, toolCallId, toolName } = part
  return [{ type: "tool-call", id: toolCallId, name: toolName, params: paramsOf(input), ...metadata(part) }]
}

/** What a provider wants back with the part in the next request, such as the signature of its reasoning. */
const metadata = ({ providerMetadata }: { readonly providerMetadata?: SharedV4ProviderMetadata }) =>
  providerMetadata === undefined ? {} : { metadata: JSON.parse(JSON.stringify(providerMetadata)) }

/** Arguments that are no JSON stay text, which whoever checks them refuses. Some models send nothing for a tool without parameters. */
const paramsOf = (input: string): unknown => {
  if (input.trim() === "") return {}
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

const metadataOf = (
  { id, modelId, timestamp }: LanguageModelV4ResponseMetadata
): Response.ResponseMetadataPartEncoded => ({
  type: "response-metadata",
  id,
  modelId,
  timestamp: timestamp?.toISOString()
})

const finishOf = (
  { raw, unified }: LanguageModelV4FinishReason,
  { inputTokens, outputTokens }: LanguageModelV4Usage
): Response.FinishPartEncoded => ({
  type: "finish",
  reason: unified === "interrupted" ? "other" : unified === "other" && raw === undefined ? "unknown" : unified,
  usage: {
    inputTokens: {
      total: inputTokens.total,
      uncached: inputTokens.noCache,
      cacheRead: inputTokens.cacheRead,
      cacheWrite: inputTokens.cacheWrite
    },
    outputTokens: { total: outputTokens.total, text: outputTokens.text, reasoning: outputTokens.reasoning }
  }
})
