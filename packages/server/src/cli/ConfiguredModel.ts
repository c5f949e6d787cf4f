/** The agent and the outcomes of a server or a command: the module's, those of the language model that the environment names, or scripted. */
import { ModelAgent, ModelOutcome } from "@outdial/ai"
import { AgentNames, type Errors, type OutcomeSource, ScriptedAgent, type TextAgent } from "@outdial/core"
import { Effect, Layer, Option, Path } from "effect"
import type { LanguageModel } from "effect/ai"
import * as Config from "../config/Config.ts"
import * as ModelProvider from "../config/ModelProvider.ts"
import type { ServerConfig } from "../config/ServerConfig.ts"
import { UsageError } from "../config/UsageError.ts"
import * as Admin from "./Admin.ts"
import * as ConfigModule from "./ConfigModule.ts"

/** The language model that the environment names. */
export interface ConfiguredModel {
  /** As `OUTDIAL_MODEL` has it. */
  readonly name: string
  readonly layer: Layer.Layer<LanguageModel.LanguageModel, UsageError>
}

/** None when agents are scripted. Fails if the settings contradict each other. */
export const read: Effect.Effect<Option.Option<ConfiguredModel>, UsageError, Path.Path> = Effect.gen(function*() {
  const { key, name, url } = yield* Admin.readable(Config.model)
  if (Option.isNone(name) || name.value === "scripted") {
    const [given] = [
      ...Option.isSome(url) ? ["OUTDIAL_MODEL_URL"] : [],
      ...Option.isSome(key) ? ["OUTDIAL_MODEL_KEY"] : []
    ]
    if (given === undefined) return Option.none()
    return yield* new UsageError({
      message:
        `${given} is set, and OUTDIAL_MODEL names no model. Set OUTDIAL_MODEL to the name of a model, or unset ${given}`
    })
  }
  const [, prefix, rest] = /^(openai|anthropic|google):(.*)$/u.exec(name.value) ?? []
  const model = rest ?? name.value
  if (model === "") {
    return yield* new UsageError({ message: `OUTDIAL_MODEL=${name.value} names no model, such as openai:gpt-5-mini` })
  }
  if (Option.isNone(url) && prefix === undefined) {
    return yield* new UsageError({
      message:
        `OUTDIAL_MODEL=${name.value} is a model at OUTDIAL_MODEL_URL, which is not set. For a model of a provider, write ` +
        `openai:${model}, anthropic:${model} or google:${model}; without a model, write scripted`
    })
  }
  if (Option.isNone(url) && Option.isNone(key)) {
    return yield* new UsageError({
      message: `OUTDIAL_MODEL=${name.value} needs OUTDIAL_MODEL_KEY, the API key of the provider`
    })
  }
  const provider = providerOf(prefix, Option.isSome(url))
  const paths = yield* Path.Path
  return Option.some({
    name: name.value,
    layer: ModelProvider.layer({ provider, model, url, key }).pipe(Layer.provide(Layer.succeed(Path.Path, paths)))
  })
})

/** OpenAI's own client speaks a protocol that others do not. */
const providerOf = (prefix: string | undefined, hasUrl: boolean): ModelProvider.Provider =>
  prefix === "anthropic" || prefix === "google" ? prefix : hasUrl ? "compatible" : "openai"

/** What talks with the contacts. Fails if the module has an agent and the environment names a model. */
export const textAgent = (
  { textAgent }: Pick<ServerConfig, "textAgent">,
  model: Option.Option<ConfiguredModel>
): Effect.Effect<Layer.Layer<TextAgent.TextAgent, UsageError>, UsageError> => {
  if (textAgent !== undefined && Option.isSome(model)) {
    return Effect.fail(
      new UsageError({
        message:
          `OUTDIAL_MODEL=${model.value.name} and textAgent in the configuration module exclude each other. Give only one`
      })
    )
  }
  if (textAgent !== undefined) return Effect.succeed(ConfigModule.part("textAgent", textAgent))
  return Effect.succeed(Option.match(model, {
    onNone: () => scripted,
    onSome: ({ layer, name }) => neverRefused(ModelAgent.layer({ models: { [name]: layer } }))
  }))
}

/** What makes the outcomes: the module's source, one of the language model that the environment names, or the default one. */
export const outcomes = (
  { outcomes }: Pick<ServerConfig, "outcomes">,
  model: Option.Option<ConfiguredModel>
): Layer.Layer<OutcomeSource.OutcomeSource, UsageError> | undefined => {
  if (outcomes !== undefined) return ConfigModule.part("outcomes", outcomes)
  return Option.getOrUndefined(
    Option.map(model, ({ layer, name }) => neverRefused(ModelOutcome.layer({ models: { [name]: layer } })))
  )
}

/** The name is the model's only one, so the options are never refused. */
const neverRefused = <A, E>(layer: Layer.Layer<A, E | Errors.InvalidRequest>) =>
  Layer.catchTag(layer, "InvalidRequest", (error) => Layer.effectContext(Effect.die(error)))

/** An agent that names a model would not get it. */
const scripted = Layer.merge(ScriptedAgent.layer, Layer.succeed(AgentNames.ModelNames, Option.some([])))
