import { assert, describe, it } from "@effect/vitest"
import { AiSdkModel, FallbackModel } from "@outdial/ai"
import { Effect, Fiber, Layer, Schema, Stream } from "effect"
import { AiError, LanguageModel, type Response } from "effect/ai"
import { TestClock } from "effect/testing"
import * as ModelServer from "../support/model/ModelServer.ts"
import { modelOf } from "../support/model/RealClient.ts"

/** Two servers, and what the model of both says to a greeting. */
const asked = Effect.fnUntraced(function*(first: ModelServer.Reply, options?: FallbackModel.Options) {
  const servers = yield* Effect.all([
    ModelServer.make({ reply: () => first }),
    ModelServer.make({ reply: () => ({ text: "The second answers." }) })
  ])
  const [one, two] = servers.map(({ url }, index) =>
    AiSdkModel.layer(modelOf({ url, model: index === 0 ? "first-model" : "second-model" }))
  )
  const context = yield* Layer.build(
    FallbackModel.layer(one ?? Layer.empty as never, two ?? Layer.empty as never, options)
  )
  return { servers, layer: Layer.succeedContext(context) }
})

const streamed = Effect.gen(function*() {
  let heard = ""
  let model: string | undefined
  const exit = yield* Effect.result(
    Stream.runForEach(LanguageModel.streamText({ prompt: "Hello" }), (part) =>
      Effect.sync(() => {
        if (part.type === "text-delta") heard += part.delta
        if (part.type === "response-metadata") model = part.modelId
      }))
  )
  return { heard, model, failed: exit._tag === "Failure" ? exit.failure.reason._tag : undefined }
})

const second = { heard: "The second answers.", model: "second-model", failed: undefined }

const until = (isDone: () => boolean) =>
  Effect.eventually(Effect.suspend(() => isDone() ? Effect.void : Effect.fail("not yet")))

describe("a fallback model", () => {
  // On the test clock no server is too slow until the test says so.
  it.effect("is not asked while the first answers", () =>
    Effect.gen(function*() {
      const { layer, servers } = yield* asked({ text: "The first answers.", eachAfter: 10 })
      assert.deepStrictEqual(yield* Effect.provide(streamed, layer), {
        heard: "The first answers.",
        model: "first-model",
        failed: undefined
      })
      assert.isEmpty(servers[1].requests)
    }))

  it.effect("is not asked once the first has begun, however long it goes on", () =>
    Effect.gen(function*() {
      const { layer, servers } = yield* asked({ text: "The first answers for a long time.", fault: "stall" })
      let parts = 0
      const answer = Stream.runForEach(LanguageModel.streamText({ prompt: "Hello" }), ({ type }) =>
        Effect.sync(() => {
          if (type === "text-delta") parts += 1
        }))
      const fiber = yield* Effect.forkChild(Effect.provide(answer, layer))
      yield* until(() => parts > 0)
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(fiber.pollUnsafe())
      assert.isEmpty(servers[1].requests)
    }))

  const outages: ReadonlyArray<readonly [string, ModelServer.Reply]> = [
    ["is limited", { status: 429 }],
    ["is down", { status: 503 }],
    ["refuses the key", { status: 401 }]
  ]
  for (const [name, reply] of outages) {
    it.effect(`is asked when the first ${name}`, () =>
      Effect.gen(function*() {
        const { layer, servers } = yield* asked(reply)
        assert.deepStrictEqual(yield* Effect.provide(streamed, layer), second)
        assert.deepStrictEqual(servers.map(({ requests }) => requests.length), [1, 1])
      }))
  }

  it.effect("is asked when the first does not begin in time", () =>
    Effect.gen(function*() {
      const { layer, servers } = yield* asked({ fault: "silence" }, { timeout: "2 seconds" })
      const fiber = yield* Effect.forkChild(Effect.provide(streamed, layer))
      yield* until(() => servers[0].requests.length === 1)
      yield* TestClock.adjust("1999 millis")
      assert.isEmpty(servers[1].requests)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), second)
      yield* until(() => servers[0].aborted() === 1)
    }))

  const thoughts: ReadonlyArray<Response.StreamPartEncoded> = [
    { type: "reasoning-start", id: "1" },
    { type: "reasoning-delta", id: "1", delta: "Who is this?" },
    { type: "text-start", id: "2" }
  ]
  const streaming = (stream: Stream.Stream<Response.StreamPartEncoded, AiError.AiError>) =>
    LanguageModel.make({ generateText: () => Effect.succeed([]), streamText: () => stream })
  const answer = streaming(Stream.make(
    { type: "response-metadata", modelId: "second-model" },
    { type: "text-delta", id: "1", delta: "The second answers." }
  ))
  const down = AiError.make({
    module: "test",
    method: "streamText",
    reason: new AiError.InternalProviderError({ description: "down" })
  })

  it.effect("is asked while the first only thinks, whose thoughts are dropped", () =>
    Effect.gen(function*() {
      const thinks = yield* streaming(Stream.concat(Stream.fromIterable(thoughts), Stream.never))
      const fails = yield* streaming(Stream.concat(Stream.fromIterable(thoughts), Stream.fail(down)))
      for (const first of [fails, thinks]) {
        const fallback = FallbackModel.make(first, yield* answer)
        const parts = yield* Effect.forkChild(Stream.runCollect(fallback.streamText({ prompt: "Hello" })))
        yield* TestClock.adjust("3 seconds")
        assert.deepStrictEqual((yield* Fiber.join(parts)).map(({ type }) => type), ["response-metadata", "text-delta"])
      }
    }))

  it.effect("leaves the thoughts of a model that answers, and an answer without words", () =>
    Effect.gen(function*() {
      const typesOf = Effect.fnUntraced(function*(...more: ReadonlyArray<Response.StreamPartEncoded>) {
        const first = yield* streaming(Stream.fromIterable([...thoughts, ...more]))
        const parts = yield* Stream.runCollect(FallbackModel.make(first, yield* answer).streamText({ prompt: "Hello" }))
        return parts.map(({ type }) => type)
      })
      const all = thoughts.map(({ type }) => type)
      assert.deepStrictEqual(yield* typesOf({ type: "text-delta", id: "2", delta: "I." }), [...all, "text-delta"])
      assert.deepStrictEqual(yield* typesOf(), all)
    }))

  it.effect("is asked for a whole text when the first fails", () =>
    Effect.gen(function*() {
      const { layer } = yield* asked({ status: 500 })
      const { text } = yield* Effect.provide(LanguageModel.generateText({ prompt: "Hello" }), layer)
      assert.strictEqual(text, "The second answers.")
    }))

  it.effect("is asked for an object when that of the first does not fit", () =>
    Effect.gen(function*() {
      const { layer, servers } = yield* asked({ text: "{\"rating\":\"many\"}" })
      yield* Effect.provide(
        Effect.flip(LanguageModel.generateObject({ prompt: "Rate", schema: Schema.Struct({ rating: Schema.Int }) })),
        layer
      )
      assert.lengthOf(servers[1].requests, 1)
    }))

  it.effect("is not asked once the first has begun, nor for a request that is wrong", () =>
    Effect.gen(function*() {
      const cut = yield* asked({ text: "The first answers.", eachAfter: 10, fault: "cut" })
      const { failed, heard } = yield* Effect.provide(streamed, cut.layer)
      assert.isDefined(failed)
      assert.isTrue("The first answers.".startsWith(heard) && heard !== "")
      const wrong = yield* asked({ status: 400 })
      assert.strictEqual((yield* Effect.provide(streamed, wrong.layer)).failed, "InvalidRequestError")
      assert.isEmpty([...cut.servers[1].requests, ...wrong.servers[1].requests])
    }))
})
