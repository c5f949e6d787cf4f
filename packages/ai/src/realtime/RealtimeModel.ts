/** The model of a realtime session, as a language model that streams one answer: the words come with their sound, which the line then plays. */
import type { TextAgent } from "@outdial/core"
import { Effect, Exit, Stream } from "effect"
import { AiError, type Prompt, Tool } from "effect/ai"
import * as BuiltInTools from "../agent/BuiltInTools.ts"
import type { StreamedModel } from "../agent/ModelAnswer.ts"
import * as TalkMessages from "../agent/TalkMessages.ts"
import type { ServiceFailure } from "../speech/ServiceFailure.ts"
import * as RealtimeEvents from "./RealtimeEvents.ts"
import type { RealtimeSession } from "./RealtimeSession.ts"
import type * as Replies from "./Replies.ts"

interface Request {
  readonly prompt: Prompt.Prompt
}

/** The tools of the answer, as the service takes them. */
export const toolsOf = (
  { agent, tools }: Pick<TextAgent.Asked, "agent" | "tools">
): ReadonlyArray<object> => Object.values(BuiltInTools.toolkit(agent, tools.available).tools).map(toolOf)

/** For the answer to one input. */
export const make = (
  session: Pick<RealtimeSession, "answer" | "drop" | "goOn">,
  { input }: Pick<TextAgent.Asked, "input">,
  isTold: Replies.Input["isTold"]
): StreamedModel => {
  /** How many messages of the prompt the service knows; it was told those of the conversation as they were said. */
  let known: number | undefined
  const streamText = ({ prompt }: Request) =>
    Stream.unwrap(Effect.gen(function*() {
      const before = known
      const reply = yield* Effect.mapError(
        before === undefined
          ? session.answer({ said: input._tag === "Words" ? input.text : undefined, items: itemsOf(input), isTold })
          : session.goOn(prompt.content.slice(before).flatMap(itemsFrom)),
        aiError
      )
      known = prompt.content.length
      return Stream.fromQueue(reply.parts).pipe(
        Stream.mapError(aiError),
        Stream.onExit((exit) => {
          if (Exit.isSuccess(exit)) return Effect.sync(() => void (reply.isRead = true))
          reply.isCut = true
          return session.drop(reply)
        })
      )
    }))
  // Of the options, a session needs only the prompt: it has been given the tools. It has these parts only.
  return { streamText: streamText as unknown as StreamedModel["streamText"] }
}

/** What the service has not heard of the input. */
const itemsOf = (input: TextAgent.Asked["input"]): ReadonlyArray<RealtimeEvents.Item> => {
  switch (input._tag) {
    case "Words":
      return []
    case "Opening":
      return [notice(TalkMessages.notices.answered)]
    case "Digits":
      return [notice(TalkMessages.notices.pressed(input.digits))]
    case "Machine":
      return [notice(TalkMessages.notices.machine(input.kind))]
    case "NotTransferred":
      return [notice(TalkMessages.notices.notTransferred(input.to))]
    case "Resumed":
      return [notice(TalkMessages.notices.cut)]
    default:
      return input satisfies never
  }
}

const notice = (text: string) => RealtimeEvents.userText(`[${text}]`)

/** What follows in an answer: what came of tools, and notices. The service knows its own words. */
const itemsFrom = (message: Prompt.Message): ReadonlyArray<RealtimeEvents.Item> =>
  message.role === "assistant" ? [] : itemsOfMessage(message)

/** A message of the conversation, for a service that does not know it. */
export const itemsOfMessage = (message: Prompt.Message): ReadonlyArray<RealtimeEvents.Item> => {
  switch (message.role) {
    case "system":
      return []
    case "user":
      return message.content.flatMap((part) => part.type === "text" ? [RealtimeEvents.userText(part.text)] : [])
    case "assistant":
      return message.content.flatMap((part): ReadonlyArray<RealtimeEvents.Item> => {
        if (part.type === "text") return [RealtimeEvents.agentText(part.text)]
        if (part.type !== "tool-call") return []
        const { id, name, params } = part
        return [{ type: "function_call", call_id: callId(id), name, arguments: JSON.stringify(params) }]
      })
    case "tool":
      return message.content.flatMap((part): ReadonlyArray<RealtimeEvents.Item> =>
        part.type === "tool-result"
          ? [{ type: "function_call_output", call_id: callId(part.id), output: textOf(part.result) }]
          : []
      )
    default:
      return message satisfies never
  }
}

/** The service takes names of up to 32 characters. */
const callId = (id: string): string => id.slice(-32)

/** A tool and its result, as another use of it: of the first use, the service knows that it still runs. */
export const itemsOfUse = (
  { id, name, params, result }: TalkMessages.ToolUse
): readonly [RealtimeEvents.Item, RealtimeEvents.Item] => [
  { type: "function_call", call_id: callId(id), name, arguments: JSON.stringify(params) },
  { type: "function_call_output", call_id: callId(id), output: textOf(result) }
]

export const textOf = (result: unknown): string => typeof result === "string" ? result : JSON.stringify(result)

const toolOf = (tool: Tool.Any) => ({
  type: "function",
  name: tool.name,
  ...Tool.getDescription(tool) !== undefined && { description: Tool.getDescription(tool) },
  parameters: Tool.getJsonSchema(tool)
})

/** What exactly it was, the session has logged. Another try may do better, also on the next connection. */
const aiError = ({ isLost, why }: ServiceFailure) =>
  AiError.make({
    module: "Realtime",
    method: "streamText",
    reason: isLost
      ? new AiError.InternalProviderError({ description: why })
      : new AiError.InvalidRequestError({ description: why })
  })
