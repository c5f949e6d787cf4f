/** The language models of a deployment, by the names that agents give in their field `model`. */
import { type Agent, AgentNames, Errors } from "@outdial/core"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { LanguageModel } from "effect/ai"

/** A model, and its name in this deployment. */
export interface NamedModel {
  readonly name: string
  readonly model: LanguageModel.LanguageModel
}

/** The agent names a model that this process does not have, such as one that was removed since. */
export class UnknownModel extends Schema.TaggedError<UnknownModel>()("UnknownModel", {
  model: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The model ${JSON.stringify(this.model)} is not known to this process; known are ${this.known.join(", ")}`
  }
}

export interface Options {
  /** The model of agents that name none. Default: the first. */
  readonly default?: string
}

export class Models extends Context.Service<Models, {
  /** The model that the agent names; the default one for an agent that names none. */
  readonly of: (agent: Pick<Agent.AgentBrief, "model">) => Effect.Effect<NamedModel, UnknownModel>
}>()("@outdial/ai/model/Models") {
  /**
   * These models. Where the layer is given to the engine, an agent that names another one is refused. Fails if there is no model, or
   * `default` names none of them.
   */
  static readonly layer = <E = never, R = never>(
    models: Readonly<Record<string, Layer.Layer<LanguageModel.LanguageModel, E, R>>>,
    options: Options = {}
  ): Layer.Layer<Models, E | Errors.InvalidRequest, R> => Layer.effectContext(make(models, options))
}

const make = Effect.fnUntraced(function*<E, R>(
  layers: Readonly<Record<string, Layer.Layer<LanguageModel.LanguageModel, E, R>>>,
  options: Options
) {
  const names = Object.keys(layers)
  const [first] = names
  if (first === undefined) return yield* wrong("models", "must have at least one model")
  const models = new Map<string, NamedModel>()
  for (const [name, layer] of Object.entries(layers)) {
    const context = yield* Layer.build(layer)
    models.set(name, { name, model: Context.get(context, LanguageModel.LanguageModel) })
  }
  const standard = models.get(options.default ?? first)
  if (standard === undefined) {
    return yield* wrong("default", `is not one of the models; known are ${names.join(", ")}`)
  }
  return Context.make(Models, {
    of: ({ model }) => {
      const found = model === undefined ? standard : models.get(model)
      return found === undefined
        ? Effect.fail(new UnknownModel({ model: model ?? "", known: names }))
        : Effect.succeed(found)
    }
  }).pipe(Context.add(AgentNames.ModelNames, Option.some(names)))
})

const wrong = (field: string, message: string) =>
  Effect.fail(new Errors.InvalidRequest({ problems: [{ path: [field], message }] }))
