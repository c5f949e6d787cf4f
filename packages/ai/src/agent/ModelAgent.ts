/** An agent that thinks with a language model. */
import { type Errors, TextAgent } from "@outdial/core"
import { DateTime, Effect, Layer } from "effect"
import type { LanguageModel } from "effect/ai"
import * as Models from "../model/Models.ts"
import * as AgentAnswer from "./AgentAnswer.ts"
import * as AgentPrompt from "./AgentPrompt.ts"

export interface ModelAgentOptions<E = never, R = never> extends Models.Options {
  /** The models of the deployment, by the names that agents give in their field `model`. */
  readonly models: Readonly<Record<string, Layer.Layer<LanguageModel.LanguageModel, E, R>>>
}

/**
 * The agent, and the names of its models, so that agents that name another are refused when they are put. A conversation whose agent names
 * a model that this process does not have ends with the fallback phrase.
 */
export const layer = <E = never, R = never>(
  { models, ...options }: ModelAgentOptions<E, R>
): Layer.Layer<TextAgent.TextAgent, E | Errors.InvalidRequest, R> =>
  Layer.provideMerge(
    Layer.effect(TextAgent.TextAgent, Effect.map(Models.Models, (models) => ({ open: open(models) }))),
    Models.Models.layer(models, options)
  )

const open = (models: Models.Models["Service"]): TextAgent.TextAgent["Service"]["open"] =>
  Effect.fnUntraced(function*(brief, entries) {
    const { agent, contact } = brief
    const named = yield* Effect.mapError(models.of(agent), (cause) => new TextAgent.AgentFailed({ cause }))
    const instructions = AgentPrompt.instructions({ agent, contact, startedAt: yield* DateTime.now })
    return yield* TextAgent.talkOf(brief, entries, (talk) => AgentAnswer.answer({ ...named, instructions }, talk))
  })
