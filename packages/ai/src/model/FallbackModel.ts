/** One `LanguageModel` of two: the second is asked when the first does not answer. */
import { Context, Duration, Effect, Layer, Stream } from "effect"
import { AiError, LanguageModel, type Response } from "effect/ai"

/** How long the first model may take until its answer begins: after 3 s of silence people ask whether somebody is there. */
const defaultTimeout = "3 seconds"

export interface Options {
  /** How long the first model may take until its answer begins. An answer that is not streamed may take ten times as long. Default: 3 s. */
  readonly timeout?: Duration.Input
}

/**
 * Asks `first`, and `second` if `first` cannot be reached, fails, is limited, has no credit left or is too slow. An answer that has begun
 * stays: the contact may have heard it. A request that the model refuses as wrong is not repeated. The last `response-metadata` of an
 * answer names the model that gave it.
 */
export const layer = <E1, R1, E2, R2>(
  first: Layer.Layer<LanguageModel.LanguageModel, E1, R1>,
  second: Layer.Layer<LanguageModel.LanguageModel, E2, R2>,
  options: Options = {}
): Layer.Layer<LanguageModel.LanguageModel, E1 | E2, R1 | R2> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.gen(function*() {
      const service = LanguageModel.LanguageModel
      return make(
        Context.get(yield* Layer.build(first), service),
        Context.get(yield* Layer.build(second), service),
        options
      )
    })
  )

export const make = (
  first: LanguageModel.LanguageModel,
  second: LanguageModel.LanguageModel,
  { timeout = defaultTimeout }: Options = {}
): LanguageModel.LanguageModel => {
  const whole = <A, E, R>(ask: (model: LanguageModel.LanguageModel) => Effect.Effect<A, E, R>) =>
    ask(first).pipe(
      Effect.timeoutOrElse({
        duration: Duration.times(Duration.fromInputUnsafe(timeout), 10),
        orElse: () => Effect.fail(tooSlow("generateText"))
      }),
      Effect.catch((error: E | AiError.AiError) =>
        isOutage(error) ? Effect.andThen(warn(error), ask(second)) : Effect.fail(error)
      )
    )

  const streamed = <A extends { readonly type: Response.AnyPart["type"] }, E, R>(
    ask: (model: LanguageModel.LanguageModel) => Stream.Stream<A, E, R>
  ) =>
    Stream.suspend(() => {
      let hasBegun = false
      let held: ReadonlyArray<A> = []
      const release = () => {
        const all = held
        held = []
        return all
      }
      const late = Effect.delay(
        Effect.suspend(() => hasBegun ? Effect.never : Effect.fail(tooSlow("streamText"))),
        timeout
      )
      return ask(first).pipe(
        Stream.flatMap((part) => {
          held = [...held, part]
          hasBegun ||= begins(part)
          return hasBegun ? Stream.fromIterable(release()) : Stream.empty
        }),
        Stream.concat(Stream.suspend(() => Stream.fromIterable(release()))),
        Stream.interruptWhen(late),
        Stream.catch((error: E | AiError.AiError) =>
          !hasBegun && isOutage(error)
            ? Stream.unwrap(Effect.as(warn(error), ask(second)))
            : Stream.fail(error)
        )
      )
    })

  // The options are passed on as they are; the types of the methods say what comes of them.
  return {
    ...first,
    generateText:
      ((options: Parameters<typeof first.generateText>[0]) =>
        whole((model) => model.generateText(options))) as typeof first.generateText,
    generateObject:
      ((options: Parameters<typeof first.generateObject>[0]) =>
        whole((model) => model.generateObject(options))) as typeof first.generateObject,
    streamText:
      ((options: Parameters<typeof first.streamText>[0]) =>
        streamed((model) => model.streamText(options))) as typeof first.streamText
  }
}

/** Of a model that only thinks nothing is heard: what it streams before its first words is held back, and dropped if the second one is asked. */
const begins = (part: { readonly type: Response.AnyPart["type"]; readonly delta?: unknown }): boolean =>
  part.type === "text-delta" ? typeof part.delta === "string" && part.delta.trim() !== "" : !preliminary.has(part.type)

const preliminary: ReadonlySet<Response.AnyPart["type"]> = new Set([
  "response-metadata",
  "reasoning-start",
  "reasoning-delta",
  "reasoning-end",
  "text-start"
])

/** Whether another model may do better with the same request. */
const isOutage = (error: unknown): error is AiError.AiError =>
  AiError.isAiError(error) && outages.has(error.reason._tag)

const outages: ReadonlySet<AiError.AiErrorReason["_tag"]> = new Set([
  "NetworkError",
  "RateLimitError",
  "QuotaExhaustedError",
  "AuthenticationError",
  "InternalProviderError",
  "InvalidOutputError",
  "StructuredOutputError",
  "UnknownError"
])

const tooSlow = (method: string) =>
  AiError.make({
    module: "FallbackModel",
    method,
    reason: new AiError.InternalProviderError({ description: "the first model took too long to answer" })
  })

const warn = ({ reason }: AiError.AiError) =>
  Effect.logWarning(`The first language model does not answer (${reason._tag}); the second is asked`)
