/**
 * Loads the client of a language model's provider, a package of the AI SDK. These packages are optional: only the one that is named must be
 * installed, beside Outdial or in the current folder.
 */
import { AiSdkModel } from "@outdial/ai"
import { Effect, Layer, Option, type Path, Redacted } from "effect"
import type { LanguageModel } from "effect/ai"
import * as OptionalPackage from "./OptionalPackage.ts"
import type { UsageError } from "./UsageError.ts"

/** A model and where it is. */
export interface ModelAddress {
  readonly provider: Provider
  /** By its provider's name for it. */
  readonly model: string
  readonly url: Option.Option<string>
  readonly key: Option.Option<Redacted.Redacted>
}

export type Provider = keyof typeof providers

interface Client {
  readonly package: string
  readonly create: string
  readonly settings?: AiSdkModel.Settings
}

export const providers = {
  openai: {
    package: "@ai-sdk/openai",
    create: "createOpenAI",
    // Otherwise OpenAI keeps what was said for 30 days.
    settings: { providerOptions: { openai: { store: false } } }
  },
  anthropic: { package: "@ai-sdk/anthropic", create: "createAnthropic" },
  google: { package: "@ai-sdk/google", create: "createGoogleGenerativeAI" },
  compatible: { package: "@ai-sdk/openai-compatible", create: "createOpenAICompatible" }
} as const satisfies Readonly<Record<string, Client>>

/** The model. Fails if the provider's package is missing, or is of a version that cannot be used. */
export const layer = (
  { key, model, provider, url }: ModelAddress
): Layer.Layer<LanguageModel.LanguageModel, UsageError, Path.Path> =>
  Layer.unwrap(Effect.gen(function*() {
    const client: Client = providers[provider]
    const loaded = yield* OptionalPackage.load(client.package, { neededBy: "OUTDIAL_MODEL" })
    const create = loaded[client.create]
    if (typeof create !== "function") {
      return yield* OptionalPackage.unusable(client.package, `it has no ${client.create}`)
    }
    const made = yield* Effect.try({
      try: () =>
        create({
          ...Option.isSome(key) && { apiKey: Redacted.value(key.value) },
          ...Option.isSome(url) && { baseURL: url.value },
          ...provider === "compatible" && { name: "outdial", includeUsage: true, supportsStructuredOutputs: true }
        })(model),
      catch: (cause) => OptionalPackage.unusable(client.package, cause instanceof Error ? cause.message : String(cause))
    })
    return Layer.catch(
      AiSdkModel.layer(made, client.settings),
      ({ message }) => Layer.effectContext(Effect.fail(OptionalPackage.unusable(client.package, message)))
    )
  }))
