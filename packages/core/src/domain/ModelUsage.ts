/** What language models took: for one request, and for a whole call. */
import { Schema } from "effect"
import { field } from "./FieldDocs.ts"
import * as Limits from "./Limits.ts"
import { text } from "./Text.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Name = text(Limits.modelNameLength)

/** One request, as its provider counts it. */
export const ModelUse = Schema.Struct({
  /** The model that answered, by its provider's name for it. */
  model: Name,
  inputTokens: Count,
  outputTokens: Count
})
export type ModelUse = typeof ModelUse.Type

/** All requests of a call to one model. */
export const ModelUsage = Schema.Struct({
  model: field(Name, "The model, by its provider's name for it.", "gpt-5-mini"),
  requests: field(Count, "The requests that it answered to their end.", 6),
  inputTokens: field(Count, "The tokens that it read.", 5120),
  outputTokens: field(Count, "The tokens that it wrote.", 180)
})
export type ModelUsage = typeof ModelUsage.Type

/** The sums by model, in the order of their first use. A use without a number of requests is one. */
export const summed = (uses: ReadonlyArray<ModelUse | ModelUsage>): ReadonlyArray<ModelUsage> =>
  uses.reduce<ReadonlyArray<ModelUsage>>((sums, use) => {
    const known = sums.find(({ model }) => model === use.model) ??
      (sums.length < Limits.usedModels ? undefined : sums.at(-1))
    const requests = "requests" in use ? use.requests : 1
    const { inputTokens, model, outputTokens } = use
    if (known === undefined) return [...sums, { model, requests, inputTokens, outputTokens }]
    const sum: ModelUsage = {
      model: known.model,
      requests: known.requests + requests,
      inputTokens: known.inputTokens + inputTokens,
      outputTokens: known.outputTokens + outputTokens
    }
    return sums.map((other) => other === known ? sum : other)
  }, [])
