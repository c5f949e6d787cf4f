/**
 * Loads the client of a language model's provider, a package of the AI SDK. These packages are optional: only the one that is named must be
 * installed, beside Outdial or in the current folder.
 */
import { AiSdkModel } from "@outdial/ai"
import { Effect, Layer, Option, Path, Redacted } from "effect"
import type { LanguageModel } from "effect/ai"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { UsageError } from "./UsageError.ts"

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
    const loaded = yield* load(client.package)
    const create = loaded[client.create]
    if (typeof create !== "function") return yield* unusable(client.package, `it has no ${client.create}`)
    const made = yield* Effect.try({
      try: () =>
        create({
          ...Option.isSome(key) && { apiKey: Redacted.value(key.value) },
          ...Option.isSome(url) && { baseURL: url.value },
          ...provider === "compatible" && { name: "outdial", includeUsage: true, supportsStructuredOutputs: true }
        })(model),
      catch: (cause) => unusable(client.package, cause instanceof Error ? cause.message : String(cause))
    })
    return Layer.catch(
      AiSdkModel.layer(made, client.settings),
      ({ message }) => Layer.effectContext(Effect.fail(unusable(client.package, message)))
    )
  }))

const unusable = (name: string, why: string) =>
  new UsageError({ message: `The package ${name} cannot be used: ${why}` })

/** The package of the current folder, else the one beside Outdial. */
export const load = Effect.fnUntraced(function*(name: string) {
  const paths = yield* Path.Path
  const found = yield* Effect.option(Effect.try(() => createRequire(paths.resolve("package.json")).resolve(name)))
  // A computed name, so that bundlers leave the import alone.
  const specifier = Option.match(found, { onNone: () => name, onSome: (path) => pathToFileURL(path).href })
  return yield* Effect.tryPromise({
    try: (): Promise<Readonly<Record<string, unknown>>> => import(specifier),
    catch: (cause) =>
      isMissing(cause, name)
        ? new UsageError({ message: `OUTDIAL_MODEL needs the package ${name}; install it with: npm install ${name}` })
        : unusable(name, cause instanceof Error ? cause.message : String(cause))
  })
})

/** Node has not found the package itself, rather than something that it needs. */
const isMissing = (cause: unknown, name: string): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND" &&
  cause.message.includes(`'${name}'`)
