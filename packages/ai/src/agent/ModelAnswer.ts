/**
 * The answer of a language model to one input: requests until it has nothing more to do, with the tools that it asks for in between. The
 * contact hears each sentence as soon as it is complete. An interruption ends the request.
 */
import { type Conversation, Phrases, TextAgent } from "@outdial/core"
import { Duration, Effect, Stream } from "effect"
import { type AiError, type LanguageModel, Prompt } from "effect/ai"
import * as ModelFailure from "../model/ModelFailure.ts"
import * as BuiltInTools from "./BuiltInTools.ts"
import * as ModelReply from "./ModelReply.ts"
import * as RequestTelemetry from "./RequestTelemetry.ts"
import * as TalkMessages from "./TalkMessages.ts"

/** All that an answer needs of a model. */
export type StreamedModel = Pick<LanguageModel.LanguageModel, "streamText">

export interface Options {
  /** The model, by the name that the deployment gives it. */
  readonly name: string
  readonly model: StreamedModel
  readonly instructions: string
  /** What has happened, besides what is on record. */
  readonly notice?: string
  /** Whether the model may say nothing, such as to a telephone menu. */
  readonly maySayNothing: boolean
}

/** Most requests for one answer: an agent that looks three things up needs four. */
const mostRequests = 10

/** In how many replies of one answer the model may use tools wrongly. */
const mostMistakes = 3

/** How long the contact waits for a second try: they have heard a filler by then. */
const shortestDelay = Duration.millis(300)
const longestDelay = Duration.seconds(4)

type Answer = Stream.Stream<Conversation.AgentPart, TextAgent.AgentFailed>

export const answer = (options: Options, talk: TextAgent.Asked): Answer =>
  Stream.suspend(() => {
    const { agent, callId, entries, tools } = talk
    const { maySayNothing, model, name, notice } = options
    const progress = ModelReply.progress(tools.available.map((tool) => tool.name))
    const toolkit = BuiltInTools.toolkit(agent, tools.available)
    const system = Prompt.systemMessage({ content: options.instructions })
    const failed = (why: string) =>
      Stream.fail(new TextAgent.AgentFailed({ cause: new Error(`The language model ${name}: ${why}`) }))
    let requests = 0
    let mistakes = 0
    let hasRetried = false
    let hasInsisted = false

    const request = (messages: ReadonlyArray<Prompt.Message>): Answer =>
      Stream.suspend(() => {
        if (++requests > mostRequests) return failed(`it asks for tools in ${mostRequests} requests for one answer`)
        const reply = ModelReply.make(name, agent, progress)
        return asked(model, Prompt.fromMessages([system, ...messages]), toolkit).pipe(
          RequestTelemetry.measured({ agentId: agent.id, callId, model: name }),
          Stream.mapEffect((part) => Effect.fromResult(reply.read(part))),
          Stream.flattenIterable,
          Stream.concat(Stream.suspend(() => Stream.fromIterable(reply.rest()))),
          Stream.map((part) => ({ part })),
          Stream.concat(Stream.succeed({ part: undefined })),
          Stream.catch((error) => Stream.succeed({ error })),
          Stream.flatMap((read) => {
            if ("error" in read) return recovered(messages, reply, read.error)
            return read.part === undefined ? continued(messages, reply) : Stream.succeed(read.part)
          })
        )
      })

    /** What follows a whole reply. */
    const continued = (messages: ReadonlyArray<Prompt.Message>, reply: ModelReply.ModelReply): Answer => {
      const used = Stream.fromIterable(usedBy(reply))
      if (progress.ends !== undefined) return Stream.concat(used, farewell(progress, agent.language))
      if (reply.hasUsedTools()) {
        const next = Effect.map(
          Effect.forEach(reply.hostCalls(), (call) => run(tools, call), { concurrency: "unbounded" }),
          (results) => {
            if (reply.hasMistake() || results.some(({ isMistake }) => isMistake)) mistakes += 1
            return mistakes < mostMistakes
              ? request([...messages, ...reply.messages(results)])
              : failed(`it has used tools wrongly in ${mostMistakes} replies`)
          }
        )
        return Stream.concat(used, Stream.unwrap(next))
      }
      if (progress.isHeard || maySayNothing) return used
      if (hasInsisted) return Stream.concat(used, failed("it says nothing that can be spoken"))
      hasInsisted = true
      return Stream.concat(
        used,
        request([...messages, ...reply.messages([]), TalkMessages.noticeMessage(nothingSpoken)])
      )
    }

    /** What follows a reply that did not come, or not whole. */
    const recovered = (
      messages: ReadonlyArray<Prompt.Message>,
      reply: ModelReply.ModelReply,
      error: unknown
    ): Answer => {
      if (progress.ends !== undefined) return farewell(progress, agent.language)
      const delay = hasRetried ? undefined : retryDelay(error)
      if (delay === undefined) {
        return failed(error instanceof ModelReply.UnusableReply ? error.message : ModelFailure.explained(error))
      }
      hasRetried = true
      const begun = reply.cutMessages()
      const next = request([...messages, ...begun, ...begun.length === 0 ? [] : [TalkMessages.noticeMessage(wasCut)]])
      return Stream.unwrap(Effect.delay(Effect.succeed(next), delay))
    }

    return request(TalkMessages.messages(entries, agent, ...notice === undefined ? [] : [notice]))
  })

const asked = (
  model: StreamedModel,
  prompt: Prompt.Prompt,
  toolkit: ReturnType<typeof BuiltInTools.toolkit>
) =>
  model.streamText({
    prompt,
    toolkit,
    disableToolCallResolution: true,
    toolCallValidation: "deferred"
  }) as Stream.Stream<
    ModelReply.Part,
    AiError.AiError,
    // Only handlers of tools would need services, and none is run.
    never
  >

const nothingSpoken = "Nothing of your answer could be spoken. Answer the contact in plain words."

const wasCut = "Your answer was cut there. Go on with what you have not said."

const usedBy = (reply: ModelReply.ModelReply): ReadonlyArray<Conversation.AgentPart> => {
  const use = reply.use()
  return use === undefined ? [] : [{ _tag: "ModelUsed", ...use }]
}

/** The end of the call, or its transfer. A model that says nothing leaves the last words to us. */
const farewell = ({ ends, isHeard }: ModelReply.Progress, language: string | undefined): Answer => {
  const { filler, goodbye, optedOut } = Phrases.phrasesOf(language)
  const transferTo = typeof ends === "object" ? ends.transferTo : undefined
  const text = transferTo !== undefined ? filler : ends === "opted_out" ? optedOut : goodbye
  return Stream.fromIterable<Conversation.AgentPart>([
    ...isHeard ? [] : [{ _tag: "Say", text } as const],
    transferTo === undefined ? { _tag: "End" } : { _tag: "Transfer", to: transferTo }
  ])
}

const run = (tools: TextAgent.AgentTools, { id, name, params }: ModelReply.HostCall) =>
  Effect.map(tools.run(name, params), ({ problem, result }) => ({
    id,
    name,
    result,
    isFailure: problem !== undefined,
    isMistake: problem === "invalid_arguments" || problem === "unknown_tool"
  }))

/** How long until the request is made again; `undefined` if that is of no use to the contact. */
const retryDelay = (error: unknown): Duration.Duration | undefined => {
  if (!ModelFailure.isTransient(error)) return undefined
  const delay = Duration.max(error.retryAfter ?? shortestDelay, shortestDelay)
  return Duration.isLessThanOrEqualTo(delay, longestDelay) ? delay : undefined
}
