import { assert, describe, it } from "@effect/vitest"
import { Limits, ModelUsage } from "@outdial/core"

const use = (model: string, inputTokens = 1, outputTokens = 1) => ({ model, inputTokens, outputTokens })

describe("the usage of language models", () => {
  it("is summed by model, in the order of their first use", () => {
    assert.deepStrictEqual(ModelUsage.summed([]), [])
    assert.deepStrictEqual(ModelUsage.summed([use("b", 10, 2), use("a"), use("b", 5, 1)]), [
      { model: "b", requests: 2, inputTokens: 15, outputTokens: 3 },
      { model: "a", requests: 1, inputTokens: 1, outputTokens: 1 }
    ])
  })

  it("of several calls is summed likewise", () => {
    const usage = { model: "a", requests: 4, inputTokens: 100, outputTokens: 10 }
    assert.deepStrictEqual(ModelUsage.summed([usage, usage]), [
      { model: "a", requests: 8, inputTokens: 200, outputTokens: 20 }
    ])
  })

  it("lists a bounded number of models and loses no token", () => {
    const sums = ModelUsage.summed(Array.from({ length: Limits.usedModels + 5 }, (_, index) => use(`model ${index}`)))
    assert.strictEqual(sums.length, Limits.usedModels)
    assert.deepStrictEqual(sums.at(-1), {
      model: `model ${Limits.usedModels - 1}`,
      requests: 6,
      inputTokens: 6,
      outputTokens: 6
    })
  })
})
