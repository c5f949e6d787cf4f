/**
 * Outcomes by a language model, in one structured request for each conversation. What the model says is checked: the disposition is one of
 * the agent's, each answer needs a quote of the contact, and an opt-out on record stays.
 */
import { type Errors, ModelUsage, Outcome, OutcomeSource, ScriptedOutcome } from "@outdial/core"
import { Clock, Duration, Effect, Layer, Option, Schema } from "effect"
import { type LanguageModel, Prompt, Telemetry } from "effect/ai"
import * as RequestTelemetry from "../agent/RequestTelemetry.ts"
import * as ModelFailure from "../model/ModelFailure.ts"
import * as Models from "../model/Models.ts"
import * as ModelUse from "../model/ModelUse.ts"
import * as OutcomeAnswer from "./OutcomeAnswer.ts"
import * as OutcomePrompt from "./OutcomePrompt.ts"

export interface ModelOutcomeOptions<E = never, R = never> extends Models.Options {
  /** The models of the deployment, by the names that agents give in their field `model`. */
  readonly models: Readonly<Record<string, Layer.Layer<LanguageModel.LanguageModel, E, R>>>
}

/** Most answers outside the schema for one conversation. */
const mostAttempts = 3

/** How long all requests for one outcome may take: less than the engine gives, so that their tokens are counted. */
const answerTimeout = Duration.seconds(45)

/**
 * The outcome source. A conversation without words of the contact needs no model. If the model gives no outcome, the outcome of a
 * conversation that Outdial held is what the agent noted; that of another call is none.
 */
export const layer = <E = never, R = never>(
  { models, ...options }: ModelOutcomeOptions<E, R>
): Layer.Layer<OutcomeSource.OutcomeSource, E | Errors.InvalidRequest, R> =>
  Layer.effect(OutcomeSource.OutcomeSource, Effect.map(Models.Models, make)).pipe(
    Layer.provide(Models.Models.layer(models, options))
  )

const make = (models: Models.Models["Service"]): OutcomeSource.OutcomeSource["Service"] => ({
  make: (conversation) =>
    Outcome.hasContactWords(conversation.transcript)
      ? models.of(conversation.agent).pipe(
        Effect.mapError((cause) => new OutcomeSource.OutcomeFailed({ cause, isFinal: true })),
        Effect.flatMap((model) => asked(model, conversation))
      )
      : Effect.succeed(ScriptedOutcome.scriptedOutcome(conversation)),
  fallback: (conversation) => conversation.isHeld ? ScriptedOutcome.scriptedOutcome(conversation) : undefined
})

type Asked = Effect.Effect<Outcome.SourceOutcome, OutcomeSource.OutcomeFailed>

const asked = ({ model, name }: Models.NamedModel, conversation: OutcomeSource.Conversation): Asked =>
  Effect.suspend(() => {
    const { agent, callId } = conversation
    const schema = OutcomeAnswer.schemaOf(agent)
    const prompt = OutcomePrompt.prompt(conversation)
    const uses: Array<ModelUsage.ModelUse> = []

    const failed = (why: string, options: Pick<OutcomeSource.OutcomeFailed, "isFinal" | "retryAfter">) =>
      new OutcomeSource.OutcomeFailed({
        cause: new Error(`The language model ${name}: ${why}`),
        usage: ModelUsage.summed(uses),
        ...options
      })

    const attempt = (number: number, ...notices: ReadonlyArray<Prompt.Message>): Asked =>
      request(model, Prompt.fromMessages([...prompt, ...notices]), schema, (parts, course) => {
        const use = ModelUse.of(name, parts)
        if (use !== undefined) uses.push(use)
        return RequestTelemetry.record({ agentId: agent.id, callId, model: name }, { ...course, ...tokensOf(use) })
      }).pipe(
        Effect.map((answer) => OutcomeAnswer.outcomeOf(answer, conversation, ModelUsage.summed(uses))),
        Effect.catch((error) => {
          const { reason, retryAfter } = error
          if (reason._tag !== "StructuredOutputError" && reason._tag !== "InvalidOutputError") {
            return Effect.fail(failed(ModelFailure.explained(error), {
              ...(!ModelFailure.isTransient(error) && { isFinal: true }),
              ...(retryAfter !== undefined && { retryAfter })
            }))
          }
          return number < mostAttempts
            ? attempt(number + 1, OutcomePrompt.refusal(reason.description))
            : Effect.fail(failed(`its answer does not fit the schema, in ${number} attempts`, { isFinal: true }))
        })
      )

    return attempt(1).pipe(Effect.timeoutOrElse({
      duration: answerTimeout,
      orElse: () => Effect.fail(failed(`it did not answer in ${Duration.toSeconds(answerTimeout)} seconds`, {}))
    }))
  })

const tokensOf = (use: ModelUsage.ModelUse | undefined) => ({
  inputTokens: use?.inputTokens,
  outputTokens: use?.outputTokens
})

type Parts = Parameters<Telemetry.SpanTransformer>[0]["response"]

/** One request. Whatever comes of it, its parts are reported: those of an answer outside the schema have tokens, too. */
const request = (
  model: LanguageModel.LanguageModel,
  prompt: Prompt.Prompt,
  schema: ReturnType<typeof OutcomeAnswer.schemaOf>,
  onEnd: (parts: Parts, course: Omit<RequestTelemetry.Course, "inputTokens" | "outputTokens">) => Effect.Effect<void>
) =>
  Effect.gen(function*() {
    const around = yield* Effect.serviceOption(Telemetry.CurrentSpanTransformer)
    const startedAt = yield* Clock.currentTimeMillis
    let parts: Parts = []
    // effect/ai shows the parts of an answer that does not fit its schema to the transformer of its span only.
    const transformer: Telemetry.SpanTransformer = (options) => {
      parts = options.response
      if (Option.isSome(around)) around.value(options)
    }
    return yield* model.generateObject({ prompt, schema, objectName: "outcome" }).pipe(
      Effect.provideService(Telemetry.CurrentSpanTransformer, transformer),
      Effect.map(({ value }) => value),
      Effect.catchReason("AiError", "StructuredOutputError", ({ responseText }, error) =>
        Effect.mapError(read(schema, responseText), () =>
          error)),
      Effect.onExit((exit) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          onEnd(parts, {
            purpose: "outcome",
            promptVersion: OutcomePrompt.version,
            result: RequestTelemetry.resultOf(exit),
            first: undefined,
            whole: now - startedAt
          }))
      )
    )
  })

/** The answer of a model that writes something around it. */
const read = (schema: ReturnType<typeof OutcomeAnswer.schemaOf>, text: string) =>
  Schema.decodeEffect(Schema.fromJsonString(schema))(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1))
