import { ModelAgent } from "@outdial/ai"
import { Effect, Layer, Stream } from "effect"
import { AiError, LanguageModel, type Prompt } from "effect/ai"

/** A `LanguageModel` of Effect over a service of our own, which gets the last words and answers with text. */
const ourModel = (url: string) =>
  Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: ({ prompt }) => Effect.map(asked(url, prompt), (text) => [{ type: "text", text }]),
      streamText: ({ prompt }) =>
        Stream.unwrap(Effect.map(asked(url, prompt), (delta) =>
          Stream.make(
            { type: "text-start", id: "1" },
            { type: "text-delta", id: "1", delta },
            { type: "text-end", id: "1" }
          )))
    })
  )

const asked = (url: string, prompt: Prompt.Prompt) =>
  Effect.tryPromise({
    // Interrupting the effect aborts the signal.
    try: async (signal) => (await fetch(url, { method: "POST", body: lastWords(prompt), signal })).text(),
    catch: () =>
      AiError.make({
        module: "ourModel",
        method: "streamText",
        reason: new AiError.InternalProviderError({ description: "our model does not answer" })
      })
  })

const lastWords = ({ content }: Prompt.Prompt): string => {
  const last = content.findLast((message) => message.role === "user")
  return last?.content.map((part) => part.type === "text" ? part.text : "").join("\n") ?? ""
}

export const agentOf = (url: string) => ModelAgent.layer({ models: { ours: ourModel(url) } })
