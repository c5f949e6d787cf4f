/** What a language model took for one answer. */
import { Limits, type ModelUsage } from "@outdial/core"
import type { Response } from "effect/ai"

type Part = { readonly type: string } | Response.FinishPart | Response.ResponseMetadataPart

/** From the parts of an answer; `undefined` unless it is whole. The model has its provider's name for it, or else `name`. */
export const of = (name: string, parts: ReadonlyArray<Part>): ModelUsage.ModelUse | undefined => {
  const finish = parts.findLast(isFinish)
  if (finish === undefined) return undefined
  const { inputTokens, outputTokens } = finish.usage
  const model = parts.findLast((part) => isMetadata(part) && part.modelId !== undefined)
  return {
    model: (model !== undefined && isMetadata(model) ? model.modelId ?? name : name).slice(0, Limits.modelNameLength),
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0
  }
}

const isFinish = (part: Part): part is Response.FinishPart => part.type === "finish"

const isMetadata = (part: Part): part is Response.ResponseMetadataPart => part.type === "response-metadata"
