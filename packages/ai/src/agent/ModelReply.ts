/** Reads one reply of a language model as it comes: what to say at once, what to note, and which tools of the host to run. */
import type { Agent, Conversation, ModelUsage } from "@outdial/core"
import { Data, Result } from "effect"
import { Prompt, type Response, type Tool } from "effect/ai"
import * as ModelUse from "../model/ModelUse.ts"
import * as BuiltInTools from "./BuiltInTools.ts"
import * as PromptGuard from "./PromptGuard.ts"
import * as Sentences from "./Sentences.ts"
import * as TalkMessages from "./TalkMessages.ts"

/** The reply is of no use. The message says why, in words that the model has not chosen. */
export class UnusableReply extends Data.Error<{ readonly message: string }> {}

/** Longest reply, in characters, with its thoughts and the arguments of its tools: far more than can be said. */
const longest = 100_000

/** What an answer has come to, over all requests for it. */
export interface Progress {
  /** Whether the contact has something of it: words, or digits. */
  isHeard: boolean
  /** How the conversation ends after it. */
  ends: BuiltInTools.Ending | undefined
  readonly guard: PromptGuard.PromptGuard
}

/** `hostTools` are the names of the host's tools. */
export const progress = (hostTools: ReadonlyArray<string>): Progress => ({
  isHeard: false,
  ends: undefined,
  guard: PromptGuard.make(hostTools)
})

/** A tool of the host that the model asks for. */
export type HostCall = Pick<TalkMessages.ToolUse, "id" | "name" | "params">

export type Part = Response.StreamPart<Record<string, Tool.Any>, "deferred">

export interface ModelReply {
  /** What follows from a part of it. */
  readonly read: (part: Part) => Result.Result<ReadonlyArray<Conversation.AgentPart>, UnusableReply>
  /** What follows at its end. */
  readonly rest: () => ReadonlyArray<Conversation.AgentPart>
  readonly hostCalls: () => ReadonlyArray<HostCall>
  /** Whether it has used a tool. */
  readonly hasUsedTools: () => boolean
  /** Whether it has used one wrongly. */
  readonly hasMistake: () => boolean
  /** What it took, once the provider has said so. */
  readonly use: () => ModelUsage.ModelUse | undefined
  /** The whole reply with the results of its tools, for the next request. */
  readonly messages: (hostResults: ReadonlyArray<TalkMessages.ToolResult>) => ReadonlyArray<Prompt.Message>
  /** The same of a reply that was cut: the sentences that were said, and the tools that were used. */
  readonly cutMessages: () => ReadonlyArray<Prompt.Message>
}

/** The reply of the model of this name. */
export const make = (
  name: string,
  agent: Pick<Agent.AgentBrief, "questions" | "transferNumbers">,
  answer: Progress
): ModelReply => {
  const sentences = Sentences.make()
  const said: Array<string> = []
  const parts: Array<Part> = []
  const results: Array<TalkMessages.ToolResult> = []
  const hostCalls: Array<HostCall> = []
  let length = 0
  answer.guard.replyBegins()

  const say = (spoken: ReadonlyArray<string>): ReadonlyArray<Conversation.AgentPart> =>
    spoken.flatMap((text) => {
      if (answer.guard.isUnspeakable(text)) return []
      answer.isHeard = true
      said.push(text)
      return [{ _tag: "Say", text }]
    })

  const called = ({ id, name, params }: HostCall): ReadonlyArray<Conversation.AgentPart> => {
    const used = BuiltInTools.use(name, params, agent)
    if (used === undefined) {
      hostCalls.push({ id, name, params })
      return []
    }
    results.push({ id, name, result: used.result, isFailure: used.isFailure ?? false })
    answer.ends ??= used.ends
    answer.isHeard ||= used.parts.some(({ _tag }) => _tag === "Press")
    return used.parts
  }

  const follows = (part: Part): ReadonlyArray<Conversation.AgentPart> => {
    switch (part.type) {
      case "text-delta":
        return say(sentences.push(part.delta))
      case "text-end":
      case "tool-params-start":
        return say(sentences.rest())
      case "tool-call":
        return [...say(sentences.rest()), ...called(part)]
      default:
        return []
    }
  }

  return {
    read: (part) => {
      if (part.type === "error") {
        return Result.fail(new UnusableReply({ message: "it reports an error in the middle of its answer" }))
      }
      if ("delta" in part) length += part.delta.length
      if (length > longest) {
        return Result.fail(new UnusableReply({ message: `its answer has more than ${longest} characters` }))
      }
      parts.push(part)
      return Result.succeed(follows(part))
    },
    rest: () => say(sentences.rest()),
    hostCalls: () => hostCalls,
    hasUsedTools: () => results.length + hostCalls.length > 0,
    hasMistake: () => results.some(({ isFailure }) => isFailure),
    use: () => ModelUse.of(name, parts),
    messages: (hostResults) => withResults(Prompt.fromResponseParts(parts).content, [...results, ...hostResults]),
    cutMessages: () => {
      const text = said.join(" ")
      const content = [
        ...text === "" ? [] : [Prompt.textPart({ text })],
        ...parts.flatMap((part) =>
          part.type === "tool-call" && results.some(({ id }) => id === part.id)
            ? [Prompt.toolCallPart({ id: part.id, name: part.name, params: part.params, providerExecuted: false })]
            : []
        )
      ]
      return withResults(content.length === 0 ? [] : [Prompt.assistantMessage({ content })], results)
    }
  }
}

const withResults = (
  messages: ReadonlyArray<Prompt.Message>,
  results: ReadonlyArray<TalkMessages.ToolResult>
): ReadonlyArray<Prompt.Message> => results.length === 0 ? messages : [...messages, TalkMessages.toolResults(results)]
