/** Loads a package that only some settings need: it must be installed beside Outdial, or in the current folder. */
import { Effect, Option, Path } from "effect"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { UsageError } from "./UsageError.ts"

export const unusable = (name: string, why: string): UsageError =>
  new UsageError({ message: `The package ${name} cannot be used: ${why}` })

/** The package of the current folder, else the one beside Outdial. The name may have the path of an entry point. */
export const load = Effect.fnUntraced(function*(name: string, { neededBy }: { readonly neededBy: string }) {
  const paths = yield* Path.Path
  const found = yield* Effect.option(Effect.try(() => createRequire(paths.resolve("package.json")).resolve(name)))
  // A computed name, so that bundlers leave the import alone.
  const specifier = Option.match(found, { onNone: () => name, onSome: (path) => pathToFileURL(path).href })
  const [installed = name] = /^(@[^/]+\/)?[^/]+/.exec(name) ?? []
  return yield* Effect.tryPromise({
    try: (): Promise<Readonly<Record<string, unknown>>> => import(specifier),
    catch: (cause) =>
      isMissing(cause, installed)
        ? new UsageError({
          message: `${neededBy} needs the package ${installed}; install it with: npm install ${installed}`
        })
        : unusable(installed, cause instanceof Error ? cause.message : String(cause))
  })
})

/** Node has not found the package itself, rather than something that it needs. */
const isMissing = (cause: unknown, name: string): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND" &&
  (cause.message.includes(`'${name}'`) || cause.message.includes(`'${name}/`))
