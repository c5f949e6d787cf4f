import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Option, Path } from "effect"
import * as ModelProvider from "../../src/config/ModelProvider.ts"

/** In a folder that has this package of OpenAI's client. */
const inFolder = Effect.fnUntraced(function*(code: string) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const folder = yield* files.makeTempDirectoryScoped()
  const installed = paths.join(folder, "node_modules/@ai-sdk/openai")
  yield* files.makeDirectory(installed, { recursive: true })
  const manifest = { name: "@ai-sdk/openai", type: "module", exports: "./index.js" }
  yield* files.writeFileString(paths.join(installed, "package.json"), JSON.stringify(manifest))
  yield* files.writeFileString(paths.join(installed, "index.js"), code)
  return Layer.succeed(Path.Path, { ...paths, resolve: (...parts) => paths.join(folder, ...parts) })
})

const address = { provider: "openai", model: "gpt-5", url: Option.none(), key: Option.none() } as const

describe("the package of a provider", () => {
  const unusable: ReadonlyArray<readonly [string, string, string]> = [
    [
      "of an older version",
      "export const createOpenAI = () => () => ({ specificationVersion: 'v2' })",
      "implements version \"v2\""
    ],
    ["without the function that makes a client", "export const openai = 1", "it has no createOpenAI"],
    ["whose client throws", "export const createOpenAI = () => { throw new Error('no network') }", "no network"],
    ["that cannot be loaded", "import 'no-such-package'", "Cannot find package 'no-such-package'"]
  ]
  it.effect.each(unusable)(
    "is that of the current folder, and is refused: one %s",
    ([, code, message]) =>
      Effect.gen(function*() {
        const folder = yield* inFolder(code)
        const error = yield* Effect.flip(Layer.build(ModelProvider.layer(address)).pipe(Effect.provide(folder)))
        assert.include(error.message, "The package @ai-sdk/openai cannot be used: ")
        assert.include(error.message, message)
      }).pipe(Effect.provide(NodeServices.layer))
  )
})
