/** A conversation with the agent of a language model, whose server answers as a test says. */
import { type Agent, type Conversation, TextAgent } from "@outdial/core"
import { AiSdkModel, ModelAgent } from "@outdial/ai"
import { Factories } from "@outdial/testkit"
import { Context, Effect, Layer, Stream } from "effect"
import * as ModelServer from "./ModelServer.ts"
import { modelOf } from "./RealClient.ts"

export interface Options extends Partial<ModelServer.Options> {
  readonly agent?: Partial<Agent.AgentBrief>
  readonly entries?: ReadonlyArray<Conversation.Entry>
  readonly tools?: TextAgent.AgentTools
}

export type Replies = ReadonlyArray<ModelServer.Reply>

/** Answers in this order. The last answers all that follow. */
export const inOrder = (replies: Replies): ModelServer.Options["reply"] => (_, index) =>
  replies[index] ?? replies.at(-1) ?? {}

export interface ModelTalk {
  readonly server: ModelServer.ModelServer
  readonly talk: TextAgent.TextTalk
  readonly reply: (
    input: Conversation.AgentInput | string
  ) => Stream.Stream<Conversation.AgentPart, TextAgent.AgentFailed>
  /** The whole answer. What is said in it counts as heard. */
  readonly hear: (
    input: Conversation.AgentInput | string
  ) => Effect.Effect<ReadonlyArray<Conversation.AgentPart>, TextAgent.AgentFailed>
}

const inputOf = (input: Conversation.AgentInput | string): Conversation.AgentInput =>
  typeof input === "string" ? { _tag: "Words", text: input } : input

export const brief = (agent: Partial<Agent.AgentBrief> = {}): TextAgent.ConversationBrief => ({
  accountId: Factories.accountId(),
  callId: Factories.callId(),
  contact: { name: "Grace" },
  agent: Factories.agentBrief({ questions: ["Will you come?", "How will you travel?"], tools: [], ...agent })
})

/** Ends with the scope. */
export const make = Effect.fnUntraced(function*(
  replies: Replies | ModelServer.Options["reply"],
  { agent = {}, entries = [], tools = TextAgent.noTools, ...options }: Options = {}
) {
  const server = yield* ModelServer.make({
    ...options,
    reply: typeof replies === "function" ? replies : inOrder(replies)
  })
  const context = yield* Layer.build(ModelAgent.layer({ models: { fast: AiSdkModel.layer(modelOf(server)) } }))
  const talk = yield* Context.get(context, TextAgent.TextAgent).open(brief(agent), entries)
  const reply: ModelTalk["reply"] = (input) => talk.reply(inputOf(input), tools)
  const result: ModelTalk = {
    server,
    talk,
    reply,
    hear: Effect.fnUntraced(function*(input) {
      const parts = yield* Stream.runCollect(reply(input))
      for (const part of parts) {
        if (part._tag === "Say") yield* talk.heard({ text: part.text, interrupted: false })
      }
      return parts
    })
  }
  return result
})

/** What the contact hears and what is noted, without the tokens. */
export const shown = (parts: ReadonlyArray<Conversation.AgentPart>): ReadonlyArray<string> =>
  parts.flatMap((part) => {
    switch (part._tag) {
      case "Say":
        return [part.text]
      case "Press":
        return [`presses ${part.digits}`]
      case "Note":
        return [`notes ${Object.values(part.note).join(" | ")}`]
      case "Transfer":
        return [`Transfer ${part.to}`]
      case "End":
        return ["ends"]
      case "ModelUsed":
        return []
      default:
        return part satisfies never
    }
  })

/** A call of a tool. */
export const uses = (name: string, args: unknown = {}): Required<Pick<ModelServer.Reply, "toolCalls">> => ({
  toolCalls: [{ name, arguments: args }]
})
