/** The packages as a program of the consumer's imports and runs them. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { blocks, compile, Consumer, doors, run, say } from "./Consumer.ts"

/** Imports every entry, and runs the README's example and the command line, on each of these versions of Node: their names and programs. */
export const open = Effect.fnUntraced(function*(nodes: ReadonlyArray<readonly [name: string, program: string]>) {
  const { folder, module, write } = yield* Consumer
  const examples = yield* blocks("README.md", "ts")
  assert.isNotEmpty(examples)
  const programs = examples.map((code, index) => ({ name: `readme${index}`, code }))
  for (const { code, name } of programs) yield* write(`${name}.ts`, code)
  assert.includeMembers(doors, ["@outdial/core/webhooks", "@outdial/http/client", "@outdial/testkit"])
  yield* write(
    "doors.ts",
    `${doors.map((door, index) => `import * as door${index} from "${door}"`).join("\n")}
console.log([${doors.map((_, index) => `door${index}`).join(", ")}].map((door) => Object.keys(door).length > 0).join())`
  )
  yield* compile("doors.ts", ...programs.map(({ name }) => `${name}.ts`))

  for (const [name, node] of nodes) {
    const on = (...args: ReadonlyArray<string>) => run(node, args, { cwd: folder })
    const { stdout: version } = yield* on("--version")
    assert.isTrue(version.startsWith(name.replace("Node ", "v")))
    assert.strictEqual((yield* on("out/doors.js")).stdout.trim(), doors.map(() => "true").join())
    for (const { code, name } of programs) {
      const promised = Array.from(code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm), ([, output = ""]) => output)
      assert.isNotEmpty(promised)
      assert.deepStrictEqual((yield* on(`out/${name}.js`)).stdout.trim().split("\n"), promised)
    }
    const stated = `outdial v${JSON.parse(readFileSync(module("@outdial/server/package.json"), "utf8")).version}`
    assert.strictEqual((yield* on(module(".bin/outdial"), "--version")).stdout.trim(), stated)
    say(`Node ${version.trim()}: every entry, the README's example and the command line`)
  }
})
