/** Messages in the AI SDK's form. */
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions
} from "@ai-sdk/provider"
import type { Prompt } from "effect/ai"

/** Throws on content that no conversation of Outdial has: files, and approvals of tools. */
export const messages = (prompt: Prompt.Prompt): LanguageModelV4Prompt => prompt.content.map(messageOf)

const messageOf = (message: Prompt.Message): LanguageModelV4Message => {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content }
    case "user":
      return {
        role: "user",
        content: message.content.map((part) => part.type === "text" ? textOf(part) : unknown(part))
      }
    case "assistant":
      return { role: "assistant", content: message.content.map(assistantPart) }
    case "tool":
      return {
        role: "tool",
        content: message.content.map((part) => part.type === "tool-result" ? resultOf(part) : unknown(part))
      }
    default:
      return message satisfies never
  }
}

const assistantPart = (part: Prompt.AssistantMessagePart) => {
  switch (part.type) {
    case "text":
      return textOf(part)
    case "reasoning":
      return { type: "reasoning", text: part.text, ...optionsOf(part) } as const
    case "tool-call":
      return {
        type: "tool-call",
        toolCallId: part.id,
        toolName: part.name,
        // Arguments that are no object are a mistake of the model, which providers refuse to read again.
        input: isObject(part.params) ? part.params : {},
        ...optionsOf(part)
      } as const
    case "tool-result":
      return resultOf(part)
    default:
      return unknown(part)
  }
}

const textOf = (part: Prompt.TextPart) => ({ type: "text", text: part.text, ...optionsOf(part) }) as const

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value)

/** What the provider has given with the part, in the form in which it was given. */
const optionsOf = ({ options }: { readonly options: Prompt.ProviderOptions }) =>
  Object.keys(options).length === 0 ? {} : { providerOptions: options as SharedV4ProviderOptions }

const resultOf = ({ id, isFailure, name, result }: Prompt.ToolResultPart): LanguageModelV4ToolResultPart => ({
  type: "tool-result",
  toolCallId: id,
  toolName: name,
  output: typeof result === "string"
    ? { type: isFailure ? "error-text" : "text", value: result }
    // Results are checked to be JSON where they are made; what is none becomes null.
    : { type: isFailure ? "error-json" : "json", value: JSON.parse(JSON.stringify(result) ?? "null") }
})

const unknown = ({ type }: { readonly type: string }): never => {
  throw new Error(`messages of the type ${type} are not sent to models of the AI SDK`)
}
