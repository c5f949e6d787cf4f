/** A `LanguageModel` whose replies a function decides, as those of `ModelServer`, without HTTP: its conversations can be held on virtual time. */
import { Effect, Layer, Stream } from "effect"
import { LanguageModel, type Prompt, type Response } from "effect/ai"
import type { Reply } from "./ModelServer.ts"

/** The messages of a request, as text. */
export type Messages = ReadonlyArray<{ readonly role: string; readonly text: string }>

/** Only the text and the tools of replies are used. */
export const layer = (reply: (messages: Messages) => Reply) =>
  Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: () => Effect.die(new Error("Only streams are asked for")),
      streamText: ({ prompt }) => Stream.suspend(() => Stream.fromIterable(partsOf(reply(messagesOf(prompt)))))
    })
  )

const messagesOf = ({ content }: Prompt.Prompt): Messages =>
  content.map((message) => ({
    role: message.role,
    text: typeof message.content === "string"
      ? message.content
      : message.content.map((part) => part.type === "text" ? part.text : JSON.stringify(part)).join("\n")
  }))

const partsOf = ({ text = "", toolCalls = [] }: Reply): ReadonlyArray<Response.StreamPartEncoded> => [
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: text },
  { type: "text-end", id: "1" },
  ...toolCalls.map((call, index) => ({
    type: "tool-call" as const,
    id: `use_${index}`,
    name: call.name,
    params: call.arguments
  }))
]
