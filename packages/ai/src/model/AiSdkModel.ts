/** Makes an Effect `LanguageModel` of a model of the Vercel AI SDK, by version 4 of its provider interface (`@ai-sdk/provider` 4). */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4GenerateResult,
  LanguageModelV4ToolChoice
} from "@ai-sdk/provider"
import { Effect, Layer, Schema, type Scope, Stream } from "effect"
import { AiError, AnthropicStructuredOutput, LanguageModel, type Response, Tool } from "effect/ai"
import * as AiSdkError from "./AiSdkError.ts"
import * as AiSdkPrompt from "./AiSdkPrompt.ts"
import * as AiSdkResponse from "./AiSdkResponse.ts"

/** What was given is not a model that can be used. */
export class UnsupportedModel extends Schema.TaggedError<UnsupportedModel>()("UnsupportedModel", {
  message: Schema.String
}) {}

/** Settings that every request has, as the AI SDK defines them. */
export type Settings = Pick<
  LanguageModelV4CallOptions,
  | "frequencyPenalty"
  | "headers"
  | "maxOutputTokens"
  | "presencePenalty"
  | "providerOptions"
  | "reasoning"
  | "seed"
  | "temperature"
  | "topK"
  | "topP"
>

/**
 * The `LanguageModel` of effect/ai that asks this model. It makes one request for each use and retries none. An interruption aborts the
 * request.
 */
export const layer = (
  model: LanguageModelV4,
  settings: Settings = {}
): Layer.Layer<LanguageModel.LanguageModel, UnsupportedModel> =>
  Layer.effect(LanguageModel.LanguageModel, make(model, settings))

export const make = Effect.fnUntraced(function*(
  model: LanguageModelV4,
  settings: Settings = {}
): Effect.fn.Return<LanguageModel.LanguageModel, UnsupportedModel> {
  const why = problemOf(model)
  if (why !== undefined) return yield* new UnsupportedModel({ message: why })
  return yield* LanguageModel.make({
    codecTransformer: toProvider,
    generateText: (options) =>
      Effect.scoped(Effect.gen(function*() {
        const request = yield* requestOf("generateText", options, settings)
        const result = yield* asking("generateText", () => model.doGenerate(request))
        if (lengthOf(result) > longest) return yield* AiSdkError.tooLong("generateText", longest)
        return AiSdkResponse.parts(result)
      })),
    streamText: (options) =>
      Stream.unwrap(Effect.gen(function*() {
        const request = yield* requestOf("streamText", options, settings)
        const { stream } = yield* asking("streamText", () => opened(model, request))
        return Stream.fromReadableStream({
          evaluate: () => stream,
          onError: (cause) => AiSdkError.fromThrown("streamText", cause)
        }).pipe(
          Stream.mapEffect((part): Effect.Effect<ReadonlyArray<Response.StreamPartEncoded>, AiError.AiError> =>
            part.type === "error"
              ? Effect.fail(AiSdkError.fromThrown("streamText", part.error))
              : Effect.succeed(AiSdkResponse.streamParts(part))
          ),
          Stream.flattenIterable
        )
      }))
  })
})

/** Providers refuse schemas whose objects may have more fields than are named, or fewer. Anthropic takes the fewest forms, OpenAI some more. */
const toProvider = AnthropicStructuredOutput.toCodecAnthropic

/** Longest text of an answer, in characters: far more than is of use, and little enough to be read as JSON. */
const longest = 1_000_000

const lengthOf = ({ content }: LanguageModelV4GenerateResult): number =>
  content.reduce((sum, part) => part.type === "text" ? sum + part.text.length : sum, 0)

/** A model that answers an aborted request all the same must not keep its connection. */
const opened = async (model: LanguageModelV4, request: LanguageModelV4CallOptions) => {
  const result = await model.doStream(request)
  if (request.abortSignal?.aborted === true) await result.stream.cancel()
  return result
}

const asking = <A>(method: AiSdkError.Method, ask: () => PromiseLike<A>): Effect.Effect<A, AiError.AiError> =>
  Effect.tryPromise({ try: async () => ask(), catch: (cause) => AiSdkError.fromThrown(method, cause) })

/** The request in the AI SDK's form. It is aborted when the scope closes, which changes nothing for one that was answered. */
const requestOf = Effect.fnUntraced(function*(
  method: AiSdkError.Method,
  { prompt, responseFormat, toolChoice, tools }: LanguageModel.ProviderOptions,
  settings: Settings
): Effect.fn.Return<LanguageModelV4CallOptions, AiError.AiError, Scope.Scope> {
  const abort = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  return yield* Effect.try({
    try: (): LanguageModelV4CallOptions => ({
      ...settings,
      prompt: AiSdkPrompt.messages(prompt),
      abortSignal: abort.signal,
      ...(tools.length > 0 && { tools: tools.map(toolOf), toolChoice: choiceOf(toolChoice) }),
      ...(responseFormat.type === "json" && {
        responseFormat: {
          type: "json",
          name: responseFormat.objectName,
          schema: toProvider(responseFormat.schema).jsonSchema
        }
      })
    }),
    catch: (cause) => AiSdkError.unusable(method, cause)
  })
})

const known = new WeakMap<Tool.Any, LanguageModelV4FunctionTool>()

/** Made once for each tool: the JSON Schemas of our own take milliseconds, and each answer needs them. */
const toolOf = (tool: Tool.Any): LanguageModelV4FunctionTool => {
  const made = known.get(tool) ?? makeTool(tool)
  known.set(tool, made)
  return made
}

const makeTool = (tool: Tool.Any): LanguageModelV4FunctionTool => {
  const description = Tool.getDescription(tool)
  const strict = Tool.getStrictMode(tool)
  return {
    type: "function",
    name: tool.name,
    inputSchema: Tool.getJsonSchema(tool),
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict })
  }
}

/** A choice among some tools is made by offering only these. */
const choiceOf = (choice: LanguageModel.ToolChoice<string>): LanguageModelV4ToolChoice =>
  typeof choice === "string"
    ? { type: choice }
    : "tool" in choice
    ? { type: "tool", toolName: choice.tool }
    : { type: choice.mode ?? "auto" }

/** Plain JavaScript may pass anything: the name of a model, or one of another version of the AI SDK. */
const problemOf = (model: unknown): string | undefined => {
  if (typeof model === "string") {
    return `"${model}" is the name of a model. Pass the model itself, such as openai("${model}") of @ai-sdk/openai`
  }
  const version = typeof model === "object" && model !== null && "specificationVersion" in model
    ? model.specificationVersion
    : undefined
  if (version === "v4") return undefined
  return version === undefined
    ? "This is not a model of the AI SDK. Pass what a provider returns, such as openai(\"gpt-5\") of @ai-sdk/openai"
    : `The model implements version ${
      JSON.stringify(version)
    } of the AI SDK's provider interface, and v4 is needed. Install the ` +
      "version of its provider package that depends on @ai-sdk/provider 4"
}
