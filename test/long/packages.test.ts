import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { globSync, statSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import process from "node:process"
import * as Packed from "../../scripts/packed.ts"
import { blocks, bundle, Consumer, fetched, freePort, kilobytes, run, running, say } from "../support/Consumer.ts"
import * as PackageDoors from "../support/PackageDoors.ts"
import * as Postgres from "../support/postgres.ts"

const timeout = 240_000

const bundled = Effect.fnUntraced(function*(program: string) {
  const { write } = yield* Consumer
  yield* write("bundled.js", program)
  return yield* bundle("bundled.js")
})

const bytesBelow = (folder: string) =>
  globSync("**/*", { cwd: folder }).map((file) => statSync(join(folder, file)))
    .reduce((sum, file) => file.isFile() ? sum + file.size : sum, 0)

layer(Consumer.layer, { timeout, excludeTestServices: true })("the packages", (it) => {
  it.effect("hold what was built, its source and its licence, and no tests", () =>
    Effect.gen(function*() {
      const { packed } = yield* Consumer
      assert.deepStrictEqual(packed.map(({ name }) => name), Packed.names.map((name) => `@outdial/${name}`))
      for (const { files, name } of packed) {
        // Carriers have an entry point each.
        const entry = name === "@outdial/carriers" ? "twilio" : "index"
        const expected = ["LICENSE", "README.md", "package.json", `dist/${entry}.js`, `dist/${entry}.d.ts`]
        assert.includeMembers([...files], expected)
        const others = files.filter((file) =>
          !/^(LICENSE|NOTICE|README\.md|CHANGELOG\.md|package\.json|schema\.sql|pages\/.*|src\/.*\.ts|dist\/.*\.(js|d\.ts)(\.map)?)$/
            .test(
              file
            ) ||
          /test\.|(^|\/)tests?\//.test(file)
        )
        assert.deepStrictEqual(others, [], name)
      }
    }))

  it.effect("leave what is not imported out of a bundle", () =>
    Effect.gen(function*() {
      const { module } = yield* Consumer
      const receiver = yield* bundled(`export { verifyWebhook } from "@outdial/core/webhooks"`)
      assert.include(receiver.modules, "@outdial/core/dist/receiver/VerifyWebhook.js")
      const others = receiver.modules.filter((path) => !path.startsWith("@outdial/core/dist/receiver/"))
      assert.deepStrictEqual(others, ["@outdial/core/dist/domain/NearestName.js"])
      const number = yield* bundled(`import { PhoneNumber } from "@outdial/core"\nexport const { parse } = PhoneNumber`)
      assert.include(number.modules, "@outdial/core/dist/domain/PhoneNumber.js")
      const isPure = (path: string) => /^@outdial\/core\/dist\/(index\.js$|domain\/|rules\/)/.test(path)
      assert.deepStrictEqual(
        number.modules.filter((path) => path.startsWith("@outdial/core/") && !isPure(path)),
        []
      )
      const engine = yield* bundled(`export { Outdial } from "@outdial/core"`)
      assert.include(engine.modules, "@outdial/core/dist/dispatch/Dispatcher.js")
      // Effect's schemas know headers, cookies and URL parameters.
      const foreign =
        /^effect\/dist\/(sql\/|http\/(?!Headers|Cookies|UrlParams|internal\/urlParams)|(http-api|cli|cluster|workflow|rpc|ai|testing)\/)|^@effect\/|pglite|vitest|^node:|^@outdial\/(?!core\/)/
      assert.deepStrictEqual(engine.modules.filter((path) => foreign.test(path)), [])
      const testEngine = yield* bundled(`export { TestEngine } from "@outdial/testkit"`)
      assert.deepStrictEqual(testEngine.modules.filter((path) => /vitest|Contract/.test(path)), [])
      const installedSizes = ["@outdial/core", "effect", "libphonenumber-js"].map((name) =>
        `${name} ${kilobytes(bytesBelow(module(name)))}`
      )
      say(`Bundled and minified: verifyWebhook ${receiver.size}; the engine with all it needs ${engine.size}`)
      say(`Installed: ${installedSizes.join(", ")}`)
    }))

  it.effect(
    "open every door and run the README's example",
    () => PackageDoors.open([["Node 24", process.execPath]]),
    timeout
  )

  it.effect("follow the quickstart of the server and the README's command line", () =>
    Effect.gen(function*() {
      const { folder, module, write } = yield* Consumer
      const env = {
        PATH: [dirname(process.execPath), module(".bin"), process.env["PATH"]].join(delimiter),
        PORT: String(freePort + 1),
        DATABASE_URL: yield* Postgres.database,
        OUTDIAL_SECRET_KEY: Buffer.alloc(32, 1).toString("base64"),
        OUTDIAL_CARRIER: "simulated"
      }
      yield* write("agent.json", JSON.stringify({ name: "Ada", script: "Hello", questions: [], dispositions: ["yes"] }))
      yield* write("policy.json", "{}")
      yield* write("wishes.csv", "phone_number\n+14155550101\n")
      const shell = (line: string) => run("sh", ["-ec", line], { cwd: folder, env })

      const quickstart = (yield* blocks("docs/quickstart.md", "sh")).find((code) => code.includes("outdial serve")) ??
        ""
      const [serve, ...setup] = quickstart.trim().split("\n").filter((line) => !line.startsWith("export ")).toReversed()
      assert.strictEqual(serve, "outdial serve")
      const written: Array<string> = []
      for (const line of setup.toReversed()) written.push((yield* shell(line)).stdout)
      const key = /\bvak_call_\w+/.exec(written.join("\n"))?.[0] ?? ""
      yield* running("sh", ["-ec", "exec outdial serve"], { cwd: folder, env })
      const headers = { "x-api-key": key, "content-type": "application/json" }
      const url = `http://127.0.0.1:${env.PORT}`
      yield* fetched(`${url}/readyz`)
      const agents: { readonly data: ReadonlyArray<{ readonly id: string }> } = JSON.parse(
        yield* fetched(`${url}/v1/agents`, { headers })
      )
      const call: { readonly id: string } = JSON.parse(
        yield* fetched(`${url}/v1/calls`, {
          method: "POST",
          headers,
          body: JSON.stringify({
            agent_id: agents.data[0]?.id,
            phone_number: "+14155550100",
            contact: { name: "Grace" }
          })
        })
      )

      const readme = (yield* blocks("README.md", "sh")).find((code) => code.includes("outdial explain")) ?? ""
      const lines = readme.trim().split("\n")
      assert.isNotEmpty(lines)
      for (const line of lines) {
        const { stdout } = yield* shell(line.replace("call_01J…", call.id))
        assert.isNotEmpty(stdout.trim(), line)
      }
    }), timeout)
})
