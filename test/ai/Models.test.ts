import { assert, describe, it } from "@effect/vitest"
import { AiSdkModel, Models } from "@outdial/ai"
import { Agents, type Errors } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import * as ModelServer from "../support/model/ModelServer.ts"
import { modelOf } from "../support/model/RealClient.ts"

/** A server, and the models `fast` and `exact` on it. */
const opened = Effect.fnUntraced(function*(options?: Models.Options) {
  const server = yield* ModelServer.make({ reply: ({ model }) => ({ text: `I am ${model}.` }) })
  const layerOf = (model: string) => AiSdkModel.layer(modelOf({ url: server.url, model }))
  return { server, layer: Models.Models.layer({ fast: layerOf("small-1"), exact: layerOf("large-1") }, options) }
})

const asked = (model?: string) =>
  Effect.gen(function*() {
    const { of } = yield* Models.Models
    const named = yield* of(model === undefined ? {} : { model })
    const { text } = yield* named.model.generateText({ prompt: "Who are you?" })
    return [named.name, text]
  })

describe("the models of a deployment", () => {
  it.live("are those that agents name, and the first one for agents that name none", () =>
    Effect.gen(function*() {
      const { layer } = yield* opened()
      const answers = yield* Effect.provide(Effect.all([asked(), asked("fast"), asked("exact")]), layer)
      assert.deepStrictEqual(answers, [["fast", "I am small-1."], ["fast", "I am small-1."], [
        "exact",
        "I am large-1."
      ]])
    }))

  it.live("have a default of the operator's choice", () =>
    Effect.gen(function*() {
      const { layer } = yield* opened({ default: "exact" })
      assert.deepStrictEqual(yield* Effect.provide(asked(), layer), ["exact", "I am large-1."])
    }))

  it.live("fail for a name that is not known, and ask no model", () =>
    Effect.gen(function*() {
      const { layer, server } = yield* opened()
      const error = yield* Effect.flip(Effect.provide(asked("gone"), layer))
      assert.strictEqual(error.message, "The model \"gone\" is not known to this process; known are fast, exact")
      assert.isEmpty(server.requests)
    }))

  it.live("are the only ones that a new agent may name", () =>
    Effect.gen(function*() {
      const { layer } = yield* opened()
      yield* Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const agents = yield* Agents.Agents
        const ada = { name: "Ada", script: "Hello.", questions: [], dispositions: ["done"] }
        assert.strictEqual((yield* agents.put(accountId, { ...ada, model: "exact" })).model, "exact")
        const error = yield* Effect.flip(agents.put(accountId, { ...ada, model: "gone" }))
        assert.strictEqual(error.message, "model is not known to this deployment; known are fast, exact")
      }).pipe(Effect.provide(Layer.provide(TestEngine.layer(), layer)))
    }))

  it.effect("must be some, with the default among them", () =>
    Effect.gen(function*() {
      const problem = (layer: Layer.Layer<Models.Models, Errors.InvalidRequest | AiSdkModel.UnsupportedModel>) =>
        Effect.map(Effect.flip(Layer.build(layer)), ({ message }) => message)
      const messages = yield* Effect.all([
        problem(Models.Models.layer({})),
        problem(
          Models.Models.layer({ fast: AiSdkModel.layer(modelOf({ url: "http://127.0.0.1:9/v1" })) }, { default: "x" })
        )
      ])
      assert.deepStrictEqual(messages, [
        "models must have at least one model",
        "default is not one of the models; known are fast"
      ])
    }))
})
