import type { LanguageModelV4 } from "@ai-sdk/provider"
import { assert, describe, it } from "@effect/vitest"
import { AiSdkModel } from "@outdial/ai"
import { Duration, Effect, Fiber, Schema, Stream } from "effect"
import { Prompt, Tool, Toolkit } from "effect/ai"
import * as ModelServer from "../support/model/ModelServer.ts"
import { modelOf } from "../support/model/RealClient.ts"

const open = Effect.fnUntraced(function*(
  reply: ModelServer.Options["reply"],
  { settings, ...options }: Partial<ModelServer.Options> & { readonly settings?: AiSdkModel.Settings } = {}
) {
  const server = yield* ModelServer.make({ reply, ...options })
  return { server, model: yield* AiSdkModel.make(modelOf(server), settings) }
})

const textOf = (parts: Iterable<{ readonly type: string; readonly delta?: string }>) =>
  Array.from(parts, ({ delta, type }) => type === "text-delta" ? delta : "").join("")

const tools = Toolkit.make(
  Tool.make("record_answer", {
    description: "Records the contact's answer to a question",
    parameters: Schema.Struct({ question: Schema.String, answer: Schema.String }),
    success: Schema.String
  })
)

const request = { prompt: "Hello", toolkit: tools, disableToolCallResolution: true } as const

describe("a model of the AI SDK", () => {
  it.live("streams its words as they come, with the tokens it took", () =>
    Effect.gen(function*() {
      const { model, server } = yield* open(() => ({ text: "Good morning, Grace. How are you?" }), {
        settings: { temperature: 0.3, maxOutputTokens: 200 }
      })
      const parts = yield* Stream.runCollect(model.streamText({
        prompt: Prompt.make([
          { role: "system", content: "You are Ada." },
          { role: "user", content: [{ type: "text", text: "Hello?" }] }
        ])
      }))
      assert.strictEqual(textOf(parts), "Good morning, Grace. How are you?")
      assert.isAbove(parts.filter(({ type }) => type === "text-delta").length, 2)
      const finish = parts.find((part) => part.type === "finish")
      assert.strictEqual(finish?.reason, "stop")
      assert.isAbove(finish?.usage.inputTokens.total ?? 0, 0)
      assert.isAbove(finish?.usage.outputTokens.total ?? 0, 0)
      assert.strictEqual(parts.find((part) => part.type === "response-metadata")?.modelId, "test-model")
      const [sent] = server.requests
      assert.deepInclude<object>(sent ?? {}, { temperature: 0.3, max_tokens: 200, stream: true })
      assert.deepStrictEqual(sent?.messages, [{ role: "system", content: "You are Ada." }, {
        role: "user",
        content: "Hello?"
      }])
    }))

  it.live("asks for tools, whose arguments come in pieces, and is told their results", () =>
    Effect.gen(function*() {
      const params = { question: "Does Tuesday suit you?", answer: "Yes, \"Tuesday\"." }
      const { model, server } = yield* open((_, index) =>
        index === 0
          ? { text: "One moment.", toolCalls: [{ name: "record_answer", arguments: params }], pieceLength: 3 }
          : { text: "Noted." }
      )
      const parts = yield* Stream.runCollect(model.streamText(request))
      const call = parts.find((part) => part.type === "tool-call")
      assert.deepStrictEqual(call?.params, params)
      assert.strictEqual(parts.find((part) => part.type === "finish")?.reason, "tool-calls")
      const answer = yield* model.generateText({
        ...request,
        prompt: Prompt.concat(
          Prompt.concat(Prompt.make("Hello"), Prompt.fromResponseParts(parts)),
          Prompt.make([{
            role: "tool",
            content: [
              { type: "tool-result", id: call?.id ?? "", name: "record_answer", isFailure: false, result: "recorded" }
            ]
          }])
        )
      })
      assert.strictEqual(answer.text, "Noted.")
      const sent = server.requests[1]
      assert.deepStrictEqual(sent?.tools?.map((tool) => tool.function.name), ["record_answer"])
      assert.deepInclude(sent?.messages.at(-1), { role: "tool", content: "recorded" })
      assert.deepStrictEqual(JSON.parse(sent?.messages.at(-2)?.tool_calls?.[0]?.function.arguments ?? ""), params)
    }))

  it.live("passes on calls of unknown tools and arguments that are no JSON, when the caller checks them", () =>
    Effect.gen(function*() {
      const { model } = yield* open(() => ({
        toolCalls: [{ name: "transfer_money", arguments: { amount: 1 } }, {
          name: "record_answer",
          arguments: "{\"ques"
        }]
      }))
      const { toolCalls } = yield* model.generateText({ ...request, toolCallValidation: "deferred" })
      assert.deepStrictEqual(toolCalls.map(({ name, params }) => [name, params]), [
        ["transfer_money", { amount: 1 }],
        ["record_answer", "{\"ques"]
      ])
    }))

  it.live("gives objects of a schema", () =>
    Effect.gen(function*() {
      const { model, server } = yield* open(() => ({ text: "{\"disposition\":\"booked\",\"rating\":4}" }))
      const { value } = yield* model.generateObject({
        prompt: "What came of it?",
        objectName: "outcome",
        schema: Schema.Struct({ disposition: Schema.Literals(["booked", "declined"]), rating: Schema.Int })
      })
      assert.deepStrictEqual(value, { disposition: "booked", rating: 4 })
      const format = server.requests[0]?.response_format
      assert.strictEqual(format?.json_schema?.name, "outcome")
      assert.include(JSON.stringify(format?.json_schema?.schema), "\"booked\"")
    }))

  it.live("fails on an object that does not fit the schema", () =>
    Effect.gen(function*() {
      const { model } = yield* open(() => ({ text: "{\"rating\":\"many\"}" }))
      const error = yield* Effect.flip(model.generateObject({
        prompt: "What came of it?",
        schema: Schema.Struct({ rating: Schema.Int })
      }))
      assert.strictEqual(error.reason._tag, "StructuredOutputError")
    }))

  it.live("ends the request when it is interrupted", () =>
    Effect.gen(function*() {
      const { model, server } = yield* open(() => ({ text: "word ".repeat(20), fault: "stall" }))
      const heard: Array<string> = []
      const fiber = yield* Effect.forkChild(Stream.runForEach(model.streamText({ prompt: "Hello" }), (part) =>
        Effect.sync(() => {
          if (part.type === "text-delta") heard.push(part.delta)
        })))
      yield* until(() =>
        heard.length > 2
      )
      yield* Fiber.interrupt(fiber)
      yield* until(() => server.aborted() === 1)
    }))

  it.live("ends the request when it is interrupted before the first word", () =>
    Effect.gen(function*() {
      const { model, server } = yield* open(() => ({ fault: "silence" }))
      const fiber = yield* Effect.forkChild(Stream.runDrain(model.streamText({ prompt: "Hello" })))
      yield* until(() => server.requests.length === 1)
      yield* Fiber.interrupt(fiber)
      yield* until(() => server.aborted() === 1)
    }))
})

describe("what a provider gives with a part", () => {
  it.effect("comes back with the part in the next request, such as the signature of its thoughts", () =>
    Effect.gen(function*() {
      const signature = { google: { thoughtSignature: "signed" } }
      const prompts: Array<unknown> = []
      const usage = {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 }
      }
      const model = yield* AiSdkModel.make({
        specificationVersion: "v4",
        provider: "test",
        modelId: "test",
        supportedUrls: {},
        doGenerate: () => Promise.reject(new Error("not asked")),
        doStream: ({ prompt }) => {
          prompts.push(prompt)
          return Promise.resolve({
            stream: ReadableStream.from([
              { type: "reasoning-start", id: "1" },
              { type: "reasoning-delta", id: "1", delta: "Hm." },
              { type: "reasoning-end", id: "1", providerMetadata: signature },
              { type: "tool-call", toolCallId: "2", toolName: "find", input: "{}", providerMetadata: signature },
              { type: "tool-call", toolCallId: "3", toolName: "find", input: "[1" },
              { type: "finish", finishReason: { unified: "tool-calls", raw: undefined }, usage }
            ])
          })
        }
      })
      const asked = { disableToolCallResolution: true, toolCallValidation: "deferred" } as const
      const parts = yield* Stream.runCollect(model.streamText({ ...asked, prompt: "Hello" }))
      yield* Stream.runDrain(model.streamText({ ...asked, prompt: Prompt.fromResponseParts(parts) }))
      assert.deepStrictEqual(prompts[1], [{
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm.", providerOptions: signature },
          { type: "tool-call", toolCallId: "2", toolName: "find", input: {}, providerOptions: signature },
          // Providers refuse arguments that are no object.
          { type: "tool-call", toolCallId: "3", toolName: "find", input: {} }
        ]
      }])
    }))
})

describe("an answer of a model that fails", () => {
  const failures: ReadonlyArray<readonly [string, ModelServer.Reply, string, boolean]> = [
    ["a limit", { status: 429, headers: { "retry-after": "7" } }, "RateLimitError", true],
    ["a server that is down", { status: 503 }, "InternalProviderError", true],
    ["a fault of the server", { status: 500, body: "<html>oops</html>" }, "InternalProviderError", true],
    ["an unpaid bill", { status: 402 }, "QuotaExhaustedError", false],
    ["a request that is wrong", { status: 400 }, "InvalidRequestError", false],
    ["a page instead of an answer", { status: 200, body: "<html>welcome</html>" }, "InvalidOutputError", true]
  ]
  for (const [name, reply, tag, isRetryable] of failures) {
    it.live(`says so: ${name}, after one request`, () =>
      Effect.gen(function*() {
        const { model, server } = yield* open(() => reply)
        const { reason } = yield* Effect.flip(model.generateText({ prompt: "Hello" }))
        assert.strictEqual(reason._tag, tag)
        assert.strictEqual(reason.isRetryable, isRetryable)
        if (reason._tag === "RateLimitError") assert.strictEqual(Duration.toSeconds(reason.retryAfter ?? 0), 7)
        assert.lengthOf(server.requests, 1)
      }))
  }

  for (const fault of ["cut", "malformed"] as const) {
    it.live(`says so after the words that came: a stream that is ${fault}`, () =>
      Effect.gen(function*() {
        const { model } = yield* open(() => ({ text: "Good morning, Grace. How are you today?", fault }))
        const heard: Array<string> = []
        const error = yield* Effect.flip(Stream.runForEach(model.streamText({ prompt: "Hello" }), (part) =>
          Effect.sync(() => {
            if (part.type === "text-delta") heard.push(part.delta)
          })))
        assert.include(["UnknownError", "NetworkError", "InvalidOutputError"], error.reason._tag)
        assert.isTrue("Good morning, Grace. How are you today?".startsWith(heard.join("")))
        assert.isNotEmpty(heard)
      }))
  }

  it.live("keeps the key to itself: a wrong key", () =>
    Effect.gen(function*() {
      const server = yield* ModelServer.make({ reply: () => ({ text: "Hello" }), key: "right" })
      const model = yield* AiSdkModel.make(modelOf({ ...server, key: "sk-secret" }))
      const error = yield* Effect.flip(model.generateText({ prompt: "Hello" }))
      assert.strictEqual(error.reason._tag, "AuthenticationError")
      assert.notInclude(JSON.stringify(error) + error.message, "sk-secret")
    }))

  it.live("names the model: an unknown model", () =>
    Effect.gen(function*() {
      const { model } = yield* open(() => ({ text: "Hello" }), { model: "another" })
      const error = yield* Effect.flip(model.generateText({ prompt: "Hello" }))
      assert.strictEqual(error.reason._tag, "InvalidRequestError")
      assert.include(error.message, "The model 'test-model' does not exist")
    }))

  it.live("says so: nobody at the address", () =>
    Effect.gen(function*() {
      const model = yield* AiSdkModel.make(modelOf({ url: "http://127.0.0.1:9/v1" }))
      const { reason } = yield* Effect.flip(model.generateText({ prompt: "Hello" }))
      assert.strictEqual(reason._tag, "NetworkError")
    }))
})

describe("what is not a model", () => {
  const given: ReadonlyArray<readonly [string, unknown, RegExp]> = [
    ["a name", "gpt-5", /"gpt-5" is the name of a model\. Pass the model itself/],
    ["an older version", { specificationVersion: "v2" }, /implements version "v2" .* and v4 is needed/],
    ["a newer version", { specificationVersion: "v5" }, /implements version "v5"/],
    ["nothing", undefined, /not a model of the AI SDK/],
    ["a provider", () => undefined, /not a model of the AI SDK/]
  ]
  for (const [name, value, message] of given) {
    it.effect(`is refused: ${name}`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(AiSdkModel.make(value as LanguageModelV4))
        assert.match(error.message, message)
      }))
  }
})

const until = (isDone: () => boolean) =>
  Effect.suspend(() => isDone() ? Effect.void : Effect.fail("not yet")).pipe(
    Effect.eventually,
    Effect.timeout("5 seconds")
  )
