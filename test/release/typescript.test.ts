/** How the packages compile in projects of the oldest TypeScript that is supported, under each setting that finds them and some that do not. */
import { assert, describe, layer } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Consumer, doors, projectOfOldest, root } from "../support/Consumer.ts"

const timeout = 240_000

layer(Consumer.layer, { timeout, excludeTestServices: true })("the packages", (it) => {
  describe("with TypeScript 5.9, the oldest that is supported", () => {
    for (
      const [name, type, compilerOptions] of [
        ["nodenext", "module", { module: "nodenext" }],
        ["node16", "module", { module: "node16" }],
        ["node18", "module", { module: "node18" }],
        ["node20", "module", { module: "node20" }],
        ["nodenext", "commonjs", { module: "nodenext" }],
        ["node20", "commonjs", { module: "node20" }],
        ["preserve", "commonjs", { module: "preserve" }],
        ["bundler", "module", { module: "esnext", moduleResolution: "bundler" }]
      ] as const
    ) {
      it.effect(
        `compile under ${name} in a package of type ${type}, declarations included`,
        () =>
          Effect.gen(function*() {
            const program = [
              ...doors.map((door, index) => `import * as door${index} from "${door}"`),
              `import { Outdial } from "@outdial/core"`,
              `console.log([${doors.map((_, index) => `door${index}`).join(", ")}].length)`,
              `void Outdial.open().then((engine: Outdial.Outdial) => engine.close())`
            ].join("\n")
            const project = yield* projectOfOldest(`${name}-${type}`, {
              type,
              compilerOptions: { ...compilerOptions, skipLibCheck: false },
              program
            })
            yield* project.compiled
            // What is left to a bundler is not for Node.
            if (name.startsWith("node")) assert.strictEqual(yield* project.printed, String(doors.length))
          }),
        timeout
      )
    }

    it.effect("have declarations of core that do not need the types of Node", () =>
      Effect.gen(function*() {
        const program = `export { Outdial } from "@outdial/core"\nexport * from "@outdial/core/webhooks"`
        const lib = ["es2024", "dom", "esnext.disposable"]
        const compilerOptions = { module: "nodenext", skipLibCheck: false, types: [], lib }
        yield* (yield* projectOfOldest("without-node", { type: "module", compilerOptions, program })).compiled
      }), timeout)

    it.effect("are not found under module commonjs, which TypeScript says with TS2307", () =>
      Effect.gen(function*() {
        const compilerOptions = { module: "commonjs", skipLibCheck: true }
        const program = `import { Outdial } from "@outdial/core"\nvoid Outdial.open()`
        const project = yield* projectOfOldest("commonjs", { type: "commonjs", compilerOptions, program })
        assert.include(Cause.pretty(yield* Effect.flip(Effect.sandbox(project.compiled))), "TS2307")
      }), timeout)

    for (const module of ["node16", "node18"]) {
      it.effect(
        `are refused under ${module} in CommonJS with TS1479, but for the imports that the guide shows`,
        () =>
          Effect.gen(function*() {
            const settings = { type: "commonjs", compilerOptions: { module, skipLibCheck: true } } as const
            const plain = yield* projectOfOldest(`${module}-static`, {
              ...settings,
              program: `import { Outdial } from "@outdial/core"\nvoid Outdial.open()`
            })
            assert.include(Cause.pretty(yield* Effect.flip(Effect.sandbox(plain.compiled))), "TS1479")
            const ofTypes = `import type { Outdial } from "@outdial/core" with { "resolution-mode": "import" }`
            const ofValues = `const { Outdial } = await import("@outdial/core")`
            const guide = readFileSync(join(root, "docs/guides/embed.md"), "utf8")
            for (const shown of [ofTypes, ofValues]) assert.include(guide, shown)
            const shown = yield* projectOfOldest(`${module}-shown`, {
              ...settings,
              program: `${ofTypes}
const opened = async (): Promise<Outdial.Outdial> => {
  ${ofValues}
  return Outdial.open()
}
void opened().then((engine) => engine.close()).then(() => console.log("closed"))`
            })
            yield* shown.compiled
            assert.strictEqual(yield* shown.printed, "closed")
          }),
        timeout
      )
    }
  })
})
